// RUN: eft-opt %s -split-input-file -verify-diagnostics -eft-lower-to-gpu

#block = #eft.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>

func.func @scan() {
  %x = eft.buffer : <tensor<128xf32, #block>>
  // expected-error @+1 {{'eft.scan_into' op has no lowering for a GPU}}
  eft.scan_into %x axis 0 : (!eft.buffer<tensor<128xf32, #block>>) {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    eft.yield %sum : f32
  }
  return
}

// -----

#block = #eft.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>

func.func @sort() {
  %x = eft.buffer : <tensor<128xi32, #block>>
  // expected-error @+1 {{'eft.sort_into' op has no lowering for a GPU}}
  eft.sort_into %x axis 0 stages 1 to 7 : <tensor<128xi32, #block>>
  return
}

// -----

#block = #eft.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>

func.func @move(%i: i32) {
  %x = eft.buffer : <tensor<128xi32, #block>>
  // expected-error @+1 {{'eft.buffer_read' op of elements that move has no lowering for a GPU}}
  %0 = eft.buffer_read %x[%i] of <register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]> xor 1 : <tensor<128xi32, #block>> -> tensor<128xi32, #block>
  return
}

// -----

#block = #eft.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>

func.func @pick(%n: i32) {
  %x = eft.buffer : <tensor<128xi32, #block>>
  %ns = eft.splat %n : i32 -> tensor<128xi32, #block>
  // expected-error @+1 {{'eft.buffer_gather' op has no lowering for a GPU}}
  %0 = eft.buffer_gather %x[%ns] : <tensor<128xi32, #block>>, tensor<128xi32, #block> -> tensor<128xi32, #block>
  return
}

// -----

#block = #eft.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>

func.func @print() {
  %x = eft.buffer : <tensor<128xi64, #block>>
  // expected-error @+1 {{'eft.print' op of a buffer has no lowering for a GPU}}
  eft.print "x" %x : !eft.buffer<tensor<128xi64, #block>>
  return
}
