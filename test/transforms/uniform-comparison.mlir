// RUN: eft-opt %s -eft-uniform-comparison | FileCheck %s
// RUN: eft-opt %s -eft-uniform-comparison=unfold-words=false | FileCheck %s --check-prefix=FOLDED

// CHECK-LABEL: @greater
// CHECK-SAME: %[[W:.*]]: tensor<8xi32>, %[[P:.*]]: f32
// FOLDED-LABEL: @greater
func.func @greater(%w: tensor<8xi32>, %p: f32) -> tensor<8xi1> {
  // The threshold: the greatest integer that is not above p * 2^30.
  // CHECK: %[[BITS:.*]] = arith.bitcast %[[P]] : f32 to i32
  // CHECK: %[[T:.*]] = arith.shrui
  // CHECK: %[[NONE:.*]] = arith.cmpf uge, %[[P]], %{{.*}} : f32
  // CHECK: %[[ALL:.*]] = arith.cmpf olt, %[[P]], %{{.*}} : f32
  // CHECK: %[[SOME:.*]] = arith.select %[[NONE]], %{{.*}}, %{{.*}} : i32
  // CHECK: %[[BOUND:.*]] = arith.select %[[ALL]], %{{.*}}, %[[SOME]] : i32
  // CHECK: %[[BOUNDS:.*]] = eft.splat %[[BOUND]]
  // CHECK: %[[R:.*]] = arith.cmpi sgt, %[[X:.*]], %[[BOUNDS]] : tensor<8xi32>
  // CHECK: return %[[R]]
  %c1 = arith.constant dense<1> : tensor<8xi32>
  %x = arith.shrui %w, %c1 : tensor<8xi32>
  %f = arith.sitofp %x : tensor<8xi32> to tensor<8xf32>
  %c = arith.constant dense<0x30800000> : tensor<8xf32>
  %u = arith.mulf %f, %c : tensor<8xf32>
  %ps = eft.splat %p : f32 -> tensor<8xf32>
  %r = arith.cmpf ogt, %u, %ps : tensor<8xf32>
  return %r : tensor<8xi1>
}

// Exchanged operands, and a comparison that is true for NaN: `p ugt x` is not (x >= p).
// CHECK-LABEL: @not_greater_or_equal
// CHECK-SAME: %{{.*}}: tensor<8xi32>, %[[P:.*]]: f32
func.func @not_greater_or_equal(%w: tensor<8xi32>, %p: f32) -> tensor<8xi1> {
  // CHECK: %[[NONE:.*]] = arith.cmpf ugt, %[[P]], %{{.*}} : f32
  // CHECK: %[[ALL:.*]] = arith.cmpf ole, %[[P]], %{{.*}} : f32
  // CHECK: arith.cmpi sle, %{{.*}}, %{{.*}} : tensor<8xi32>
  %c1 = arith.constant dense<1> : tensor<8xi32>
  %x = arith.shrui %w, %c1 : tensor<8xi32>
  %f = arith.sitofp %x : tensor<8xi32> to tensor<8xf32>
  %ps = eft.splat %p : f32 -> tensor<8xf32>
  %r = arith.cmpf ugt, %ps, %f : tensor<8xf32>
  return %r : tensor<8xi1>
}

// CHECK-LABEL: @of_random_words
// CHECK-SAME: %[[W:.*]]: tensor<8xi32>
// FOLDED-LABEL: @of_random_words
func.func @of_random_words(%w: tensor<8xi32>) -> tensor<8xi1> {
  // CHECK-DAG: %[[LOWER:.*]] = arith.constant dense<-1073742016> : tensor<8xi32>
  // CHECK-DAG: %[[UPPER:.*]] = arith.constant dense<1073742015> : tensor<8xi32>
  // CHECK: %[[A:.*]] = arith.cmpi sgt, %[[W]], %[[UPPER]] : tensor<8xi32>
  // CHECK: %[[B:.*]] = arith.cmpi slt, %[[W]], %[[LOWER]] : tensor<8xi32>
  // CHECK: arith.ori %[[A]], %[[B]] : tensor<8xi1>
  // FOLDED: %[[X:.*]] = arith.select
  // FOLDED: arith.cmpi sgt, %[[X]], %{{.*}} : tensor<8xi32>
  %zero = arith.constant dense<0> : tensor<8xi32>
  %ones = arith.constant dense<-1> : tensor<8xi32>
  %negative = arith.cmpi slt, %w, %zero : tensor<8xi32>
  %inverse = arith.xori %w, %ones : tensor<8xi32>
  %x = arith.select %negative, %inverse, %w : tensor<8xi1>, tensor<8xi32>
  %f = arith.sitofp %x : tensor<8xi32> to tensor<8xf32>
  %c = arith.constant dense<0x2FFFFFFF> : tensor<8xf32>
  %u = arith.mulf %f, %c : tensor<8xf32>
  %p = arith.constant dense<0.5> : tensor<8xf32>
  %r = arith.cmpf ogt, %u, %p : tensor<8xf32>
  return %r : tensor<8xi1>
}

