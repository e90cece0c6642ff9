// RUN: eft-opt %s --eft-expand-math --cse | FileCheck %s
// RUN: eft-opt %s --eft-expand-math=saturates=true --cse | FileCheck %s --check-prefix=SATURATES

// test/unit/math runs the ops and checks their results. These tests check which ops there are, and
// how many.

// CHECK-LABEL: @exp_of_a_block
// CHECK-SAME: (%[[X:.*]]: tensor<64xf32>)
func.func @exp_of_a_block(%x: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK: %[[LOW:.*]] = arith.maximumf %[[X]], %{{.*}} : tensor<64xf32>
  // CHECK: %[[IN:.*]] = arith.minimumf %[[LOW]], %{{.*}} : tensor<64xf32>
  // CHECK: %[[SUM:.*]] = math.fma %[[IN]],
  // CHECK: %[[M:.*]] = arith.subf %[[SUM]],
  // CHECK: %[[FIRST:.*]] = arith.bitcast %{{.*}} : tensor<64xi32> to tensor<64xf32>
  // CHECK-NEXT: %[[SECOND:.*]] = arith.bitcast %{{.*}} : tensor<64xi32> to tensor<64xf32>
  // CHECK-COUNT-2: math.fma %[[M]],
  // CHECK-COUNT-6: math.fma
  // CHECK-NOT: math.fma
  // CHECK: %[[SCALED:.*]] = arith.mulf %{{.*}}, %[[FIRST]] : tensor<64xf32>
  // CHECK-NEXT: %[[R:.*]] = arith.mulf %[[SCALED]], %[[SECOND]] : tensor<64xf32>
  // CHECK-NEXT: return %[[R]]
  %r = math.exp %x : tensor<64xf32>
  return %r : tensor<64xf32>
}

// If the operand is at most 0, one shift gives the power of two, and there is no upper bound.
// With `saturates` the power is added to the exponent, and 0 is added if the operand is NaN.
// CHECK-LABEL: @exp_of_a_negated_magnitude
// SATURATES-LABEL: @exp_of_a_negated_magnitude
func.func @exp_of_a_negated_magnitude(%x: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK: arith.negf
  // CHECK: %[[IN:.*]] = arith.maximumf
  // CHECK-NOT: arith.minimumf
  // CHECK: %[[SUM:.*]] = math.fma %[[IN]],
  // CHECK: %[[M:.*]] = arith.subf %[[SUM]],
  // CHECK-COUNT-2: math.fma %[[M]],
  // CHECK-COUNT-6: math.fma
  // CHECK-NOT: math.fma
  // CHECK: %[[BITS:.*]] = arith.bitcast %[[SUM]] : tensor<64xf32> to tensor<64xi32>
  // CHECK: %[[SHIFTED:.*]] = arith.shli %[[BITS]],
  // CHECK-NEXT: %[[POWER:.*]] = arith.bitcast %[[SHIFTED]] : tensor<64xi32> to tensor<64xf32>
  // CHECK-NEXT: %[[SCALED:.*]] = arith.mulf %{{.*}}, %[[POWER]] : tensor<64xf32>
  // CHECK: arith.mulf %[[SCALED]],
  // CHECK-NEXT: return
  // SATURATES: %[[SUM:.*]] = math.fma
  // SATURATES: %[[LOW:.*]] = eft.max_num %[[SUM]], %{{.*}}
  // SATURATES: %[[CLAMPED:.*]] = eft.min_num %[[LOW]], %{{.*}}
  // SATURATES: arith.subf %[[CLAMPED]],
  // SATURATES: %[[BITS:.*]] = arith.bitcast %[[CLAMPED]] : tensor<64xf32> to tensor<64xi32>
  // SATURATES: %[[SHIFTED:.*]] = arith.shli %[[BITS]],
  // SATURATES-NEXT: %[[POWER:.*]] = arith.addi %{{.*}}, %[[SHIFTED]]
  // SATURATES-NEXT: %[[SCALED:.*]] = arith.bitcast %[[POWER]] : tensor<64xi32> to tensor<64xf32>
  // SATURATES: arith.mulf %[[SCALED]],
  // SATURATES-NEXT: return
  %magnitude = math.absf %x : tensor<64xf32>
  %negated = arith.negf %magnitude : tensor<64xf32>
  %r = math.exp %negated : tensor<64xf32>
  return %r : tensor<64xf32>
}

