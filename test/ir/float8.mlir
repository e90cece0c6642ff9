// RUN: eft-opt %s | eft-opt | FileCheck %s
// RUN: eft-opt %s -mlir-print-op-generic | eft-opt | FileCheck %s

// CHECK-LABEL: func @conversions
func.func @conversions(%x: tensor<16xi8>, %y: i8) {
  // CHECK: eft.extend_float8 %{{.*}} from e4m3fn : tensor<16xi8> -> tensor<16xf32>
  %0 = eft.extend_float8 %x from e4m3fn : tensor<16xi8> -> tensor<16xf32>
  // CHECK: eft.extend_float8 %{{.*}} from e5m2fnuz : i8 -> f16
  %1 = eft.extend_float8 %y from e5m2fnuz : i8 -> f16
  // CHECK: eft.truncate_float8 %{{.*}} to e5m2 : tensor<16xf32> -> tensor<16xi8>
  %2 = eft.truncate_float8 %0 to e5m2 : tensor<16xf32> -> tensor<16xi8>
  // CHECK: eft.truncate_float8 %{{.*}} to e4m3b15 toward_zero : f16 -> i8
  %3 = eft.truncate_float8 %1 to e4m3b15 toward_zero : f16 -> i8
  return
}

// CHECK-LABEL: func @products
func.func @products(%a: tensor<16x64xi8>, %b: tensor<64x32xi8>, %c: tensor<16x32xf32>) {
  // CHECK: eft.dot %{{.*}} precision ieee formats e4m3fn, e5m2 : tensor<16x64xi8>, tensor<64x32xi8> -> tensor<16x32xf32>
  %0 = eft.dot %a, %b, %c precision ieee formats e4m3fn, e5m2 : tensor<16x64xi8>, tensor<64x32xi8> -> tensor<16x32xf32>
  return
}