// CHECK-LABEL: @before_a_join
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<8xf32>
func.func @before_a_join(%x: tensor<8xf32>, %y: tensor<8xf32>, %p: f32) -> tensor<16xi1> {
  // CHECK: %[[A:.*]] = arith.cmpf olt, %{{.*}}, %[[X]] : tensor<8xf32>
  // CHECK: %[[B:.*]] = arith.cmpf olt, %{{.*}}, %[[Y]] : tensor<8xf32>
  // CHECK: %[[J:.*]] = eft.join %[[A]], %[[B]] : tensor<8xi1> -> tensor<8x2xi1>
  // CHECK: eft.reshape %[[J]] : tensor<8x2xi1> -> tensor<16xi1>
  %j = eft.join %x, %y : tensor<8xf32> -> tensor<8x2xf32>
  %u = eft.reshape %j : tensor<8x2xf32> -> tensor<16xf32>
  %ps = eft.splat %p : f32 -> tensor<16xf32>
  %r = arith.cmpf olt, %ps, %u : tensor<16xf32>
  return %r : tensor<16xi1>
}

// CHECK-LABEL: @integers_below_zero
// CHECK: arith.cmpf
func.func @integers_below_zero(%x: tensor<8xi32>, %p: f32) -> tensor<8xi1> {
  %f = arith.sitofp %x : tensor<8xi32> to tensor<8xf32>
  %ps = eft.splat %p : f32 -> tensor<8xf32>
  %r = arith.cmpf ogt, %f, %ps : tensor<8xf32>
  return %r : tensor<8xi1>
}

// CHECK-LABEL: @another_factor
// CHECK: arith.cmpf
func.func @another_factor(%w: tensor<8xi32>, %p: f32) -> tensor<8xi1> {
  %c1 = arith.constant dense<1> : tensor<8xi32>
  %x = arith.shrui %w, %c1 : tensor<8xi32>
  %f = arith.sitofp %x : tensor<8xi32> to tensor<8xf32>
  %c = arith.constant dense<0.3> : tensor<8xf32>
  %u = arith.mulf %f, %c : tensor<8xf32>
  %ps = eft.splat %p : f32 -> tensor<8xf32>
  %r = arith.cmpf ogt, %u, %ps : tensor<8xf32>
  return %r : tensor<8xi1>
}

// The floats have another use, so they must be computed anyway.
// CHECK-LABEL: @two_uses
// CHECK: arith.cmpf
func.func @two_uses(%w: tensor<8xi32>, %p: f32) -> (tensor<8xi1>, tensor<8xf32>) {
  %c1 = arith.constant dense<1> : tensor<8xi32>
  %x = arith.shrui %w, %c1 : tensor<8xi32>
  %f = arith.sitofp %x : tensor<8xi32> to tensor<8xf32>
  %ps = eft.splat %p : f32 -> tensor<8xf32>
  %r = arith.cmpf ogt, %f, %ps : tensor<8xf32>
  return %r, %f : tensor<8xi1>, tensor<8xf32>
}

// CHECK-LABEL: @equality
// CHECK: arith.cmpf oeq
func.func @equality(%w: tensor<8xi32>, %p: f32) -> tensor<8xi1> {
  %c1 = arith.constant dense<1> : tensor<8xi32>
  %x = arith.shrui %w, %c1 : tensor<8xi32>
  %f = arith.sitofp %x : tensor<8xi32> to tensor<8xf32>
  %ps = eft.splat %p : f32 -> tensor<8xf32>
  %r = arith.cmpf oeq, %f, %ps : tensor<8xf32>
  return %r : tensor<8xi1>
}
