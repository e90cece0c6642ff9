// RUN: eft-opt %s -eft-skip-masked | FileCheck %s

// A chain of operations on two masked elements is put under a branch on the mask of the first element.
// The value for false masks is computed once, before the branch.
// CHECK-LABEL: @row
// CHECK: %[[X:.*]] = eft.thread_load {{.*}} if %{{.*}} else %[[OTHER:.*]] : !llvm.ptr<1> -> i32
// CHECK: %[[MASKED:.*]] = arith.xori %[[OTHER]], %[[D:[a-z0-9]+]]
// CHECK-COUNT-15: arith.xori
// CHECK-NOT: arith.xori
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[BASE:.*]], %arg1
// CHECK: %[[Z:.*]]:2 = scf.if %[[INSIDE]] -> (i32, i32) {
// CHECK: arith.xori %[[X]], %[[D]]
// CHECK-COUNT-31: arith.xori
// CHECK-NOT: arith.xori
// CHECK: } else {
// CHECK: scf.yield %[[V:.*]], %[[V]] : i32, i32
// CHECK: }
// CHECK: return %[[Z]]#0, %[[Z]]#1

// A mask that depends on the program is false in few programs, so a branch would rarely help.
// CHECK-LABEL: @programs
// CHECK-NOT: scf.if

// A short chain costs no more than a branch.
// CHECK-LABEL: @short
// CHECK-NOT: scf.if

// Different numbers are added to the elements, so the elements are not equal where the mask is false.
// CHECK-LABEL: @different
// CHECK-NOT: scf.if
// CHECK-COUNT-32: arith.xori
// CHECK-NOT: arith.xori

// The load's condition may be true where the mask is false, so its result is not known there.
// CHECK-LABEL: @mask_or_flag
// CHECK-NOT: scf.if

// A comparison with a bound that is computed from an element is an operation on the element, not its
// mask.
// CHECK-LABEL: @bound_of_an_element
// CHECK-COUNT-32: arith.xori
// CHECK: %[[OWN:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : i32
// CHECK: return %{{.*}}, %{{.*}}, %[[OWN]]

func.func @row(%p: !llvm.ptr<1>, %n: i32, %d: i32, %o: i32) -> (i32, i32) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %base = arith.muli %tid, %c2 : i32
  %next = arith.addi %base, %c1 overflow<nsw> : i32
  %m0 = arith.cmpi slt, %base, %n : i32
  %m1 = arith.cmpi slt, %next, %n : i32
  %x0 = eft.thread_load %p if %m0 else %o : !llvm.ptr<1> -> i32
  %x1 = eft.thread_load %p if %m1 else %o : !llvm.ptr<1> -> i32
  %s0_0 = arith.xori %x0, %d : i32
  %s1_0 = arith.xori %x1, %d : i32
  %s0_1 = arith.xori %s0_0, %d : i32
  %s1_1 = arith.xori %s1_0, %d : i32
  %s0_2 = arith.xori %s0_1, %d : i32
  %s1_2 = arith.xori %s1_1, %d : i32
  %s0_3 = arith.xori %s0_2, %d : i32
  %s1_3 = arith.xori %s1_2, %d : i32
  %s0_4 = arith.xori %s0_3, %d : i32
  %s1_4 = arith.xori %s1_3, %d : i32
  %s0_5 = arith.xori %s0_4, %d : i32
  %s1_5 = arith.xori %s1_4, %d : i32
  %s0_6 = arith.xori %s0_5, %d : i32
  %s1_6 = arith.xori %s1_5, %d : i32
  %s0_7 = arith.xori %s0_6, %d : i32
  %s1_7 = arith.xori %s1_6, %d : i32
  %s0_8 = arith.xori %s0_7, %d : i32
  %s1_8 = arith.xori %s1_7, %d : i32
  %s0_9 = arith.xori %s0_8, %d : i32
  %s1_9 = arith.xori %s1_8, %d : i32
  %s0_10 = arith.xori %s0_9, %d : i32
  %s1_10 = arith.xori %s1_9, %d : i32
  %s0_11 = arith.xori %s0_10, %d : i32
  %s1_11 = arith.xori %s1_10, %d : i32
  %s0_12 = arith.xori %s0_11, %d : i32
  %s1_12 = arith.xori %s1_11, %d : i32
  %s0_13 = arith.xori %s0_12, %d : i32
  %s1_13 = arith.xori %s1_12, %d : i32
  %s0_14 = arith.xori %s0_13, %d : i32
  %s1_14 = arith.xori %s1_13, %d : i32
  %s0_15 = arith.xori %s0_14, %d : i32
  %s1_15 = arith.xori %s1_14, %d : i32
  return %s0_15, %s1_15 : i32, i32
}

