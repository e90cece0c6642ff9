// RUN: eft-opt %s -eft-lower-to-cpu=stoppable -canonicalize | FileCheck %s
// RUN: eft-opt %s -eft-lower-to-cpu=stoppable -eft-lower-to-llvm | FileCheck %s --check-prefix=LLVM
// RUN: eft-opt %s -eft-lower-to-cpu | FileCheck %s --check-prefix=NOT --implicit-check-not=eft$

// NOT: func.func @a_loop_of_unknown_length

// CHECK-DAG: llvm.func @eft$poll() -> i32 attributes {memory = #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = readwrite>, passthrough = ["cold", "nounwind"]}
// CHECK-DAG: llvm.mlir.global external @eft$attention() {{.*}}: i32

// CHECK-LABEL: func.func private @a_loop_of_unknown_length.program
func.func @a_loop_of_unknown_length(%p: !eft.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: scf.for
  // CHECK: %[[SEEN:.*]] = llvm.load volatile %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> i32
  // CHECK: %[[RAISED:.*]] = arith.cmpi ne, %[[SEEN]], %c0
  // CHECK: %[[EXPECTED:.*]] = llvm.intr.expect %[[RAISED]], %false
  // CHECK: scf.if %[[EXPECTED]]
  // CHECK: %[[ANSWER:.*]] = llvm.call @eft$poll()
  // CHECK: %[[STOPPED:.*]] = arith.cmpi ne, %[[ANSWER]], %c0
  // CHECK: scf.if %[[STOPPED]]
  // CHECK: eft.stop
  scf.for %i = %c0 to %n step %c1 : i32 {
    eft.store %p, %i : !eft.ptr<i32>
  }
  return
}
// The loop over programs polls before each program.
// CHECK-LABEL: func.func @a_loop_of_unknown_length(
// CHECK: scf.for
// CHECK: llvm.load volatile
// CHECK: eft.stop
// CHECK: call @a_loop_of_unknown_length.program

// LLVM-LABEL: llvm.func internal @a_loop_of_unknown_length.program
// LLVM: llvm.call @eft$poll
// LLVM: llvm.cond_br %{{.*}}, ^[[STOP:.*]], ^
// LLVM: ^[[STOP]]:
// LLVM-NEXT: llvm.return

// CHECK-LABEL: func.func private @a_while.program
func.func @a_while(%p: !eft.ptr<i32>, %n: i32) {
  // CHECK: scf.while
  // CHECK: } do {
  // CHECK: llvm.load volatile
  // CHECK: eft.stop
  scf.while : () -> () {
    %x = eft.load %p : !eft.ptr<i32>
    %c = arith.cmpi slt, %x, %n : i32
    scf.condition(%c)
  } do {
    scf.yield
  }
  return
}

// 64 iterations are few, and so are 4 times 64, so these loops do not poll.
// CHECK-LABEL: func.func private @loops_that_are_short.program
// CHECK-NOT: volatile
// CHECK-LABEL: func.func @loops_that_are_short(
func.func @loops_that_are_short(%p: !eft.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c64 = arith.constant 64 : i32
  scf.for %i = %c0 to %c4 step %c1 : i32 {
    scf.for %j = %c0 to %c64 step %c1 : i32 {
      eft.store %p, %j : !eft.ptr<i32>
    }
  }
  return
}

// 64 times 64 iterations are many, so the outer loop polls.
// CHECK-LABEL: func.func private @loops_that_are_long_together.program
// CHECK: scf.for
// CHECK: llvm.load volatile
// CHECK: scf.for
// CHECK-NOT: volatile
// CHECK-LABEL: func.func @loops_that_are_long_together(
func.func @loops_that_are_long_together(%p: !eft.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  scf.for %i = %c0 to %c64 step %c1 : i32 {
    scf.for %j = %c0 to %c64 step %c1 : i32 {
      eft.store %p, %j : !eft.ptr<i32>
    }
  }
  return
}

// CHECK-LABEL: func.func private @a_loop_of_steps.program
// CHECK-NOT: volatile
// CHECK-LABEL: func.func @a_loop_of_steps(
func.func @a_loop_of_steps(%p: !eft.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    eft.store %p, %i : !eft.ptr<i32>
  } {eft.of_steps}
  return
}

// CHECK-LABEL: func.func private @a_loop_that_stays_where_it_is.program
// CHECK: scf.for
// CHECK: volatile
// CHECK-LABEL: func.func @a_loop_that_stays_where_it_is(
func.func @a_loop_that_stays_where_it_is(%p: !eft.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  scf.for %i = %c0 to %c4 step %c0 : i32 {
    eft.store %p, %i : !eft.ptr<i32>
  }
  return
}