// CHECK-LABEL: @exp2_of_a_negated_square
func.func @exp2_of_a_negated_square(%x: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK: arith.maximumf
  // CHECK-NOT: arith.minimumf
  // CHECK-COUNT-8: math.fma
  // CHECK-NOT: math.fma
  // CHECK: arith.shli
  // CHECK-NOT: arith.shli
  // CHECK: return
  %square = arith.mulf %x, %x : tensor<64xf32>
  %negated = arith.negf %square : tensor<64xf32>
  %r = math.exp2 %negated : tensor<64xf32>
  return %r : tensor<64xf32>
}

// One polynomial, and one reciprocal whose quotient is corrected.
// CHECK-LABEL: @tanh
func.func @tanh(%x: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK-NOT: arith.select
  // CHECK-COUNT-11: math.fma
  // CHECK-NOT: math.fma
  // CHECK-NOT: arith.select
  // CHECK: return
  %r = math.tanh %x : tensor<64xf32>
  return %r : tensor<64xf32>
}

// The GPU's minimum and maximum that return NaN for NaN exist only for f32.
// CHECK-LABEL: @exp_of_f64
func.func @exp_of_f64(%x: f64) -> f64 {
  // CHECK-NOT: maximumf
  // CHECK-COUNT-14: math.fma
  // CHECK-NOT: math.fma
  // CHECK: return
  %r = math.exp %x : f64
  return %r : f64
}

// CHECK-LABEL: @log_of_a_block
func.func @log_of_a_block(%x: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK-COUNT-9: math.fma
  // CHECK-NOT: math.fma
  // CHECK-COUNT-3: arith.select
  // CHECK-NOT: math.log
  // CHECK: return
  %r = math.log %x : tensor<64xf32>
  return %r : tensor<64xf32>
}

// CHECK-LABEL: @log_of_f64
func.func @log_of_f64(%x: f64) -> f64 {
  // CHECK-COUNT-21: math.fma
  // CHECK-NOT: math.fma
  // CHECK-NOT: math.log
  // CHECK: return
  %r = math.log %x : f64
  return %r : f64
}

// CHECK-LABEL: @narrow_floats_go_through_f32
func.func @narrow_floats_go_through_f32(%x: tensor<64xf16>, %y: bf16) -> (tensor<64xf16>, bf16) {
  // CHECK: arith.extf %{{.*}} : tensor<64xf16> to tensor<64xf32>
  // CHECK: arith.truncf %{{.*}} : tensor<64xf32> to tensor<64xf16>
  // CHECK: arith.extf %{{.*}} : bf16 to f32
  // CHECK: arith.truncf %{{.*}} : f32 to bf16
  %r = math.exp %x : tensor<64xf16>
  %s = math.log %y : bf16
  return %r, %s : tensor<64xf16>, bf16
}

// The exponential of a number ≤ 0 needs no upper bound, and the reciprocal is marked as plain.
// CHECK-LABEL: @sigmoid
// CHECK-SAME: (%[[X:.*]]: tensor<64xf32>)
func.func @sigmoid(%x: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK: arith.maximumf
  // CHECK-NOT: arith.minimumf
  // CHECK: %[[SCALED:.*]] = arith.mulf
  // CHECK: %[[POWER:.*]] = arith.mulf %[[SCALED]],
  // CHECK: %[[DIVISOR:.*]] = arith.addf %[[POWER]],
  // CHECK: %[[RECIPROCAL:.*]] = arith.divf %{{.*}}, %[[DIVISOR]] {eft.plain_quotient}
  // CHECK: %[[IS_LESS:.*]] = arith.cmpf olt, %[[X]],
  // CHECK-NEXT: %[[SMALL:.*]] = arith.mulf %[[POWER]], %[[RECIPROCAL]]
  // CHECK-NEXT: arith.select %[[IS_LESS]], %[[SMALL]], %[[RECIPROCAL]]
  %r = eft.sigmoid %x : tensor<64xf32>
  return %r : tensor<64xf32>
}