func.func @programs(%p: !llvm.ptr<1>, %n: i32, %d: i32, %o: i32) -> (i32, i32) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %pid = nvvm.read.ptx.sreg.ctaid.x : i32
  %t = arith.addi %tid, %pid : i32
  %base = arith.muli %t, %c2 : i32
  %next = arith.addi %base, %c1 overflow<nsw> : i32
  %m0 = arith.cmpi slt, %base, %n : i32
  %m1 = arith.cmpi slt, %next, %n : i32
  %x0 = eft.thread_load %p if %m0 else %o : !llvm.ptr<1> -> i32
  %x1 = eft.thread_load %p if %m1 else %o : !llvm.ptr<1> -> i32
  %s0_0 = arith.xori %x0, %d : i32
  %s1_0 = arith.xori %x1, %d : i32
  %s0_1 = arith.xori %s0_0, %d : i32
  %s1_1 = arith.xori %s1_0, %d : i32
  %s0_2 = arith.xori %s0_1, %d : i32
  %s1_2 = arith.xori %s1_1, %d : i32
  %s0_3 = arith.xori %s0_2, %d : i32
  %s1_3 = arith.xori %s1_2, %d : i32
  %s0_4 = arith.xori %s0_3, %d : i32
  %s1_4 = arith.xori %s1_3, %d : i32
  %s0_5 = arith.xori %s0_4, %d : i32
  %s1_5 = arith.xori %s1_4, %d : i32
  %s0_6 = arith.xori %s0_5, %d : i32
  %s1_6 = arith.xori %s1_5, %d : i32
  %s0_7 = arith.xori %s0_6, %d : i32
  %s1_7 = arith.xori %s1_6, %d : i32
  %s0_8 = arith.xori %s0_7, %d : i32
  %s1_8 = arith.xori %s1_7, %d : i32
  %s0_9 = arith.xori %s0_8, %d : i32
  %s1_9 = arith.xori %s1_8, %d : i32
  %s0_10 = arith.xori %s0_9, %d : i32
  %s1_10 = arith.xori %s1_9, %d : i32
  %s0_11 = arith.xori %s0_10, %d : i32
  %s1_11 = arith.xori %s1_10, %d : i32
  %s0_12 = arith.xori %s0_11, %d : i32
  %s1_12 = arith.xori %s1_11, %d : i32
  %s0_13 = arith.xori %s0_12, %d : i32
  %s1_13 = arith.xori %s1_12, %d : i32
  %s0_14 = arith.xori %s0_13, %d : i32
  %s1_14 = arith.xori %s1_13, %d : i32
  %s0_15 = arith.xori %s0_14, %d : i32
  %s1_15 = arith.xori %s1_14, %d : i32
  return %s0_15, %s1_15 : i32, i32
}

func.func @short(%p: !llvm.ptr<1>, %n: i32, %d: i32, %o: i32) -> (i32, i32) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %base = arith.muli %tid, %c2 : i32
  %next = arith.addi %base, %c1 overflow<nsw> : i32
  %m0 = arith.cmpi slt, %base, %n : i32
  %m1 = arith.cmpi slt, %next, %n : i32
  %x0 = eft.thread_load %p if %m0 else %o : !llvm.ptr<1> -> i32
  %x1 = eft.thread_load %p if %m1 else %o : !llvm.ptr<1> -> i32
  %s0_0 = arith.xori %x0, %d : i32
  %s1_0 = arith.xori %x1, %d : i32
  %s0_1 = arith.xori %s0_0, %d : i32
  %s1_1 = arith.xori %s1_0, %d : i32
  %s0_2 = arith.xori %s0_1, %d : i32
  %s1_2 = arith.xori %s1_1, %d : i32
  return %s0_2, %s1_2 : i32, i32
}

