// RUN: eft-opt %s -eft-widen-dot | FileCheck %s

// CHECK-LABEL: @halves
// CHECK-SAME: %[[A:.*]]: tensor<16x16xbf16>, %[[C:.*]]: tensor<16x16xf32>
func.func @halves(%a: tensor<16x16xbf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // CHECK: %[[R:.*]] = arith.extf %[[A]] : tensor<16x16xbf16> to tensor<16x16xf32>
  // CHECK: %[[L:.*]] = arith.extf %[[A]] : tensor<16x16xbf16> to tensor<16x16xf32>
  // CHECK: eft.dot %[[L]], %[[R]], %[[C]] precision ieee : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %d = eft.dot %a, %a, %c precision ieee : tensor<16x16xbf16>, tensor<16x16xbf16> -> tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}

// A factor is widened right after the operation that makes it.
// CHECK-LABEL: @made_before
// CHECK: arith.addf
// CHECK-NEXT: arith.extf
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: arith.extf
// CHECK-NEXT: eft.dot
func.func @made_before(%x: tensor<16x16xbf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %a = arith.addf %x, %x : tensor<16x16xbf16>
  %b = arith.mulf %x, %x : tensor<16x16xbf16>
  %d = eft.dot %a, %b, %c precision ieee : tensor<16x16xbf16>, tensor<16x16xbf16> -> tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}

// CHECK-LABEL: @bytes
func.func @bytes(%a: tensor<16x16xi8>, %c: tensor<16x16xi32>) -> tensor<16x16xi32> {
  // CHECK-COUNT-2: arith.extsi %{{.*}} : tensor<16x16xi8> to tensor<16x16xi32>
  // CHECK: eft.dot %{{.*}} precision ieee : tensor<16x16xi32>, tensor<16x16xi32> -> tensor<16x16xi32>
  %d = eft.dot %a, %a, %c precision ieee : tensor<16x16xi8>, tensor<16x16xi8> -> tensor<16x16xi32>
  return %d : tensor<16x16xi32>
}

// CHECK-LABEL: @reduced_precision
// CHECK-SAME: %[[A:.*]]: tensor<16x16xf32>
func.func @reduced_precision(%a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // CHECK-NEXT: eft.dot %[[A]], %[[A]], %[[A]] precision ieee
  %d = eft.dot %a, %a, %a precision tf32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}

// CHECK-LABEL: @floats_of_eight_bits
func.func @floats_of_eight_bits(%a: tensor<16x16xi8>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // CHECK: eft.extend_float8 %{{.*}} from e5m2 : tensor<16x16xi8> -> tensor<16x16xf32>
  // CHECK: eft.extend_float8 %{{.*}} from e4m3fn : tensor<16x16xi8> -> tensor<16x16xf32>
  // CHECK: eft.dot %{{.*}} precision ieee : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %d = eft.dot %a, %a, %c precision ieee formats e4m3fn, e5m2 : tensor<16x16xi8>, tensor<16x16xi8> -> tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}
