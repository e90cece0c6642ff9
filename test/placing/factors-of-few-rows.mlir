// RUN: eft-opt %s -eft-place='target=gpu num-warps=4' | FileCheck %s

// Each of four warps multiplies 16 rows with its own columns, so it could load the elements directly to
// where the tensor cores need them. But asynchronous copies, which run iterations ahead, need long runs:
// so the factor is loaded in long runs, and then converted.
// CHECK-LABEL: @few_rows
// CHECK: %[[B:.*]] = eft.load {{.*}} {run = 8 : i32} : tensor<64x64x!eft.ptr<f16>
// CHECK-NEXT: %[[FACTOR:.*]] = eft.convert_layout %[[B]]
// CHECK-NEXT: eft.dot {{.*}}, %[[FACTOR]], %arg
func.func @few_rows(%p: !eft.ptr<f16> {eft.divisibility = 16 : i32}, %out: !eft.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<16x64xf32>
  %ones = arith.constant dense<1.0> : tensor<16x64xf16>
  %i = eft.arange 0 to 64 : tensor<64xi32>
  %down = eft.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %across = eft.expand_dims %i axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %rows = eft.broadcast %down : tensor<64x1xi32> -> tensor<64x64xi32>
  %columns = eft.broadcast %across : tensor<1x64xi32> -> tensor<64x64xi32>
  %width = arith.constant dense<4096> : tensor<64x64xi32>
  %below = arith.muli %rows, %width : tensor<64x64xi32>
  %offset = arith.addi %below, %columns : tensor<64x64xi32>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<64x64x!eft.ptr<f16>>
  %pb = eft.addptr %ps, %offset : tensor<64x64x!eft.ptr<f16>>, tensor<64x64xi32>
  %r = scf.for %t = %zero to %n step %one iter_args(%acc = %none) -> (tensor<16x64xf32>) : i32 {
    %b = eft.load %pb : tensor<64x64x!eft.ptr<f16>>
    %d = eft.dot %ones, %b, %acc precision ieee : tensor<16x64xf16>, tensor<64x64xf16> -> tensor<16x64xf32>
    scf.yield %d : tensor<16x64xf32>
  }
  %outs = eft.splat %out : !eft.ptr<f32> -> tensor<16x64x!eft.ptr<f32>>
  eft.store %outs, %r : tensor<16x64x!eft.ptr<f32>>
  return
}
