// Atomic sums of neighbours become one operation.
// RUN: eft-opt %s -split-input-file -eft-lower-to-gpu='num-warps=2 compute-capability=90' | FileCheck %s
// RUN: eft-opt %s -split-input-file -eft-lower-to-gpu='num-warps=2 compute-capability=80' | FileCheck %s --check-prefix=SM80

#layout = #eft.layout<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = [[256]]>

// One operation adds to several neighbours, under their common mask. No access follows that must be
// ordered after the operation, so there is a fence before it, but none after it.
// CHECK-LABEL: @sums_of_neighbours
func.func @sums_of_neighbours(%p: !eft.ptr<f32>, %x: f32, %m: i1) {
  // CHECK: eft.thread_fence sys
  // CHECK: eft.thread_atomic_rmw fadd relaxed sys %{{.*}}, %{{.*}} if %arg2 : !llvm.ptr<1>, vector<4xf32>
  // CHECK: eft.thread_atomic_rmw fadd relaxed sys %{{.*}}, %{{.*}} if %arg2 : !llvm.ptr<1>, vector<4xf32>
  // CHECK-NOT: eft.thread_
  // CHECK: return
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<512x!eft.ptr<f32>, #layout>
  %xs = eft.splat %x : f32 -> tensor<512xf32, #layout>
  %ms = eft.splat %m : i1 -> tensor<512xi1, #layout>
  %0 = eft.atomic_rmw fadd acq_rel sys %ps, %xs, mask %ms {run = 4 : i32} : tensor<512x!eft.ptr<f32>, #layout>
  return
}

// In a loop, the next iteration may access memory, so a fence follows the operations.
// CHECK-LABEL: @sums_in_a_loop
func.func @sums_in_a_loop(%p: !eft.ptr<f16>, %x: f16, %n: i32) {
  // CHECK: scf.for
  // CHECK-NOT: eft.thread_fence
  // CHECK: eft.thread_atomic_rmw fadd relaxed gpu %{{.*}}, %{{.*}} : !llvm.ptr<1>, vector<4xf16>
  // CHECK: eft.thread_atomic_rmw fadd relaxed gpu %{{.*}}, %{{.*}} : !llvm.ptr<1>, vector<4xf16>
  // CHECK: eft.thread_fence gpu
  // CHECK: }
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<512x!eft.ptr<f16>, #layout>
  %xs = eft.splat %x : f16 -> tensor<512xf16, #layout>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %0 = eft.atomic_rmw fadd acquire gpu %ps, %xs {run = 4 : i32} : tensor<512x!eft.ptr<f16>, #layout>
  }
  return
}

// The results for neighbours become single elements again. An instruction adds to at most 4 floats.
// CHECK-LABEL: @results_of_neighbours
func.func @results_of_neighbours(%p: !eft.ptr<f32>, %x: f32) {
  // CHECK: %[[LEFT:.*]] = eft.thread_atomic_rmw fadd relaxed gpu %{{.*}}, %{{.*}} : !llvm.ptr<1>, vector<4xf32>
  // CHECK: %[[FIRST:.*]] = llvm.extractelement %[[LEFT]][%c0
  // CHECK: %[[RIGHT:.*]] = eft.thread_atomic_rmw fadd relaxed gpu %{{.*}}, %{{.*}} : !llvm.ptr<1>, vector<4xf32>
  // CHECK: %[[LAST:.*]] = llvm.extractelement %[[RIGHT]][%c3
  // CHECK-NOT: eft.thread_fence
  // CHECK: llvm.store %[[FIRST]]
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<512x!eft.ptr<f32>, #layout>
  %xs = eft.splat %x : f32 -> tensor<512xf32, #layout>
  %0 = eft.atomic_rmw fadd release gpu %ps, %xs {run = 8 : i32} : tensor<512x!eft.ptr<f32>, #layout>
  eft.store %ps, %0 : tensor<512x!eft.ptr<f32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128]]>

// Earlier GPUs can add to pairs of f16, but to no other neighbours.
// SM80-LABEL: @sums_before_vectors
func.func @sums_before_vectors(%p: !eft.ptr<f16>, %q: !eft.ptr<f32>, %x: f16, %y: f32) {
  // SM80-COUNT-2: eft.thread_atomic_rmw fadd relaxed gpu %{{.*}}, %{{.*}} : !llvm.ptr<1>, vector<2xf16>
  // SM80-COUNT-4: eft.thread_atomic_rmw fadd relaxed gpu %{{.*}}, %{{.*}} : !llvm.ptr<1>, f32
  // SM80-NOT: eft.thread_atomic_rmw
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<256x!eft.ptr<f16>, #layout>
  %xs = eft.splat %x : f16 -> tensor<256xf16, #layout>
  %0 = eft.atomic_rmw fadd relaxed gpu %ps, %xs {run = 4 : i32} : tensor<256x!eft.ptr<f16>, #layout>
  %qs = eft.splat %q : !eft.ptr<f32> -> tensor<256x!eft.ptr<f32>, #layout>
  %ys = eft.splat %y : f32 -> tensor<256xf32, #layout>
  %1 = eft.atomic_rmw fadd relaxed gpu %qs, %ys {run = 4 : i32} : tensor<256x!eft.ptr<f32>, #layout>
  return
}
