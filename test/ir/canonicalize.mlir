// RUN: eft-opt %s -canonicalize -split-input-file | FileCheck %s

// CHECK-LABEL: @splat_of_a_constant
func.func @splat_of_a_constant() -> tensor<8xf32> {
  // CHECK: arith.constant dense<1.000000e+00> : tensor<8xf32>
  %c = arith.constant 1.0 : f32
  %0 = eft.splat %c : f32 -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @range_of_one
func.func @range_of_one() -> tensor<1xi32> {
  // CHECK: arith.constant dense<5> : tensor<1xi32>
  %0 = eft.arange 5 to 6 : tensor<1xi32>
  return %0 : tensor<1xi32>
}

// CHECK-LABEL: @reshapes_of_a_splat
// CHECK-SAME: %[[X:.*]]: f32
func.func @reshapes_of_a_splat(%x: f32) -> tensor<8x4xf32> {
  // CHECK-NEXT: %[[R:.*]] = eft.splat %[[X]] : f32 -> tensor<8x4xf32>
  // CHECK-NEXT: return %[[R]]
  %0 = eft.splat %x : f32 -> tensor<8xf32>
  %1 = eft.expand_dims %0 axis 1 : tensor<8xf32> -> tensor<8x1xf32>
  %2 = eft.broadcast %1 : tensor<8x1xf32> -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// CHECK-LABEL: @reshapes_of_a_constant
func.func @reshapes_of_a_constant() -> tensor<8x4xi32> {
  // CHECK-NEXT: arith.constant dense<3> : tensor<8x4xi32>
  %0 = arith.constant dense<3> : tensor<8xi32>
  %1 = eft.expand_dims %0 axis 1 : tensor<8xi32> -> tensor<8x1xi32>
  %2 = eft.broadcast %1 : tensor<8x1xi32> -> tensor<8x4xi32>
  return %2 : tensor<8x4xi32>
}

// CHECK-LABEL: @broadcast_to_the_same_shape
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
func.func @broadcast_to_the_same_shape(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = eft.broadcast %x : tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @move_by_nothing
// CHECK-SAME: %[[P:.*]]: !eft.ptr<f32>
func.func @move_by_nothing(%p: !eft.ptr<f32>) -> !eft.ptr<f32> {
  // CHECK-NEXT: return %[[P]]
  %c0 = arith.constant 0 : i32
  %0 = eft.addptr %p, %c0 : !eft.ptr<f32>, i32
  return %0 : !eft.ptr<f32>
}

// CHECK-LABEL: @load_under_a_true_mask
func.func @load_under_a_true_mask(%p: tensor<8x!eft.ptr<f32>>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: eft.load %{{.*}} : tensor<8x!eft.ptr<f32>>
  %m = arith.constant dense<true> : tensor<8xi1>
  %0 = eft.load %p, mask %m other %o : tensor<8x!eft.ptr<f32>>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @load_under_a_false_mask
func.func @load_under_a_false_mask(%p: tensor<8x!eft.ptr<f32>>, %o: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<8xf32>
  // CHECK-NEXT: return %{{.*}}, %[[ZERO]]
  %m = arith.constant dense<false> : tensor<8xi1>
  %0 = eft.load %p, mask %m other %o : tensor<8x!eft.ptr<f32>>
  %1 = eft.load %p, mask %m : tensor<8x!eft.ptr<f32>>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: @stores_under_constant_masks
func.func @stores_under_constant_masks(%p: tensor<8x!eft.ptr<f32>>, %v: tensor<8xf32>) {
  // CHECK-NEXT: eft.store %{{.*}}, %{{.*}} : tensor<8x!eft.ptr<f32>>
  // CHECK-NEXT: return
  %t = arith.constant dense<true> : tensor<8xi1>
  %f = arith.constant dense<false> : tensor<8xi1>
  eft.store %p, %v, mask %t : tensor<8x!eft.ptr<f32>>
  eft.store %p, %v, mask %f : tensor<8x!eft.ptr<f32>>
  return
}

// CHECK-LABEL: @zero_of_eight_bits
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant dense<0> : tensor<16xi8>
// CHECK-NEXT: return %[[ZERO]]
func.func @zero_of_eight_bits() -> tensor<16xi8> {
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %0 = eft.truncate_float8 %zero to e4m3fn : tensor<16xf32> -> tensor<16xi8>
  return %0 : tensor<16xi8>
}
