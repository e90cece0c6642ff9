// RUN: eft-opt %s -eft-reduce-assertions | FileCheck %s

// CHECK-LABEL: @about_a_block
func.func @about_a_block(%c: tensor<64xi1>) {
  // CHECK: %[[ALL:.*]] = eft.reduce %arg0 axis 0 order_free : (tensor<64xi1>) -> i1 {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: i1, %[[B:.*]]: i1):
  // CHECK-NEXT: %[[BOTH:.*]] = arith.andi %[[A]], %[[B]] : i1
  // CHECK-NEXT: eft.yield %[[BOTH]] : i1
  // CHECK: eft.assert %[[ALL]], "no" : i1
  eft.assert %c, "no" : tensor<64xi1>
  return
}

// CHECK-LABEL: @about_a_matrix
func.func @about_a_matrix(%c: tensor<8x4xi1>) {
  // CHECK: %[[ROWS:.*]] = eft.reduce %arg0 axis 1 order_free : (tensor<8x4xi1>) -> tensor<8xi1>
  // CHECK: %[[ALL:.*]] = eft.reduce %[[ROWS]] axis 0 order_free : (tensor<8xi1>) -> i1
  // CHECK: eft.assert %[[ALL]], "no" : i1
  eft.assert %c, "no" : tensor<8x4xi1>
  return
}

// CHECK-LABEL: @about_a_number
func.func @about_a_number(%c: i1) {
  // CHECK-NEXT: eft.assert %arg0, "no" : i1
  eft.assert %c, "no" : i1
  return
}
