// RUN: eft-opt %s -eft-lower-to-llvm | FileCheck %s

// CHECK-LABEL: llvm.func @stops_twice
// CHECK: llvm.cond_br %{{.*}}, ^[[STOP:.*]], ^[[REST:.*]]
// CHECK: ^[[STOP]]:
// CHECK-NEXT: llvm.return
// CHECK-NEXT: ^[[REST]]:
// CHECK-NEXT: llvm.store
// CHECK-NEXT: llvm.return
// CHECK-NEXT: }
func.func @stops_twice(%x: i32, %p: !llvm.ptr, %c: i1) {
  scf.if %c {
    eft.stop
    eft.stop
  }
  llvm.store %x, %p : i32, !llvm.ptr
  return
}

// Operations after a stop are dropped, also branches that use their values.
// CHECK-LABEL: llvm.func @stops_before_a_branch
// CHECK-NEXT: llvm.return
// CHECK-NEXT: }
func.func @stops_before_a_branch(%x: i32, %p: !llvm.ptr, %c: i1) {
  eft.stop
  %y = arith.addi %x, %x : i32
  scf.if %c {
    llvm.store %y, %p : i32, !llvm.ptr
  }
  return
}