func.func @different(%p: !llvm.ptr<1>, %n: i32, %d: i32, %o: i32) -> (i32, i32) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %base = arith.muli %tid, %c2 : i32
  %next = arith.addi %base, %c1 overflow<nsw> : i32
  %m0 = arith.cmpi slt, %base, %n : i32
  %m1 = arith.cmpi slt, %next, %n : i32
  %x0 = eft.thread_load %p if %m0 else %o : !llvm.ptr<1> -> i32
  %x1 = eft.thread_load %p if %m1 else %o : !llvm.ptr<1> -> i32
  %y0 = arith.addi %x0, %base : i32
  %y1 = arith.addi %x1, %next : i32
  %s0_0 = arith.xori %y0, %d : i32
  %s1_0 = arith.xori %y1, %d : i32
  %s0_1 = arith.xori %s0_0, %d : i32
  %s1_1 = arith.xori %s1_0, %d : i32
  %s0_2 = arith.xori %s0_1, %d : i32
  %s1_2 = arith.xori %s1_1, %d : i32
  %s0_3 = arith.xori %s0_2, %d : i32
  %s1_3 = arith.xori %s1_2, %d : i32
  %s0_4 = arith.xori %s0_3, %d : i32
  %s1_4 = arith.xori %s1_3, %d : i32
  %s0_5 = arith.xori %s0_4, %d : i32
  %s1_5 = arith.xori %s1_4, %d : i32
  %s0_6 = arith.xori %s0_5, %d : i32
  %s1_6 = arith.xori %s1_5, %d : i32
  %s0_7 = arith.xori %s0_6, %d : i32
  %s1_7 = arith.xori %s1_6, %d : i32
  %s0_8 = arith.xori %s0_7, %d : i32
  %s1_8 = arith.xori %s1_7, %d : i32
  %s0_9 = arith.xori %s0_8, %d : i32
  %s1_9 = arith.xori %s1_8, %d : i32
  %s0_10 = arith.xori %s0_9, %d : i32
  %s1_10 = arith.xori %s1_9, %d : i32
  %s0_11 = arith.xori %s0_10, %d : i32
  %s1_11 = arith.xori %s1_10, %d : i32
  %s0_12 = arith.xori %s0_11, %d : i32
  %s1_12 = arith.xori %s1_11, %d : i32
  %s0_13 = arith.xori %s0_12, %d : i32
  %s1_13 = arith.xori %s1_12, %d : i32
  %s0_14 = arith.xori %s0_13, %d : i32
  %s1_14 = arith.xori %s1_13, %d : i32
  %s0_15 = arith.xori %s0_14, %d : i32
  %s1_15 = arith.xori %s1_14, %d : i32
  return %s0_15, %s1_15 : i32, i32
}

