// RUN: eft-opt %s -eft-mask-distances | FileCheck %s

// Four masks of a thread become comparisons of one difference, n - base, with constants. After a barrier
// the difference is base - n.
// CHECK-LABEL: @row
// CHECK: %[[LEAST:.*]] = arith.maxsi %arg1, %c0
// CHECK: %[[LEFT:.*]] = arith.subi %[[LEAST]], %[[BASE:.*]] overflow<nsw>
// CHECK: %[[M:.*]] = arith.cmpi sgt, %[[LEFT]], %c0
// CHECK: eft.thread_load %arg0 if %[[M]]
// CHECK: %[[M:.*]] = arith.cmpi sgt, %{{.*}}, %c1
// CHECK: eft.thread_load %arg0 if %[[M]]
// CHECK: arith.cmpi sgt, %{{.*}}, %c256
// CHECK: arith.cmpi sgt, %{{.*}}, %c257
// CHECK: nvvm.barrier0
// CHECK: %[[LEAST:.*]] = arith.maxsi %arg1, %c0
// CHECK: %[[LEFT:.*]] = arith.subi %[[BASE]], %[[LEAST]] overflow<nsw>
// CHECK: %[[M:.*]] = arith.cmpi slt, %[[LEFT]], %c-257
// CHECK: arith.select %[[M]]
func.func @row(%p: !llvm.ptr<1>, %n: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c256 = arith.constant 256 : i32
  %c257 = arith.constant 257 : i32
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %base = arith.muli %tid, %c2 : i32
  %i1 = arith.addi %base, %c1 overflow<nsw> : i32
  %i2 = arith.addi %base, %c256 overflow<nsw> : i32
  %i3 = arith.addi %base, %c257 overflow<nsw> : i32
  %m0 = arith.cmpi slt, %base, %n : i32
  %m1 = arith.cmpi slt, %i1, %n : i32
  %m2 = arith.cmpi slt, %i2, %n : i32
  %m3 = arith.cmpi slt, %i3, %n : i32
  %x0 = eft.thread_load %p if %m0 : !llvm.ptr<1> -> i32
  %x1 = eft.thread_load %p if %m1 : !llvm.ptr<1> -> i32
  %x2 = eft.thread_load %p if %m2 : !llvm.ptr<1> -> i32
  %x3 = eft.thread_load %p if %m3 : !llvm.ptr<1> -> i32
  nvvm.barrier0
  %y = arith.select %m3, %x3, %x2 : i32
  return %y : i32
}

// A single mask takes fewer instructions unchanged.
// CHECK-LABEL: @alone
// CHECK-NOT: arith.subi
func.func @alone(%p: !llvm.ptr<1>, %n: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %i = arith.addi %tid, %c1 overflow<nsw> : i32
  %m = arith.cmpi slt, %i, %n : i32
  %x = eft.thread_load %p if %m : !llvm.ptr<1> -> i32
  return %x : i32
}

// The bound is computed in a loop, so each iteration would have to compute a difference.
// CHECK-LABEL: @loop
// CHECK-NOT: arith.subi
func.func @loop(%p: !llvm.ptr<1>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %i1 = arith.addi %tid, %c1 overflow<nsw> : i32
  %i2 = arith.addi %tid, %c2 overflow<nsw> : i32
  %i3 = arith.addi %tid, %c3 overflow<nsw> : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %m0 = arith.cmpi slt, %tid, %i : i32
    %m1 = arith.cmpi slt, %i1, %i : i32
    %m2 = arith.cmpi slt, %i2, %i : i32
    %m3 = arith.cmpi slt, %i3, %i : i32
    %x0 = eft.thread_load %p if %m0 : !llvm.ptr<1> -> i32
    %x1 = eft.thread_load %p if %m1 : !llvm.ptr<1> -> i32
    %x2 = eft.thread_load %p if %m2 : !llvm.ptr<1> -> i32
    %x3 = eft.thread_load %p if %m3 : !llvm.ptr<1> -> i32
  }
  return
}
