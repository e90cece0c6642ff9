// RUN: eft-opt %s -split-input-file -eft-lower-to-gpu=num-warps=2 -cse | FileCheck %s

// Another program may write the value that each thread loads for itself. Either all threads must reach
// the barrier or none, so they vote.
// CHECK-LABEL: @branch
func.func @branch(%flag: !eft.ptr<i32>) {
  // CHECK: %[[SEEN:.*]] = llvm.load
  // CHECK: %[[MINE:.*]] = arith.cmpi ne, %[[SEEN]]
  // CHECK: %[[WIDE:.*]] = arith.extui %[[MINE]] : i1 to i32
  // CHECK: %[[ANY:.*]] = llvm.call_intrinsic "llvm.nvvm.barrier0.or"(%[[WIDE]])
  // CHECK: %[[ALL:.*]] = arith.cmpi ne, %[[ANY]]
  // CHECK: scf.if %[[ALL]] {
  // CHECK-NEXT: nvvm.barrier0
  %zero = arith.constant 0 : i32
  %seen = eft.load %flag : !eft.ptr<i32>
  %set = arith.cmpi ne, %seen, %zero : i32
  scf.if %set {
    eft.barrier
  }
  return
}

// -----

// The branch contains no convergent operation, so threads may diverge.
// CHECK-LABEL: @no_barrier_inside
func.func @no_barrier_inside(%flag: !eft.ptr<i32>, %out: !eft.ptr<i64>) {
  // CHECK-NOT: llvm.nvvm.barrier0.or
  // CHECK: scf.if
  %zero = arith.constant 0 : i32
  %seen = eft.load %flag : !eft.ptr<i32>
  %set = arith.cmpi ne, %seen, %zero : i32
  scf.if %set {
    eft.print "set"
  }
  return
}

// -----

// Arguments and the program's position in the grid are the same in all threads.
// CHECK-LABEL: @known_to_all
func.func @known_to_all(%n: i32) {
  // CHECK-NOT: llvm.nvvm.barrier0.or
  // CHECK: scf.if
  %pid = eft.program_id x
  %first = arith.cmpi slt, %pid, %n : i32
  scf.if %first {
    eft.barrier
  }
  return
}

// -----

// One thread does the atomic operation and passes its result to all threads, so they agree on it.
// CHECK-LABEL: @last_program
func.func @last_program(%count: !eft.ptr<i32>, %n: i32) {
  // CHECK-NOT: llvm.nvvm.barrier0.or
  // CHECK: scf.if
  %one = arith.constant 1 : i32
  %old = eft.atomic_rmw add acq_rel gpu %count, %one : !eft.ptr<i32>
  %last = arith.cmpi eq, %old, %n : i32
  scf.if %last {
    eft.barrier
  }
  return
}

// -----

// A value that a conditional yields depends on memory if its condition does, although the conditional
// contains no barrier. The outer conditional then contains a vote, so it needs a vote, too.
// CHECK-LABEL: @by_way_of_a_choice
func.func @by_way_of_a_choice(%outer: !eft.ptr<i8>, %inner: !eft.ptr<i8>) {
  // CHECK: llvm.load
  // CHECK: llvm.nvvm.barrier0.or
  // CHECK: scf.if
  // CHECK: llvm.load
  // CHECK-NOT: llvm.nvvm.barrier0.or
  // CHECK: %[[WAY:.*]] = scf.if
  // CHECK: vprintf
  // CHECK: arith.extui %[[WAY]]
  // CHECK: llvm.nvvm.barrier0.or
  // CHECK: scf.if
  // CHECK-NEXT: nvvm.barrier0
  %zero = arith.constant 0 : i8
  %loaded = eft.load %outer : !eft.ptr<i8>
  %o = arith.cmpi ne, %loaded, %zero : i8
  scf.if %o {
    %also = eft.load %inner : !eft.ptr<i8>
    %i = arith.cmpi ne, %also, %zero : i8
    %true = arith.constant true
    %false = arith.constant false
    %way = scf.if %i -> i1 {
      eft.print " taken"
      scf.yield %false : i1
    } else {
      scf.yield %true : i1
    }
    scf.if %way {
      eft.barrier
    }
  }
  return
}

// -----

// CHECK-LABEL: @loops
// CHECK-SAME: eft.shared_bytes = 8 : i32
func.func @loops(%count: !eft.ptr<i32>) {
  // All threads use the first thread's number of iterations.
  // CHECK: %[[SEEN:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> i32
  // CHECK: nvvm.barrier0
  // CHECK: scf.if
  // CHECK-NEXT: llvm.store %[[SEEN]], %[[PLACE:.*]] : i32, !llvm.ptr<3>
  // CHECK: nvvm.barrier0
  // CHECK-NEXT: %[[COMMON:.*]] = llvm.load %[[PLACE]] : !llvm.ptr<3> -> i32
  // CHECK-NEXT: nvvm.barrier0
  // CHECK: scf.for %{{.*}} = %c0{{.*}} to %[[COMMON]] step
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = eft.load %count : !eft.ptr<i32>
  scf.for %i = %zero to %n step %one : i32 {
    eft.barrier
  }
  // CHECK: scf.while
  // CHECK: llvm.load
  // CHECK: llvm.nvvm.barrier0.or
  // CHECK: scf.condition
  scf.while : () -> () {
    %left = eft.load %count volatile : !eft.ptr<i32>
    %goesOn = arith.cmpi ne, %left, %zero : i32
    scf.condition(%goesOn)
  } do {
    eft.barrier
    scf.yield
  }
  // A loop that only waits for another program needs no vote.
  // CHECK: scf.while
  // CHECK-NOT: llvm.nvvm.barrier0.or
  // CHECK: scf.condition
  scf.while : () -> () {
    %left = eft.load %count volatile : !eft.ptr<i32>
    %goesOn = arith.cmpi ne, %left, %zero : i32
    scf.condition(%goesOn)
  } do {
    scf.yield
  }
  return
}

// -----

// A pipelined loop has its bounds from the first thread. The operation needs no code if all threads have
// the same number anyhow.
// CHECK-LABEL: @of_first_thread
// CHECK-SAME: %[[N:[a-z0-9]+]]: i32
func.func @of_first_thread(%count: !eft.ptr<i32>, %out: !eft.ptr<i32>, %n: i32) {
  // CHECK: %[[MINE:.*]] = llvm.load
  // CHECK: nvvm.barrier0
  // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32
  // CHECK: scf.if %[[FIRST]] {
  // CHECK-NEXT: llvm.store %[[MINE]], %[[PLACE:.*]] :
  // CHECK: nvvm.barrier0
  // CHECK-NEXT: %[[ALL:.*]] = llvm.load %[[PLACE]]
  // CHECK-NEXT: nvvm.barrier0
  // CHECK-NOT: nvvm.barrier0
  // CHECK: arith.addi %[[ALL]], %[[N]]
  %mine = eft.load %count : !eft.ptr<i32>
  %all = eft.of_first_thread %mine : i32
  %same = eft.of_first_thread %n : i32
  %sum = arith.addi %all, %same : i32
  eft.store %out, %sum : !eft.ptr<i32>
  return
}
