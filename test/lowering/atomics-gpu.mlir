// RUN: eft-opt %s -split-input-file -verify-diagnostics -eft-lower-to-gpu=num-warps=2 -cse | FileCheck %s

// A lock: what all threads did before stands before the release, what they do after behind the acquire.
// CHECK-LABEL: @lock
// CHECK-NOT: llvm.mlir.global
func.func @lock(%lock: !eft.ptr<i32>) {
  // CHECK: %[[MINE:.*]] = arith.cmpi eq
  // CHECK-NOT: nvvm.barrier0
  // CHECK: llvm.inline_asm has_side_effects "mov.b32 $0, 0; @$4 atom.global.acquire.gpu.cas.b32 $0, [$1], $2, $3;", "=&r,l,r,r,b,~{memory}" {{.*}}, %[[MINE]]
  // CHECK-NEXT: nvvm.barrier0
  // CHECK-NEXT: nvvm.barrier0
  // CHECK: @$3 atom.global.gpu.release.exch.b32
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
  // CHECK: llvm.inline_asm has_side_effects "mov.b64 $0, 0; @$3 atom.global.gpu.relaxed.add.f64 $0, [$1], $2;", "=&l,l,l,b,~{memory}" {{.*}}, %[[MASK]]
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

// One thread loads, and gives the others what it found; what all did before stands before the store.
// CHECK-LABEL: @flag
func.func @flag(%p: !eft.ptr<i8>, %q: !eft.ptr<i8>) {
  // CHECK: %[[MINE:.*]] = arith.cmpi eq
  // CHECK: %[[WIDE:.*]] = llvm.inline_asm has_side_effects "mov.b16 $0, 0; @$2 ld.acquire.gpu.global.b8 $0, [$1];", "=&h,l,b,~{memory}" %{{.*}}, %[[MINE]] : (i64, i1) -> i16
  // CHECK: %[[BYTE:.*]] = arith.trunci %[[WIDE]] : i16 to i8
  // CHECK: llvm.bitcast %[[BYTE]]
  // CHECK: llvm.store %{{.*}}, %{{.*}} : i8, !llvm.ptr<3>
  // CHECK: %[[FOUND:.*]] = llvm.bitcast %{{.*}} : i8 to i8
  // CHECK: nvvm.barrier0
  // CHECK: %[[VALUE:.*]] = arith.extui %[[FOUND]] : i8 to i16
  // CHECK: llvm.inline_asm has_side_effects "@$2 st.release.gpu.global.b8 [$0], $1;", "l,h,b,~{memory}" %{{.*}}, %[[VALUE]], %[[MINE]]
  %x = eft.atomic_load acquire gpu %p : !eft.ptr<i8>
  eft.atomic_store release gpu %q, %x : !eft.ptr<i8>
  return
}

// -----

#layout = #eft.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]>

// Each thread has elements of its own: nothing is to be handed on, and nobody waits.
// CHECK-LABEL: @each_thread_its_own
func.func @each_thread_its_own(%ps: !eft.ptr<i32>, %out: !eft.ptr<i32>, %x: i32) {
  // CHECK-NOT: nvvm.barrier0
  // CHECK-COUNT-2: "atom.global.gpu.acq_rel.add.u32 $0, [$1], $2;", "=r,l,r,~{memory}"
  // CHECK-NOT: atom
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

// 64 threads hold 8 elements; the others look at the slot of the one that did the work.
// CHECK-LABEL: @fewer_elements_than_threads
// CHECK-SAME: eft.shared_bytes = 512 : i32
func.func @fewer_elements_than_threads(%p: !eft.ptr<i32>, %x: i32) {
  // CHECK: arith.andi %{{.*}}, %c56
  // CHECK: @$3 atom.global.gpu.relaxed
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

// Before the next turn writes its result, all must have read that of this one; the barrier in front
// of the operation, which releases, does that too.
// CHECK-LABEL: @spin
func.func @spin(%lock: !eft.ptr<i32>) {
  %free = arith.constant 0 : i32
  %taken = arith.constant 1 : i32
  // CHECK: scf.while
  // CHECK: nvvm.barrier0
  // CHECK-NOT: nvvm.barrier0
  // CHECK: atom.global.acq_rel.gpu.cas
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

// The result goes through the memory that reductions use, after them.
// CHECK-LABEL: @behind_another_use
func.func @behind_another_use(%p: !eft.ptr<i32>, %x: i32) {
  // CHECK: atom.global.gpu.relaxed
  // CHECK-NOT: nvvm.barrier0
  // CHECK: llvm.store
  // CHECK: nvvm.barrier0
  // CHECK-NEXT: llvm.load
  // CHECK: atom.global.gpu.relaxed
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

// What is loaded before and after is not that of another time.
// CHECK-LABEL: @between_loads
func.func @between_loads(%p: !eft.ptr<i32>, %q: !eft.ptr<i32>, %x: i32) {
  // CHECK: llvm.load
  // CHECK: nvvm.barrier0
  // CHECK: atom.global.gpu.relaxed
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
