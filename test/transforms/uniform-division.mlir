// RUN: eft-opt %s -eft-uniform-division | FileCheck %s

// CHECK-LABEL: @by_a_splat
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %[[D:.*]]: f32
func.func @by_a_splat(%x: tensor<8xf32>, %d: f32) -> tensor<8xf32> {
  // CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
  // CHECK: %[[R:.*]] = arith.divf %[[ONE]], %[[D]] : f32
  // CHECK: eft.uniform_div %[[X]], %[[D]], %[[R]] : tensor<8xf32>, f32
  %b = eft.splat %d : f32 -> tensor<8xf32>
  %q = arith.divf %x, %b : tensor<8xf32>
  return %q : tensor<8xf32>
}

// CHECK-LABEL: @by_a_constant
func.func @by_a_constant(%x: tensor<8xf64>) -> tensor<8xf64> {
  // CHECK: %[[D:.*]] = arith.constant 3.000000e+00 : f64
  // CHECK: %[[R:.*]] = arith.constant 0.33333333333333331 : f64
  // CHECK: eft.uniform_div %{{.*}}, %[[D]], %[[R]] : tensor<8xf64>, f64
  %b = arith.constant dense<3.0> : tensor<8xf64>
  %q = arith.divf %x, %b : tensor<8xf64>
  return %q : tensor<8xf64>
}

// CHECK-LABEL: @by_a_block
func.func @by_a_block(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: arith.divf %{{.*}}, %{{.*}} : tensor<8xf32>
  %q = arith.divf %x, %x : tensor<8xf32>
  return %q : tensor<8xf32>
}

// CHECK-LABEL: @of_halves
func.func @of_halves(%x: tensor<8xf16>, %d: f16) -> tensor<8xf16> {
  // CHECK: arith.divf %{{.*}}, %{{.*}} : tensor<8xf16>
  %b = eft.splat %d : f16 -> tensor<8xf16>
  %q = arith.divf %x, %b : tensor<8xf16>
  return %q : tensor<8xf16>
}

// CHECK-LABEL: @of_scalars
func.func @of_scalars(%x: f32, %d: f32) -> f32 {
  // CHECK: arith.divf %{{.*}}, %{{.*}} : f32
  %q = arith.divf %x, %d : f32
  return %q : f32
}
