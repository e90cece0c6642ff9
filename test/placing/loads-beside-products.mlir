// RUN: eft-opt %s -eft-place='target=sm_80 num-warps=4' | FileCheck %s
// RUN: eft-opt %s -eft-place='target=sm_80 num-warps=4 num-stages=1' | FileCheck %s --check-prefix=STAGE

// Each thread needs the scales of many columns. In the layout in which it needs them, several threads
// would load the same scale. A copy is to bring the scales to shared memory, so each thread loads one
// scale, and the scales are converted.
// CHECK-LABEL: @scales_of_columns
// STAGE-LABEL: @scales_of_columns
// STAGE: %[[S:.*]] = eft.load %{{.*}} : tensor<64x!eft.ptr<f32>
// STAGE-NOT: eft.convert_layout %[[S]]
// STAGE: eft.dot
// CHECK: scf.for
// CHECK: %[[S:.*]] = eft.load %{{.*}} : tensor<64x!eft.ptr<f32>, #[[ONE:.*]]>
// CHECK: eft.convert_layout %[[S]] : tensor<64xf32, #[[ONE]]>
// CHECK: eft.dot
func.func @scales_of_columns(%x: !eft.ptr<f16>, %p: !eft.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %i = eft.arange 0 to 64 : tensor<64xi32>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>>
  %q = eft.addptr %ps, %i : tensor<64x!eft.ptr<f32>>, tensor<64xi32>
  %xs = eft.splat %x : !eft.ptr<f16> -> tensor<64x64x!eft.ptr<f16>>
  %v = eft.load %xs : tensor<64x64x!eft.ptr<f16>>
  %os = eft.splat %p : !eft.ptr<f32> -> tensor<64x64x!eft.ptr<f32>>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %s = eft.load %q : tensor<64x!eft.ptr<f32>>
    %d = eft.dot %v, %v, %zero precision ieee : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    %e = eft.expand_dims %s axis 0 : tensor<64xf32> -> tensor<1x64xf32>
    %f = eft.broadcast %e : tensor<1x64xf32> -> tensor<64x64xf32>
    %sum = math.fma %d, %f, %acc : tensor<64x64xf32>
    scf.yield %sum : tensor<64x64xf32>
  }
  eft.store %os, %r : tensor<64x64x!eft.ptr<f32>>
  return
}

// A loop with one stage has no copies, so each thread loads what it needs.
// CHECK-LABEL: @one_stage
// CHECK: scf.for
// CHECK: %[[S:.*]] = eft.load
// CHECK-NOT: eft.convert_layout %[[S]]
// CHECK: eft.dot
func.func @one_stage(%x: !eft.ptr<f16>, %p: !eft.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %i = eft.arange 0 to 64 : tensor<64xi32>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>>
  %q = eft.addptr %ps, %i : tensor<64x!eft.ptr<f32>>, tensor<64xi32>
  %xs = eft.splat %x : !eft.ptr<f16> -> tensor<64x64x!eft.ptr<f16>>
  %v = eft.load %xs : tensor<64x64x!eft.ptr<f16>>
  %os = eft.splat %p : !eft.ptr<f32> -> tensor<64x64x!eft.ptr<f32>>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %s = eft.load %q : tensor<64x!eft.ptr<f32>>
    %d = eft.dot %v, %v, %zero precision ieee : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    %e = eft.expand_dims %s axis 0 : tensor<64xf32> -> tensor<1x64xf32>
    %f = eft.broadcast %e : tensor<1x64xf32> -> tensor<64x64xf32>
    %sum = math.fma %d, %f, %acc : tensor<64x64xf32>
    scf.yield %sum : tensor<64x64xf32>
  } {eft.num_stages = 1 : i32}
  eft.store %os, %r : tensor<64x64x!eft.ptr<f32>>
  return
}
