// RUN: eft-opt %s -split-input-file -verify-diagnostics -eft-lower-to-gpu
// RUN: eft-opt %s -split-input-file -verify-diagnostics -eft-lower-to-cpu

func.func @no_layout(%p: !eft.ptr<f32>) {
  // expected-error @+1 {{'eft.splat' op has a block without a layout; run eft-place first, got 'tensor<8x!eft.ptr<f32>>'}}
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<8x!eft.ptr<f32>>
  return
}

// -----

// expected-error @+1 {{'func.func' op must have no results, got 1}}
func.func @results(%x: i32) -> i32 {
  return %x : i32
}

// -----

#layout = #eft.layout<register = [], lane = [[1], [2], [0], [0], [0]], warp = [[0], [0]], step = []>

// expected-error @+1 {{'func.func' op must have scalars as its arguments, got 'tensor<4xi32, #eft.layout<}}
func.func @block_argument(%x: tensor<4xi32, #layout>) {
  return
}

// -----

// expected-error @+1 {{'func.func' op is declared but not defined}}
func.func private @declaration(i32)

// -----

#layout = #eft.layout<register = [], lane = [[1], [2], [0], [0], [0]], warp = [[0], [0]], step = []>

func.func @constants_that_differ(%p: !eft.ptr<i32>) {
  // expected-error @+1 {{'arith.constant' op of a block must have the same value at every index}}
  %c = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32, #layout>
  return
}

// -----

#layout = #eft.layout<register = [], lane = [[1], [2], [0], [0], [0]], warp = [[0], [0]], step = []>

func.func @blocks_out_of_an_unknown_region(%x: i32) {
  // expected-error @+1 {{'scf.execute_region' op carries blocks or pointers in or out of a region, and has no lowering that takes them apart}}
  %r = scf.execute_region -> tensor<4xi32, #layout> {
    %c = arith.constant dense<1> : tensor<4xi32, #layout>
    scf.yield %c : tensor<4xi32, #layout>
  }
  return
}

// -----

#long = #eft.layout<register = [], lane = [[1], [2], [4], [0], [0]], warp = [[0], [0]], step = []>
#other = #eft.layout<register = [], lane = [[4, 0], [2, 0], [1, 0], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]], step = []>

func.func @reshape_that_moves_elements(%x: i32) {
  %s = eft.splat %x : i32 -> tensor<8xi32, #long>
  // expected-error @+1 {{'eft.expand_dims' op would have to move elements between places}}
  %e = eft.expand_dims %s axis 1 : tensor<8xi32, #long> -> tensor<8x1xi32, #other>
  return
}

// -----

func.func @philox_that_was_not_expanded(%s: i64, %c: i32) {
  // expected-error @+1 {{'eft.philox' op has no lowering}}
  %w:4 = eft.philox seed %s counter %c, %c, %c, %c rounds 10 : i64, i32
  return
}

// -----

// expected-error @+1 {{'func.func' op has branches between blocks of operations}}
func.func @branches() {
  cf.br ^next
^next:
  return
}
