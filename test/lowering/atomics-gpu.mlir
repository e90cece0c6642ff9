// RUN: eft-opt %s -split-input-file -verify-diagnostics -eft-lower-to-gpu=num-warps=2 -cse | FileCheck %s

// A lock: the earlier accesses of all threads precede the release, and their later accesses follow the
// acquire.
// CHECK-LABEL: @lock
// CHECK-NOT: llvm.mlir.global
func.func @lock(%lock: !eft.ptr<i32>) {
  // CHECK: %[[MINE:.*]] = arith.cmpi eq
  // CHECK-NOT: nvvm.barrier0
  // CHECK: eft.thread_atomic_cas acquire gpu %{{.*}}, %{{.*}}, %{{.*}} if %[[MINE]] : !llvm.ptr<1>, i32
  // CHECK-NEXT: nvvm.barrier0
  // CHECK-NEXT: nvvm.barrier0
  // CHECK: eft.thread_atomic_rmw xchg release gpu %{{.*}}, %{{.*}} if %[[MINE]] : !llvm.ptr<1>, i32
  // CHECK-NOT: nvvm.barrier0
  // CHECK: return
  %free = arith.constant 0 : i32
  %taken = arith.constant 1 : i32
  eft.atomic_cas acquire gpu %lock, %free, %taken : !eft.ptr<i32>
  eft.atomic_rmw xchg release gpu %lock, %free : !eft.ptr<i32>
  return
}

// -----

// CHECK: llvm.mlir.global external @eft$shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
// CHECK-LABEL: @result_of_a_scalar
// CHECK-SAME: eft.shared_bytes = 8 : i32
func.func @result_of_a_scalar(%p: !eft.ptr<f64>, %x: f64, %m: i1, %out: !eft.ptr<f64>) {
  // CHECK: %[[MINE:.*]] = arith.cmpi eq
  // CHECK-NOT: nvvm.barrier0
  // CHECK: %[[MASK:.*]] = arith.andi %{{.*}}, %[[MINE]]
  // CHECK: eft.thread_atomic_rmw fadd relaxed gpu %{{.*}}, %arg1 if %[[MASK]] : !llvm.ptr<1>, f64
  // CHECK: %[[SLOT:.*]] = llvm.mlir.addressof @eft$shared : !llvm.ptr<3>
  // CHECK: scf.if %[[MINE]] {
  // CHECK: llvm.store %{{.*}}, %[[SLOT]] : i64, !llvm.ptr<3>
  // CHECK: nvvm.barrier0
  // CHECK: llvm.load %[[SLOT]] : !llvm.ptr<3> -> i64
  %0 = eft.atomic_rmw fadd relaxed gpu %p, %x, mask %m : !eft.ptr<f64>
  eft.store %out, %0 : !eft.ptr<f64>
  return
}

// -----

// One thread loads, and passes the value to the others. The earlier accesses of all threads precede the
// store.
// CHECK-LABEL: @flag
func.func @flag(%p: !eft.ptr<i8>, %q: !eft.ptr<i8>) {
  // CHECK: %[[MINE:.*]] = arith.cmpi eq
  // CHECK: %[[BYTE:.*]] = eft.thread_atomic_load acquire gpu %{{.*}} if %[[MINE]] : !llvm.ptr<1> -> i8
  // CHECK: llvm.bitcast %[[BYTE]]
  // CHECK: llvm.store %{{.*}}, %{{.*}} : i8, !llvm.ptr<3>
  // CHECK: %[[FOUND:.*]] = llvm.bitcast %{{.*}} : i8 to i8
  // CHECK: nvvm.barrier0
  // CHECK: eft.thread_atomic_store release gpu %{{.*}}, %[[FOUND]] if %[[MINE]] : !llvm.ptr<1>, i8
  %x = eft.atomic_load acquire gpu %p : !eft.ptr<i8>
  eft.atomic_store release gpu %q, %x : !eft.ptr<i8>
  return
}

// -----

#layout = #eft.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]>

