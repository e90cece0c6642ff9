// RUN: eft-opt %s | eft-opt | FileCheck %s
// RUN: eft-opt %s -mlir-print-op-generic | eft-opt | FileCheck %s

// CHECK-LABEL: func @products
func.func @products(%a: tensor<64x32xf16>, %b: tensor<32x16xf16>, %c: tensor<64x16xf32>,
                    %x: tensor<16x16xf32>, %i: tensor<16x64xi8>, %j: tensor<64x32xi8>,
                    %s: tensor<16x32xi32>, %d: tensor<16x16xf64>) {
  // CHECK: eft.dot %{{.*}}, %{{.*}}, %{{.*}} precision ieee : tensor<64x32xf16>, tensor<32x16xf16> -> tensor<64x16xf32>
  %0 = eft.dot %a, %b, %c precision ieee : tensor<64x32xf16>, tensor<32x16xf16> -> tensor<64x16xf32>
  // CHECK: eft.dot %{{.*}} precision tf32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %1 = eft.dot %x, %x, %x precision tf32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  // CHECK: eft.dot %{{.*}} precision tf32x3
  %2 = eft.dot %x, %x, %1 precision tf32x3 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  // CHECK: eft.dot %{{.*}} precision ieee : tensor<16x64xi8>, tensor<64x32xi8> -> tensor<16x32xi32>
  %3 = eft.dot %i, %j, %s precision ieee : tensor<16x64xi8>, tensor<64x32xi8> -> tensor<16x32xi32>
  // CHECK: eft.dot %{{.*}} precision ieee : tensor<16x16xf64>, tensor<16x16xf64> -> tensor<16x16xf64>
  %4 = eft.dot %d, %d, %d precision ieee : tensor<16x16xf64>, tensor<16x16xf64> -> tensor<16x16xf64>
  return
}
