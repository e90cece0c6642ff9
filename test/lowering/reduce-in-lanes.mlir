// RUN: eft-opt %s -split-input-file -eft-place='target=gpu num-warps=16' -eft-lower-to-gpu=num-warps=16 | FileCheck %s
// A program combines the results of its warps by shuffles, or in each thread alone.

// A thread has four elements: it combines them in three steps, those of its warp in five, and those of
// the 16 warps in four, by shuffles.
// CHECK-LABEL: @long_combiner
// CHECK-COUNT-12: arith.divf
// CHECK-NOT: arith.divf
// CHECK: return
func.func @long_combiner(%p: !eft.ptr<f32> {eft.divisibility = 16 : i32}) {
  %i = eft.arange 0 to 2048 : tensor<2048xi32>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<2048x!eft.ptr<f32>>
  %pi = eft.addptr %ps, %i : tensor<2048x!eft.ptr<f32>>, tensor<2048xi32>
  %x = eft.load %pi : tensor<2048x!eft.ptr<f32>>
  %r:2 = eft.reduce %x, %x axis 0 : (tensor<2048xf32>, tensor<2048xf32>) -> (f32, f32) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %sum = arith.addf %b, %d : f32
    %part = arith.divf %d, %sum : f32
    %difference = arith.subf %c, %a : f32
    %step = arith.mulf %difference, %part : f32
    %mean = arith.addf %a, %step : f32
    eft.yield %mean, %sum : f32, f32
  }
  eft.store %p, %r#0 : !eft.ptr<f32>
  return
}

// -----

// A sum is short: each thread adds the 16 numbers alone.
// CHECK-LABEL: @sum
// CHECK-COUNT-23: arith.addf
// CHECK-NOT: arith.addf
// CHECK: return
func.func @sum(%p: !eft.ptr<f32> {eft.divisibility = 16 : i32}) {
  %i = eft.arange 0 to 2048 : tensor<2048xi32>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<2048x!eft.ptr<f32>>
  %pi = eft.addptr %ps, %i : tensor<2048x!eft.ptr<f32>>, tensor<2048xi32>
  %x = eft.load %pi : tensor<2048x!eft.ptr<f32>>
  %r = eft.reduce %x axis 0 : (tensor<2048xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    eft.yield %sum : f32
  }
  eft.store %p, %r : !eft.ptr<f32>
  return
}