// No two threads hold the same element, so no result is passed on, and no barrier is needed. One fence
// before all accesses of a thread and one after them order them; the accesses themselves are relaxed.
// CHECK-LABEL: @each_thread_its_own
func.func @each_thread_its_own(%ps: !eft.ptr<i32>, %out: !eft.ptr<i32>, %x: i32) {
  // CHECK-NOT: nvvm.barrier0
  // CHECK: eft.thread_fence gpu
  // CHECK-NOT: eft.thread_fence
  // CHECK-COUNT-2: eft.thread_atomic_rmw add relaxed gpu %{{.*}}, %arg2 : !llvm.ptr<1>, i32
  // CHECK-NOT: atomic
  // CHECK: eft.thread_fence gpu
  // CHECK-NOT: eft.thread_fence
  // CHECK-NOT: nvvm.barrier0
  %p = eft.splat %ps : !eft.ptr<i32> -> tensor<128x!eft.ptr<i32>, #layout>
  %q = eft.splat %out : !eft.ptr<i32> -> tensor<128x!eft.ptr<i32>, #layout>
  %xs = eft.splat %x : i32 -> tensor<128xi32, #layout>
  %0 = eft.atomic_rmw add acq_rel gpu %p, %xs : tensor<128x!eft.ptr<i32>, #layout>
  eft.store %q, %0 : tensor<128x!eft.ptr<i32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [], lane = [[1], [2], [4], [0], [0]], warp = [[0]]>

// 64 threads hold 8 elements. Each thread reads the result at the position of the thread that did the
// operation.
// CHECK-LABEL: @fewer_elements_than_threads
// CHECK-SAME: eft.shared_bytes = 512 : i32
func.func @fewer_elements_than_threads(%p: !eft.ptr<i32>, %x: i32) {
  // CHECK: arith.andi %{{.*}}, %c56
  // CHECK: eft.thread_atomic_rmw add relaxed gpu %{{.*}}, %{{.*}} if
  // CHECK: %[[OWNER:.*]] = arith.andi %{{.*}}, %c-57
  // CHECK: %[[SLOT:.*]] = llvm.getelementptr %{{.*}}[%[[OWNER]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
  // CHECK: nvvm.barrier0
  // CHECK: llvm.load %[[SLOT]]
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<8x!eft.ptr<i32>, #layout>
  %xs = eft.splat %x : i32 -> tensor<8xi32, #layout>
  %0 = eft.atomic_rmw add relaxed gpu %ps, %xs : tensor<8x!eft.ptr<i32>, #layout>
  eft.store %ps, %0 : tensor<8x!eft.ptr<i32>, #layout>
  return
}

// -----

// Before the next iteration writes its result, all threads must have read the result of this one. The
// barrier before the operation, which releases, ensures this, too.
// CHECK-LABEL: @spin
func.func @spin(%lock: !eft.ptr<i32>) {
  %free = arith.constant 0 : i32
  %taken = arith.constant 1 : i32
  // CHECK: scf.while
  // CHECK: nvvm.barrier0
  // CHECK-NOT: nvvm.barrier0
  // CHECK: eft.thread_atomic_cas acq_rel gpu
  // CHECK-NOT: nvvm.barrier0
  // CHECK: llvm.store
  // CHECK: nvvm.barrier0
  // CHECK-NEXT: llvm.load
  // CHECK-NOT: nvvm.barrier0
  // CHECK: scf.condition
  scf.while : () -> () {
    %old = eft.atomic_cas acq_rel gpu %lock, %free, %taken : !eft.ptr<i32>
    %isTaken = arith.cmpi ne, %old, %free : i32
    scf.condition(%isTaken)
  } do {
    scf.yield
  }
  return
}

// -----

// The result goes through the shared memory that a reduction has used before.
// CHECK-LABEL: @behind_another_use
func.func @behind_another_use(%p: !eft.ptr<i32>, %x: i32) {
  // CHECK: eft.thread_atomic_rmw add relaxed gpu
  // CHECK-NOT: nvvm.barrier0
  // CHECK: llvm.store
  // CHECK: nvvm.barrier0
  // CHECK-NEXT: llvm.load
  // CHECK: eft.thread_atomic_rmw add relaxed gpu
  // CHECK: nvvm.barrier0
  // CHECK: llvm.store
  // CHECK: nvvm.barrier0
  // CHECK-NEXT: llvm.load
  %0 = eft.atomic_rmw add relaxed gpu %p, %x : !eft.ptr<i32>
  %1 = eft.atomic_rmw add relaxed gpu %p, %0 : !eft.ptr<i32>
  eft.store %p, %1 : !eft.ptr<i32>
  return
}

// -----

// Loads before and after the atomic operation must not read values from the other side of it.
// CHECK-LABEL: @between_loads
func.func @between_loads(%p: !eft.ptr<i32>, %q: !eft.ptr<i32>, %x: i32) {
  // CHECK: llvm.load
  // CHECK: nvvm.barrier0
  // CHECK: eft.thread_atomic_rmw add relaxed gpu
  // CHECK: nvvm.barrier0
  // CHECK: llvm.load
  %0 = eft.load %p : !eft.ptr<i32>
  eft.atomic_rmw add relaxed gpu %p, %x : !eft.ptr<i32>
  %1 = eft.load %p : !eft.ptr<i32>
  %2 = arith.addi %0, %1 : i32
  eft.store %q, %2 : !eft.ptr<i32>
  return
}

// -----

#layout = #eft.layout<register = [[0]], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>

func.func @copies_in_registers(%p: !eft.ptr<i32>, %x: i32) {
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<64x!eft.ptr<i32>, #layout>
  %xs = eft.splat %x : i32 -> tensor<64xi32, #layout>
  // expected-error @+1 {{'eft.atomic_rmw' op must be done once for each element, but the layout has copies of another kind than whole threads, got}}
  %0 = eft.atomic_rmw add relaxed gpu %ps, %xs : tensor<64x!eft.ptr<i32>, #layout>
  return
}
