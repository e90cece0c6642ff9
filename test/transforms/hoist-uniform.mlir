// RUN: eft-opt %s -eft-hoist-uniform | FileCheck %s

// CHECK-LABEL: @sum_of_splats
// CHECK-SAME: %[[X:.*]]: f32, %[[Y:.*]]: f32
func.func @sum_of_splats(%x: f32, %y: f32) -> tensor<8xf32> {
  // CHECK-NEXT: %[[S:.*]] = arith.addf %[[X]], %[[Y]] : f32
  // CHECK-NEXT: %[[B:.*]] = eft.splat %[[S]] : f32 -> tensor<8xf32>
  // CHECK-NEXT: return %[[B]]
  %a = eft.splat %x : f32 -> tensor<8xf32>
  %b = eft.splat %y : f32 -> tensor<8xf32>
  %c = arith.addf %a, %b : tensor<8xf32>
  return %c : tensor<8xf32>
}

// CHECK-LABEL: @splat_and_constant
func.func @splat_and_constant(%x: i32) -> tensor<8xi1> {
  // CHECK: %[[C:.*]] = arith.constant 7 : i32
  // CHECK: %[[L:.*]] = arith.cmpi slt, %{{.*}}, %[[C]] : i32
  // CHECK: eft.splat %[[L]] : i1 -> tensor<8xi1>
  %a = eft.splat %x : i32 -> tensor<8xi32>
  %b = arith.constant dense<7> : tensor<8xi32>
  %c = arith.cmpi slt, %a, %b : tensor<8xi32>
  return %c : tensor<8xi1>
}

// CHECK-LABEL: @scalar_condition
// CHECK-SAME: %[[C:.*]]: i1
func.func @scalar_condition(%c: i1, %x: f32, %y: f32) -> tensor<8xf32> {
  // CHECK: arith.select %[[C]], %{{.*}}, %{{.*}} : f32
  %a = eft.splat %x : f32 -> tensor<8xf32>
  %b = eft.splat %y : f32 -> tensor<8xf32>
  %s = arith.select %c, %a, %b : tensor<8xf32>
  return %s : tensor<8xf32>
}

// CHECK-LABEL: @pointers
func.func @pointers(%p: !eft.ptr<f32>, %i: i32) -> tensor<8x!eft.ptr<f32>> {
  // CHECK: %[[Q:.*]] = eft.addptr %{{.*}}, %{{.*}} : !eft.ptr<f32>, i32
  // CHECK: eft.splat %[[Q]]
  %a = eft.splat %p : !eft.ptr<f32> -> tensor<8x!eft.ptr<f32>>
  %b = eft.splat %i : i32 -> tensor<8xi32>
  %c = eft.addptr %a, %b : tensor<8x!eft.ptr<f32>>, tensor<8xi32>
  return %c : tensor<8x!eft.ptr<f32>>
}

// CHECK-LABEL: @one_operand_differs
func.func @one_operand_differs(%x: i32) -> tensor<8xi32> {
  // CHECK: arith.addi %{{.*}}, %{{.*}} : tensor<8xi32>
  %a = eft.splat %x : i32 -> tensor<8xi32>
  %b = eft.arange 0 to 8 : tensor<8xi32>
  %c = arith.addi %a, %b : tensor<8xi32>
  return %c : tensor<8xi32>
}

// CHECK-LABEL: @division_that_may_have_no_result
func.func @division_that_may_have_no_result(%x: i32) -> tensor<8xi32> {
  // CHECK: arith.divsi %{{.*}}, %{{.*}} : tensor<8xi32>
  %a = eft.splat %x : i32 -> tensor<8xi32>
  %c = arith.divsi %a, %a : tensor<8xi32>
  return %c : tensor<8xi32>
}
