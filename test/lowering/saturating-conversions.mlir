// RUN: eft-opt %s -eft-lower-to-llvm | FileCheck %s

// Conversions that saturate become instructions whose results are defined for every float. LLVM has
// intrinsics for integers of 32 and 64 bits.

// CHECK-LABEL: llvm.func @integers
// CHECK-SAME: (%[[X:.*]]: f32, %[[Y:.*]]: f64)
func.func @integers(%x: f32, %y: f64) -> (i8, i8, i16, i32, i32, i64, i64) {
  // CHECK: %[[S8:.*]] = llvm.inline_asm "cvt.rzi.s8.f32 $0, $1;", "=h,f" %[[X]] : (f32) -> i16
  // CHECK-NEXT: llvm.trunc %[[S8]] : i16 to i8
  %a = arith.fptosi %x {eft.saturating} : f32 to i8
  // CHECK: llvm.inline_asm "cvt.rzi.u8.f64 $0, $1;", "=h,d" %[[Y]]
  %b = arith.fptoui %y {eft.saturating} : f64 to i8
  // CHECK: llvm.inline_asm "cvt.rzi.s16.f32 $0, $1;", "=h,f" %[[X]] : (f32) -> i16
  // CHECK-NOT: llvm.trunc
  %c = arith.fptosi %x {eft.saturating} : f32 to i16
  // CHECK: llvm.call_intrinsic "llvm.nvvm.f2i.rz"(%[[X]])
  %d = arith.fptosi %x {eft.saturating} : f32 to i32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.d2ui.rz"(%[[Y]])
  %e = arith.fptoui %y {eft.saturating} : f64 to i32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.d2ll.rz"(%[[Y]])
  %f = arith.fptosi %y {eft.saturating} : f64 to i64
  // CHECK: llvm.call_intrinsic "llvm.nvvm.f2ull.rz"(%[[X]])
  %g = arith.fptoui %x {eft.saturating} : f32 to i64
  return %a, %b, %c, %d, %e, %f, %g : i8, i8, i16, i32, i32, i64, i64
}

// CHECK-LABEL: llvm.func @bounded
// CHECK: llvm.fptosi
func.func @bounded(%x: f32) -> i32 {
  %i = arith.fptosi %x : f32 to i32
  return %i : i32
}
