// RUN: eft-opt %s -split-input-file -verify-diagnostics -eft-lower-to-gpu=num-warps=1
// RUN: eft-opt %s -split-input-file -verify-diagnostics -eft-lower-to-cpu

#a = #eft.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], step = []>

func.func @reduction_without_an_order(%x: f32) {
  %s = eft.splat %x : f32 -> tensor<32xf32, #a>
  // expected-error @+1 {{'eft.reduce' op has no order of combining; run eft-place first}}
  %r = eft.reduce %s axis 0 : (tensor<32xf32, #a>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    eft.yield %a : f32
  }
  return
}

// -----

#a = #eft.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], step = []>
#b = #eft.layout<register = [], lane = [[2], [1], [4], [8], [16]], warp = [], step = []>

func.func @sources_in_different_places(%x: f32) {
  %s = eft.splat %x : f32 -> tensor<32xf32, #a>
  %t = eft.splat %x : f32 -> tensor<32xf32, #b>
  // expected-error @+1 {{'eft.reduce' op sources must lie alike}}
  %r:2 = eft.reduce %s, %t axis 0 steps 1 tree [16, 8, 4, 2, 1] : (tensor<32xf32, #a>, tensor<32xf32, #b>) -> (f32, f32) {
  ^bb0(%a: f32, %i: f32, %b: f32, %j: f32):
    eft.yield %a, %i : f32, f32
  }
  return
}

// -----

#a = #eft.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], step = []>
#b = #eft.layout<register = [], lane = [[2], [1], [4], [8], [16]], warp = [], step = []>

func.func @scanned_in_different_places(%x: f32) {
  %s = eft.splat %x : f32 -> tensor<32xf32, #a>
  %t = eft.splat %x : f32 -> tensor<32xf32, #b>
  // expected-error @+1 {{'eft.scan' op sources must lie alike}}
  %r:2 = eft.scan %s, %t axis 0 : (tensor<32xf32, #a>, tensor<32xf32, #b>) -> (tensor<32xf32, #a>, tensor<32xf32, #b>) {
  ^bb0(%a: f32, %i: f32, %b: f32, %j: f32):
    eft.yield %a, %i : f32, f32
  }
  return
}

// -----

#a = #eft.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], step = []>

func.func @function_with_a_loop(%x: i32) {
  %s = eft.splat %x : i32 -> tensor<32xi32, #a>
  %r = eft.scan %s axis 0 : (tensor<32xi32, #a>) -> tensor<32xi32, #a> {
  ^bb0(%a: i32, %b: i32):
    // expected-error @+1 {{'scf.for' op can't be a part of a combining function, which is arithmetic on the elements alone}}
    %n = scf.for %i = %a to %b step %b iter_args(%j = %a) -> i32 : i32 {
      scf.yield %j : i32
    }
    eft.yield %n : i32
  }
  return
}

// -----

#a = #eft.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], step = []>

func.func @function_that_asks_for_more_than_its_elements(%x: i32) {
  %s = eft.splat %x : i32 -> tensor<32xi32, #a>
  %r = eft.reduce %s axis 0 steps 1 tree [1, 2, 4, 8, 16] : (tensor<32xi32, #a>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %less = arith.cmpi slt, %a, %b : i32
    %c = scf.if %less -> i32 {
      // expected-error @+1 {{'eft.program_id' op can't be a part of a combining function}}
      %id = eft.program_id x
      scf.yield %id : i32
    } else {
      scf.yield %b : i32
    }
    eft.yield %c : i32
  }
  return
}
