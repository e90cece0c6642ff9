// RUN: eft-opt %s --eft-expand-min-max --cse | FileCheck %s
// RUN: eft-opt %s --eft-expand-min-max=only-constants --cse | FileCheck %s --check-prefix=ONLY

// ONLY-LABEL: @greater_of_two_blocks
// ONLY: eft.max_num
// ONLY-LABEL: @constant_operand
// ONLY-NOT: eft.m
// ONLY: return

// CHECK-LABEL: @greater_of_two_blocks
// CHECK-SAME: (%[[A:.*]]: tensor<64xf32>, %[[B:.*]]: tensor<64xf32>)
func.func @greater_of_two_blocks(%a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK: %[[BITS:.*]] = arith.bitcast %[[A]] : tensor<64xf32> to tensor<64xi32>
  // CHECK: %[[NEGATIVE:.*]] = arith.cmpi slt, %[[BITS]],
  // CHECK: %[[P:.*]] = arith.select %[[NEGATIVE]], %[[A]], %[[B]]
  // CHECK: %[[Q:.*]] = arith.select %[[NEGATIVE]], %[[B]], %[[A]]
  // CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[Q]], %[[Q]]
  // CHECK: %[[S:.*]] = arith.select %[[NAN]], %[[P]], %[[Q]]
  // CHECK: %[[GREATER:.*]] = arith.cmpf ogt, %[[P]], %[[S]]
  // CHECK: arith.select %[[GREATER]], %[[P]], %[[S]]
  %r = eft.max_num %a, %b : tensor<64xf32>
  return %r : tensor<64xf32>
}

// CHECK-LABEL: @less_of_two_scalars
// CHECK-SAME: (%[[A:.*]]: f64, %[[B:.*]]: f64)
func.func @less_of_two_scalars(%a: f64, %b: f64) -> f64 {
  // CHECK: arith.select %[[NEGATIVE:.*]], %[[B]], %[[A]]
  // CHECK: arith.select %[[NEGATIVE]], %[[A]], %[[B]]
  // CHECK: arith.cmpf olt
  %r = eft.min_num %a, %b : f64
  return %r : f64
}

// CHECK-LABEL: @constant_operand
// CHECK-SAME: (%[[X:.*]]: tensor<64xf32>)
func.func @constant_operand(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.0
  // CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1.0
  // CHECK: %[[C:.*]] = arith.cmpf ogt, %[[X]], %[[ZERO]]
  // CHECK-NEXT: %[[R:.*]] = arith.select %[[C]], %[[X]], %[[ZERO]]
  // CHECK-NEXT: %[[D:.*]] = arith.cmpf olt, %[[R]], %[[ONE]]
  // CHECK-NEXT: arith.select %[[D]], %[[R]], %[[ONE]]
  %r = eft.max_num %x, %zero : tensor<64xf32>
  %s = eft.min_num %one, %r : tensor<64xf32>
  return %r, %s : tensor<64xf32>, tensor<64xf32>
}

// The minimum of +0 and -0 is -0, so a constant +0 can't be the second operand as it is.
// CHECK-LABEL: @constant_that_may_lose
func.func @constant_that_may_lose(%x: f32) -> f32 {
  // CHECK: arith.cmpi slt
  %zero = arith.constant 0.0 : f32
  %r = eft.min_num %x, %zero : f32
  return %r : f32
}

// CHECK-LABEL: @what_llvm_orders_stays
func.func @what_llvm_orders_stays(%a: f32, %b: f32, %h: f16) -> (f32, f32, f16) {
  // CHECK-NEXT: arith.minimumf
  // CHECK-NEXT: arith.maximumf
  // CHECK-NEXT: eft.max_num %{{.*}} : f16
  %0 = arith.minimumf %a, %b : f32
  %1 = arith.maximumf %a, %b : f32
  %2 = eft.max_num %h, %h : f16
  return %0, %1, %2 : f32, f32, f16
}
