// RUN: eft-opt %s --eft-fuse-multiply-add | FileCheck %s

// CHECK-LABEL: @product_plus_summand
// CHECK-SAME: (%[[A:.*]]: tensor<64xf32>, %[[B:.*]]: tensor<64xf32>, %[[C:.*]]: tensor<64xf32>)
func.func @product_plus_summand(%a: tensor<64xf32>, %b: tensor<64xf32>, %c: tensor<64xf32>)
    -> tensor<64xf32> {
  // CHECK-NEXT: %[[R:.*]] = math.fma %[[A]], %[[B]], %[[C]] : tensor<64xf32>
  // CHECK-NEXT: return %[[R]]
  %p = arith.mulf %a, %b : tensor<64xf32>
  %r = arith.addf %p, %c : tensor<64xf32>
  return %r : tensor<64xf32>
}

// CHECK-LABEL: @summand_plus_product
// CHECK-SAME: (%[[A:.*]]: f64, %[[B:.*]]: f64, %[[C:.*]]: f64)
func.func @summand_plus_product(%a: f64, %b: f64, %c: f64) -> f64 {
  // CHECK-NEXT: math.fma %[[A]], %[[B]], %[[C]] : f64
  %p = arith.mulf %a, %b : f64
  %r = arith.addf %c, %p : f64
  return %r : f64
}

// CHECK-LABEL: @product_minus_subtrahend
// CHECK-SAME: (%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32)
func.func @product_minus_subtrahend(%a: f32, %b: f32, %c: f32) -> f32 {
  // CHECK-NEXT: %[[N:.*]] = arith.negf %[[C]] : f32
  // CHECK-NEXT: math.fma %[[A]], %[[B]], %[[N]] : f32
  %p = arith.mulf %a, %b : f32
  %r = arith.subf %p, %c : f32
  return %r : f32
}

// CHECK-LABEL: @minuend_minus_product
// CHECK-SAME: (%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32)
func.func @minuend_minus_product(%a: f32, %b: f32, %c: f32) -> f32 {
  // CHECK-NEXT: %[[N:.*]] = arith.negf %[[A]] : f32
  // CHECK-NEXT: math.fma %[[N]], %[[B]], %[[C]] : f32
  %p = arith.mulf %a, %b : f32
  %r = arith.subf %c, %p : f32
  return %r : f32
}

// CHECK-LABEL: @left_of_two_products
// CHECK-SAME: (%[[A:.*]]: f32, %[[B:.*]]: f32)
func.func @left_of_two_products(%a: f32, %b: f32) -> f32 {
  // CHECK-NEXT: %[[Q:.*]] = arith.mulf %[[B]], %[[B]] : f32
  // CHECK-NEXT: math.fma %[[A]], %[[A]], %[[Q]] : f32
  %p = arith.mulf %a, %a : f32
  %q = arith.mulf %b, %b : f32
  %r = arith.addf %p, %q : f32
  return %r : f32
}

// CHECK-LABEL: @left_product_has_another_use
// CHECK-SAME: (%[[A:.*]]: f32, %[[B:.*]]: f32)
func.func @left_product_has_another_use(%a: f32, %b: f32) -> (f32, f32) {
  // CHECK-NEXT: %[[P:.*]] = arith.mulf %[[A]], %[[A]] : f32
  // CHECK-NEXT: math.fma %[[B]], %[[B]], %[[P]] : f32
  %p = arith.mulf %a, %a : f32
  %q = arith.mulf %b, %b : f32
  %r = arith.addf %p, %q : f32
  return %r, %p : f32, f32
}

// CHECK-LABEL: @sum_of_one_product_twice
func.func @sum_of_one_product_twice(%a: f32, %b: f32) -> f32 {
  // CHECK-NOT: math.fma
  %p = arith.mulf %a, %b : f32
  %r = arith.addf %p, %p : f32
  return %r : f32
}

// CHECK-LABEL: @chain
// CHECK-SAME: (%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32)
func.func @chain(%a: f32, %b: f32, %c: f32) -> f32 {
  // CHECK-NEXT: %[[S:.*]] = math.fma %[[A]], %[[B]], %[[C]] : f32
  // CHECK-NEXT: math.fma %[[S]], %[[B]], %[[C]] : f32
  %p = arith.mulf %a, %b : f32
  %s = arith.addf %p, %c : f32
  %q = arith.mulf %s, %b : f32
  %r = arith.addf %q, %c : f32
  return %r : f32
}

