// RUN: eft-opt %s -pass-pipeline='builtin.module(eft-place{target=sm_90 num-warps=4}, func.func(eft-pipeline-copies{num-stages=3}))' | FileCheck %s

// The rows of both factors may begin in the middle of a word, so threads load them element by element,
// with a register for each element and one for its address. Because of these registers, only two
// programs fit on a multiprocessor. Shared memory would have room for more, with three or four slots for
// each factor. So there are four slots, and no barrier is needed between the product and the copies.
// CHECK-LABEL: @unaligned_factors
// CHECK: eft.alloc_shared : <4, tensor<64x64xf16
// CHECK: eft.alloc_shared : <4, tensor<64x64xf16
// CHECK: scf.for
// CHECK: eft.wait_copies pending 1
// CHECK: eft.dot_async
// CHECK-NEXT: eft.wait_dots pending 1
// CHECK-NOT: eft.barrier
// CHECK: eft.copy_async %{{.*}} {run = 1 : i32}
// CHECK: eft.copy_async %{{.*}} {run = 1 : i32}
// CHECK: scf.yield
func.func @unaligned_factors(%p: !eft.ptr<f16>, %q: !eft.ptr<f16>, %out: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %stride: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %width = arith.constant dense<64> : tensor<64x1xi32>
  %i = eft.arange 0 to 64 : tensor<64xi32>
  %down = eft.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %across = eft.expand_dims %i axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %strides = eft.splat %stride : i32 -> tensor<64x1xi32>
  %a0 = arith.muli %down, %strides : tensor<64x1xi32>
  %a1 = eft.broadcast %a0 : tensor<64x1xi32> -> tensor<64x64xi32>
  %a2 = eft.broadcast %across : tensor<1x64xi32> -> tensor<64x64xi32>
  %a3 = arith.addi %a1, %a2 : tensor<64x64xi32>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<64x64x!eft.ptr<f16>>
  %pa = eft.addptr %ps, %a3 : tensor<64x64x!eft.ptr<f16>>, tensor<64x64xi32>
  %wide = eft.splat %stride : i32 -> tensor<1x64xi32>
  %b0 = arith.muli %across, %wide : tensor<1x64xi32>
  %b1 = eft.broadcast %b0 : tensor<1x64xi32> -> tensor<64x64xi32>
  %b2 = eft.broadcast %down : tensor<64x1xi32> -> tensor<64x64xi32>
  %b3 = arith.addi %b1, %b2 : tensor<64x64xi32>
  %qs = eft.splat %q : !eft.ptr<f16> -> tensor<64x64x!eft.ptr<f16>>
  %pb = eft.addptr %qs, %b3 : tensor<64x64x!eft.ptr<f16>>, tensor<64x64xi32>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %a = eft.load %pa : tensor<64x64x!eft.ptr<f16>>
    %b = eft.load %pb : tensor<64x64x!eft.ptr<f16>>
    %d = eft.dot %a, %b, %acc precision ieee : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %c0s = arith.muli %down, %width : tensor<64x1xi32>
  %c1s = eft.broadcast %c0s : tensor<64x1xi32> -> tensor<64x64xi32>
  %c2s = arith.addi %c1s, %a2 : tensor<64x64xi32>
  %rs = eft.splat %out : !eft.ptr<f32> -> tensor<64x64x!eft.ptr<f32>>
  %pc = eft.addptr %rs, %c2s : tensor<64x64x!eft.ptr<f32>>, tensor<64x64xi32>
  eft.store %pc, %r : tensor<64x64x!eft.ptr<f32>>
  return
}