// Every function becomes arithmetic, square roots and truncations, without branches.
// CHECK-LABEL: @all_functions
// CHECK-NOT: {{(math\.(exp|log|sin|cos|tan|a[cst]|pow|er|rsqrt|cbrt|round)|= eft\.|scf\.)}}
// CHECK: return
func.func @all_functions(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = math.exp %x : tensor<64xf32>
  %1 = math.exp2 %0 : tensor<64xf32>
  %2 = math.expm1 %1 : tensor<64xf32>
  %3 = eft.exp10 %2 : tensor<64xf32>
  %4 = math.log %3 : tensor<64xf32>
  %5 = math.log2 %4 : tensor<64xf32>
  %6 = math.log10 %5 : tensor<64xf32>
  %7 = math.log1p %6 : tensor<64xf32>
  %8 = math.sin %7 : tensor<64xf32>
  %9 = math.cos %8 : tensor<64xf32>
  %10 = math.tan %9 : tensor<64xf32>
  %11 = math.asin %10 : tensor<64xf32>
  %12 = math.acos %11 : tensor<64xf32>
  %13 = math.atan %12 : tensor<64xf32>
  %14 = math.atan2 %13, %12 : tensor<64xf32>
  %15 = math.sinh %14 : tensor<64xf32>
  %16 = math.cosh %15 : tensor<64xf32>
  %17 = math.tanh %16 : tensor<64xf32>
  %18 = math.asinh %17 : tensor<64xf32>
  %19 = math.acosh %18 : tensor<64xf32>
  %20 = math.atanh %19 : tensor<64xf32>
  %21 = math.erf %20 : tensor<64xf32>
  %22 = eft.erfc %21 : tensor<64xf32>
  %23 = eft.sigmoid %22 : tensor<64xf32>
  %24 = math.powf %23, %22 : tensor<64xf32>
  %25 = math.rsqrt %24 : tensor<64xf32>
  %26 = math.cbrt %25 : tensor<64xf32>
  %27 = eft.hypot %26, %25 : tensor<64xf32>
  %28 = math.round %27 : tensor<64xf32>
  return %28 : tensor<64xf32>
}

// Selects choose words of 2 / π among constants, for one bit of the offset after the other.
// CHECK-LABEL: @an_angle_of_any_magnitude
func.func @an_angle_of_any_magnitude(%x: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK-DAG: arith.constant dense<1367130551> : tensor<64xi32>
  // CHECK-DAG: arith.constant dense<656542356> : tensor<64xi32>
  // CHECK: %[[BIT:.*]] = arith.andi %{{.*}}, %{{.*}} : tensor<64xi32>
  // CHECK: arith.cmpi ne, %[[BIT]],
  // CHECK-COUNT-9: arith.select
  // CHECK-COUNT-2: arith.muli %{{.*}} : tensor<64xi64>
  %r = math.sin %x : tensor<64xf32>
  return %r : tensor<64xf32>
}

// The function of a constant has the same bits as at run time.
// CHECK-LABEL: @constants_are_not_folded
func.func @constants_are_not_folded() -> f32 {
  // CHECK: math.fma
  %x = arith.constant 0.1 : f32
  %r = math.exp %x : f32
  return %r : f32
}

// CHECK-LABEL: @what_hardware_has_stays
func.func @what_hardware_has_stays(%x: f32) -> f32 {
  // CHECK-NEXT: math.sqrt
  // CHECK-NEXT: math.absf
  // CHECK-NEXT: math.fma
  // CHECK-NEXT: return
  %0 = math.sqrt %x : f32
  %1 = math.absf %0 : f32
  %2 = math.fma %1, %x, %x : f32
  return %2 : f32
}

// CHECK-LABEL: @other_types_stay
func.func @other_types_stay(%x: f80) -> f80 {
  // CHECK-NEXT: math.exp %{{.*}} : f80
  %r = math.exp %x : f80
  return %r : f80
}
