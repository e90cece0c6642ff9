// RUN: eft-opt %s --eft-expand-float-to-int --cse | FileCheck %s
// RUN: eft-opt %s --eft-expand-float-to-int=saturates --cse | FileCheck %s --check-prefix=SATURATES

// CHECK-LABEL: @greatest_integer_is_no_float
// CHECK-SAME: (%[[X:.*]]: tensor<64xf32>)
// SATURATES-LABEL: @greatest_integer_is_no_float
// SATURATES-NEXT: arith.fptosi %{{.*}} {eft.saturating}
// SATURATES-NEXT: return
func.func @greatest_integer_is_no_float(%x: tensor<64xf32>) -> tensor<64xi32> {
  // CHECK: %[[END:.*]] = arith.constant dense<2.14748365E+9> : tensor<64xf32>
  // CHECK: %[[BELOW:.*]] = arith.cmpf olt, %[[X]], %[[END]]
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64xf32>
  // CHECK: %[[A:.*]] = arith.select %[[BELOW]], %[[X]], %[[ZERO]]
  // CHECK: %[[LOW:.*]] = arith.constant dense<-2.14748365E+9> : tensor<64xf32>
  // CHECK: %[[B:.*]] = eft.max_num %[[A]], %[[LOW]]
  // CHECK: %[[I:.*]] = arith.fptosi %[[B]] : tensor<64xf32> to tensor<64xi32>
  // CHECK: %[[ABOVE:.*]] = arith.cmpf oge, %[[X]], %[[END]]
  // CHECK: %[[GREATEST:.*]] = arith.constant dense<2147483647> : tensor<64xi32>
  // CHECK: arith.select %[[ABOVE]], %[[GREATEST]], %[[I]]
  %i = arith.fptosi %x : tensor<64xf32> to tensor<64xi32>
  return %i : tensor<64xi32>
}

// CHECK-LABEL: @greatest_integer_is_a_float
// CHECK-SAME: (%[[X:.*]]: f32)
// SATURATES-LABEL: @greatest_integer_is_a_float
// SATURATES-NEXT: arith.fptosi %{{.*}} {eft.saturating} : f32 to i8
// SATURATES-NEXT: return
func.func @greatest_integer_is_a_float(%x: f32) -> i8 {
  // CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[X]], %[[X]]
  // CHECK: arith.select %[[NAN]],
  // CHECK: arith.constant -1.280000e+02 : f32
  // CHECK: arith.maximumf
  // CHECK: arith.constant 1.270000e+02 : f32
  // CHECK: %[[B:.*]] = arith.minimumf
  // CHECK: %[[I:.*]] = arith.fptosi %[[B]] : f32 to i32
  // CHECK: arith.trunci %[[I]] : i32 to i8
  %i = arith.fptosi %x : f32 to i8
  return %i : i8
}

// CHECK-LABEL: @unsigned
// CHECK-SAME: (%[[X:.*]]: f64)
// SATURATES-LABEL: @unsigned
// SATURATES-SAME: (%[[X:.*]]: f64)
// SATURATES: %[[I:.*]] = arith.fptoui %[[X]] {eft.saturating} : f64 to i32
// SATURATES: %[[NAN:.*]] = arith.cmpf uno, %[[X]], %[[X]]
// SATURATES: arith.select %[[NAN]], %c0_i32, %[[I]]
// SATURATES: arith.fptoui %[[X]] {eft.saturating} : f64 to i64
// SATURATES: arith.select %[[NAN]], %c0_i64
func.func @unsigned(%x: f64) -> (i32, i64) {
  // CHECK: %[[A:.*]] = eft.max_num %[[X]], %{{.*}} : f64
  // CHECK: arith.constant 0x41EFFFFFFFE00000 : f64
  // CHECK: %[[B:.*]] = arith.minimumf %[[A]],
  // CHECK: arith.fptoui %[[B]] : f64 to i32
  %i = arith.fptoui %x : f64 to i32
  // CHECK: arith.cmpf olt, %[[X]],
  // CHECK: arith.constant -1 : i64
  %j = arith.fptoui %x : f64 to i64
  return %i, %j : i32, i64
}

// CHECK-LABEL: @narrow_floats_go_through_f32
// SATURATES-LABEL: @narrow_floats_go_through_f32
// SATURATES: arith.fptosi %{{.*}} {eft.saturating} : f32 to i16
// SATURATES-NEXT: return
func.func @narrow_floats_go_through_f32(%x: bf16) -> i16 {
  // CHECK: arith.extf %{{.*}} : bf16 to f32
  // CHECK: arith.fptosi %{{.*}} : f32 to i32
  %i = arith.fptosi %x : bf16 to i16
  return %i : i16
}

// CHECK-LABEL: @other_types_stay
func.func @other_types_stay(%x: f80, %y: f32) -> (i32, i128) {
  // CHECK-NEXT: arith.fptosi %{{.*}} : f80 to i32
  // CHECK-NEXT: arith.fptosi %{{.*}} : f32 to i128
  %i = arith.fptosi %x : f80 to i32
  %j = arith.fptosi %y : f32 to i128
  return %i, %j : i32, i128
}