func.func @mask_or_flag(%p: !llvm.ptr<1>, %n: i32, %d: i32, %o: i32, %flag: i1) -> (i32, i32) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %base = arith.muli %tid, %c2 : i32
  %next = arith.addi %base, %c1 overflow<nsw> : i32
  %m0 = arith.cmpi slt, %base, %n : i32
  %m1 = arith.cmpi slt, %next, %n : i32
  %c0 = arith.ori %m0, %flag : i1
  %x0 = eft.thread_load %p if %c0 else %o : !llvm.ptr<1> -> i32
  %c1_or = arith.ori %m1, %flag : i1
  %x1 = eft.thread_load %p if %c1_or else %o : !llvm.ptr<1> -> i32
  %s0_0 = arith.xori %x0, %d : i32
  %s1_0 = arith.xori %x1, %d : i32
  %s0_1 = arith.xori %s0_0, %d : i32
  %s1_1 = arith.xori %s1_0, %d : i32
  %s0_2 = arith.xori %s0_1, %d : i32
  %s1_2 = arith.xori %s1_1, %d : i32
  %s0_3 = arith.xori %s0_2, %d : i32
  %s1_3 = arith.xori %s1_2, %d : i32
  %s0_4 = arith.xori %s0_3, %d : i32
  %s1_4 = arith.xori %s1_3, %d : i32
  %s0_5 = arith.xori %s0_4, %d : i32
  %s1_5 = arith.xori %s1_4, %d : i32
  %s0_6 = arith.xori %s0_5, %d : i32
  %s1_6 = arith.xori %s1_5, %d : i32
  %s0_7 = arith.xori %s0_6, %d : i32
  %s1_7 = arith.xori %s1_6, %d : i32
  %s0_8 = arith.xori %s0_7, %d : i32
  %s1_8 = arith.xori %s1_7, %d : i32
  %s0_9 = arith.xori %s0_8, %d : i32
  %s1_9 = arith.xori %s1_8, %d : i32
  %s0_10 = arith.xori %s0_9, %d : i32
  %s1_10 = arith.xori %s1_9, %d : i32
  %s0_11 = arith.xori %s0_10, %d : i32
  %s1_11 = arith.xori %s1_10, %d : i32
  %s0_12 = arith.xori %s0_11, %d : i32
  %s1_12 = arith.xori %s1_11, %d : i32
  %s0_13 = arith.xori %s0_12, %d : i32
  %s1_13 = arith.xori %s1_12, %d : i32
  %s0_14 = arith.xori %s0_13, %d : i32
  %s1_14 = arith.xori %s1_13, %d : i32
  %s0_15 = arith.xori %s0_14, %d : i32
  %s1_15 = arith.xori %s1_14, %d : i32
  return %s0_15, %s1_15 : i32, i32
}

func.func @bound_of_an_element(%p: !llvm.ptr<1>, %n: i32, %d: i32, %o: i32) -> (i32, i32, i1) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %base = arith.muli %tid, %c2 : i32
  %next = arith.addi %base, %c1 overflow<nsw> : i32
  %m0 = arith.cmpi slt, %base, %n : i32
  %m1 = arith.cmpi slt, %next, %n : i32
  %x0 = eft.thread_load %p if %m0 else %o : !llvm.ptr<1> -> i32
  %x1 = eft.thread_load %p if %m1 else %o : !llvm.ptr<1> -> i32
  %s0_0 = arith.xori %x0, %d : i32
  %s1_0 = arith.xori %x1, %d : i32
  %s0_1 = arith.xori %s0_0, %d : i32
  %s1_1 = arith.xori %s1_0, %d : i32
  %s0_2 = arith.xori %s0_1, %d : i32
  %s1_2 = arith.xori %s1_1, %d : i32
  %s0_3 = arith.xori %s0_2, %d : i32
  %s1_3 = arith.xori %s1_2, %d : i32
  %s0_4 = arith.xori %s0_3, %d : i32
  %s1_4 = arith.xori %s1_3, %d : i32
  %s0_5 = arith.xori %s0_4, %d : i32
  %s1_5 = arith.xori %s1_4, %d : i32
  %s0_6 = arith.xori %s0_5, %d : i32
  %s1_6 = arith.xori %s1_5, %d : i32
  %s0_7 = arith.xori %s0_6, %d : i32
  %s1_7 = arith.xori %s1_6, %d : i32
  %s0_8 = arith.xori %s0_7, %d : i32
  %s1_8 = arith.xori %s1_7, %d : i32
  %s0_9 = arith.xori %s0_8, %d : i32
  %s1_9 = arith.xori %s1_8, %d : i32
  %s0_10 = arith.xori %s0_9, %d : i32
  %s1_10 = arith.xori %s1_9, %d : i32
  %s0_11 = arith.xori %s0_10, %d : i32
  %s1_11 = arith.xori %s1_10, %d : i32
  %s0_12 = arith.xori %s0_11, %d : i32
  %s1_12 = arith.xori %s1_11, %d : i32
  %s0_13 = arith.xori %s0_12, %d : i32
  %s1_13 = arith.xori %s1_12, %d : i32
  %s0_14 = arith.xori %s0_13, %d : i32
  %s1_14 = arith.xori %s1_13, %d : i32
  %s0_15 = arith.xori %s0_14, %d : i32
  %s1_15 = arith.xori %s1_14, %d : i32
  %own = arith.cmpi slt, %base, %s0_15 : i32
  return %s0_15, %s1_15, %own : i32, i32, i1
}
