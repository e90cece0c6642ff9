// RUN: eft-opt %s -eft-order-arithmetic='least-operations=4' | FileCheck %s
// RUN: eft-opt %s -eft-order-arithmetic | FileCheck %s --check-prefix=SHORT

// Each value is computed right before it is stored. A sum that both values need precedes the first
// store.
// CHECK-LABEL: @one_element_after_the_other
// CHECK-SAME: %[[X0:[a-z0-9]+]]: f32, %[[X1:[a-z0-9]+]]: f32
// CHECK: %[[A0:.*]] = math.absf %[[X0]]
// CHECK-NEXT: %[[C:.*]] = arith.addf %[[X0]], %[[X1]]
// CHECK-NEXT: %[[B0:.*]] = arith.mulf %[[A0]], %[[C]]
// CHECK-NEXT: llvm.store %[[B0]]
// CHECK-NEXT: %[[A1:.*]] = math.absf %[[X1]]
// CHECK-NEXT: %[[B1:.*]] = arith.mulf %[[A1]], %[[C]]
// CHECK-NEXT: llvm.store %[[B1]]
// CHECK-NEXT: %[[LATE:.*]] = arith.negf %[[A0]]
// CHECK-NEXT: %[[READ:.*]] = llvm.load
// CHECK-NEXT: arith.addf %[[READ]], %[[LATE]]
// SHORT-LABEL: @one_element_after_the_other
// SHORT: math.absf
// SHORT-NEXT: math.absf
func.func @one_element_after_the_other(%x0: f32, %x1: f32, %p0: !llvm.ptr<1>, %p1: !llvm.ptr<1>) -> f32 {
  %a0 = math.absf %x0 : f32
  %a1 = math.absf %x1 : f32
  %late = arith.negf %a0 : f32
  %c = arith.addf %x0, %x1 : f32
  %b0 = arith.mulf %a0, %c : f32
  %b1 = arith.mulf %a1, %c : f32
  llvm.store %b0, %p0 : f32, !llvm.ptr<1>
  llvm.store %b1, %p1 : f32, !llvm.ptr<1>
  %read = llvm.load %p0 : !llvm.ptr<1> -> f32
  %r = arith.addf %read, %late : f32
  return %r : f32
}
