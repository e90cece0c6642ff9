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

// A GPU has instructions for approximations of 2^x and 1 / x. Other quotients are exact.
// CHECK-LABEL: llvm.func @approximations
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"(%{{.*}})
// CHECK: llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%{{.*}})
// CHECK: llvm.fdiv
// CHECK: llvm.fdiv
func.func @approximations(%x: f32, %y: f64) -> (f32, f32, f32, f64) attributes {eft.threads = 32 : i32} {
  %one = arith.constant 1.0 : f32
  %wide = arith.constant 1.0 : f64
  %a = math.exp2 %x fastmath<afn> : f32
  %b = arith.divf %one, %x fastmath<afn> : f32
  %c = arith.divf %one, %x : f32
  %d = arith.divf %wide, %y fastmath<afn> : f64
  return %a, %b, %c, %d : f32, f32, f32, f64
}