// CHECK-LABEL: @product_outside_a_loop
// CHECK-SAME: (%[[A:.*]]: f32, %[[B:.*]]: f32
func.func @product_outside_a_loop(%a: f32, %b: f32, %n: index) -> f32 {
  // CHECK-NOT: arith.mulf
  // CHECK: scf.for
  // CHECK-NEXT: math.fma %[[A]], %[[B]], %{{.*}} : f32
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %p = arith.mulf %a, %b : f32
  %r = scf.for %i = %zero to %n step %one iter_args(%sum = %a) -> f32 {
    %s = arith.addf %sum, %p : f32
    scf.yield %s : f32
  }
  return %r : f32
}

// CHECK-LABEL: @narrow_floats_are_left
func.func @narrow_floats_are_left(%a: f16, %b: bf16) -> (f16, bf16) {
  // CHECK-NOT: math.fma
  %p = arith.mulf %a, %a : f16
  %r = arith.addf %p, %a : f16
  %q = arith.mulf %b, %b : bf16
  %s = arith.subf %q, %b : bf16
  return %r, %s : f16, bf16
}

// CHECK-LABEL: @dead_use_of_the_product
func.func @dead_use_of_the_product(%a: f32, %b: f32, %c: f32) -> f32 {
  // CHECK: math.fma
  // CHECK-NOT: arith.mulf
  %p = arith.mulf %a, %b : f32
  %dead = arith.subf %p, %b : f32
  %deader = arith.negf %dead : f32
  %s = arith.addf %p, %c : f32
  return %s : f32
}

// The other operand of the sum becomes the accumulator of the matrix product.
// CHECK-LABEL: @sum_with_a_matrix_product
// CHECK-SAME: %[[A:.*]]: tensor<16x16xf32>, %[[C:.*]]: tensor<16x16xf32>
func.func @sum_with_a_matrix_product(%a: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // CHECK: %[[D:.*]] = eft.dot %[[A]], %[[A]], %[[C]] precision tf32
  // CHECK-NOT: arith.addf
  // CHECK: return %[[D]]
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = eft.dot %a, %a, %zero precision tf32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %s = arith.addf %c, %d : tensor<16x16xf32>
  return %s : tensor<16x16xf32>
}

// The same happens if the other operand is an elementwise product, although this product could be
// fused with the addition instead.
// CHECK-LABEL: @scaled_sum_with_a_matrix_product
func.func @scaled_sum_with_a_matrix_product(%a: tensor<16x16xf32>, %c: tensor<16x16xf32>, %x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // CHECK: %[[P:.*]] = arith.mulf %arg1, %arg2
  // CHECK: %[[D:.*]] = eft.dot %{{.*}}, %{{.*}}, %[[P]] precision tf32
  // CHECK: return %[[D]]
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %p = arith.mulf %c, %x : tensor<16x16xf32>
  %d = eft.dot %a, %a, %zero precision tf32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %s = arith.addf %p, %d : tensor<16x16xf32>
  return %s : tensor<16x16xf32>
}

// A matrix product before a loop is not moved into the loop.
// CHECK-LABEL: @sum_with_a_matrix_product_from_before_a_loop
func.func @sum_with_a_matrix_product_from_before_a_loop(%a: tensor<16x16xf32>, %c: tensor<16x16xf32>, %n: i32) -> tensor<16x16xf32> {
  // CHECK: %[[D:.*]] = eft.dot
  // CHECK: scf.for
  // CHECK: arith.addf %{{.*}}, %[[D]]
  %first = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = eft.dot %a, %a, %zero precision tf32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %r = scf.for %i = %first to %n step %one iter_args(%sum = %c) -> (tensor<16x16xf32>) : i32 {
    %s = arith.addf %sum, %d : tensor<16x16xf32>
    scf.yield %s : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}

// CHECK-LABEL: @sum_with_an_integer_matrix_product
func.func @sum_with_an_integer_matrix_product(%a: tensor<16x16xi8>, %c: tensor<16x16xi32>) -> tensor<16x16xi32> {
  // CHECK: eft.dot %{{.*}}, %{{.*}}, %arg1 precision ieee
  // CHECK-NOT: arith.addi
  %zero = arith.constant dense<0> : tensor<16x16xi32>
  %d = eft.dot %a, %a, %zero precision ieee : tensor<16x16xi8>, tensor<16x16xi8> -> tensor<16x16xi32>
  %s = arith.addi %d, %c : tensor<16x16xi32>
  return %s : tensor<16x16xi32>
}

// CHECK-LABEL: @sum_with_a_matrix_product_that_is_used_twice
func.func @sum_with_a_matrix_product_that_is_used_twice(%a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // CHECK: eft.dot
  // CHECK: arith.addf
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = eft.dot %a, %a, %zero precision tf32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %s = arith.addf %d, %d : tensor<16x16xf32>
  return %s : tensor<16x16xf32>
}
