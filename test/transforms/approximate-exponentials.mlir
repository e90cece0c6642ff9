// RUN: eft-opt %s -eft-expand-math=approximates-exponentials=true -cse | FileCheck %s
// RUN: eft-opt %s -eft-expand-math -cse | FileCheck %s --check-prefix=EXACT

// EXACT-NOT: fastmath

// CHECK-LABEL: @exp2
// CHECK-NEXT: %[[Y:.*]] = math.exp2 %arg0 fastmath<afn> : tensor<64xf32>
// CHECK-NEXT: return %[[Y]]
func.func @exp2(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y = math.exp2 %x fastmath<afn> : tensor<64xf32>
  return %y : tensor<64xf32>
}

// CHECK-LABEL: @narrow
// CHECK-NEXT: %[[X:.*]] = arith.extf %arg0 : bf16 to f32
// CHECK-NEXT: %[[Y:.*]] = math.exp2 %[[X]] fastmath<afn> : f32
// CHECK-NEXT: arith.truncf %[[Y]] : f32 to bf16
func.func @narrow(%x: bf16) -> bf16 {
  %y = math.exp2 %x fastmath<afn> : bf16
  return %y : bf16
}

// CHECK-LABEL: @exp
// CHECK: %[[LOW:.*]] = arith.maximumf %arg0,
// CHECK: %[[X:.*]] = arith.minimumf %[[LOW]],
// CHECK: %[[T:.*]] = arith.mulf %[[X]],
// CHECK: %[[REST:.*]] = math.fma %[[T]], %{{.*}}, %[[X]]
// CHECK: %[[L:.*]] = math.fma %[[T]], %{{.*}}, %[[REST]]
// CHECK-NEXT: %[[POWER:.*]] = math.exp2 %[[T]] fastmath<afn>
// CHECK-NEXT: %[[Y:.*]] = math.fma %[[POWER]], %[[L]], %[[POWER]]
// CHECK-NEXT: return %[[Y]]
func.func @exp(%x: f32) -> f32 {
  %y = math.exp %x fastmath<afn> : f32
  return %y : f32
}

// A number that is at most 0 needs no upper bound.
// CHECK-LABEL: @exp_of_negated_square
// CHECK: %[[X:.*]] = arith.maximumf
// CHECK-NOT: arith.minimumf
// CHECK: %[[T:.*]] = arith.mulf %[[X]],
func.func @exp_of_negated_square(%x: f32) -> f32 {
  %square = arith.mulf %x, %x : f32
  %negated = arith.negf %square : f32
  %y = math.exp %negated fastmath<afn> : f32
  return %y : f32
}

// The division is the hardware's approximation of the reciprocal.
// CHECK-LABEL: @sigmoid
// CHECK: %[[POWER:.*]] = math.exp2 %{{.*}} fastmath<afn>
// CHECK-NEXT: %[[E:.*]] = math.fma %[[POWER]], %{{.*}}, %[[POWER]]
// CHECK: %[[SUM:.*]] = arith.addf %[[E]], %[[ONE:.*]] : f32
// CHECK-NEXT: %[[Y:.*]] = arith.divf %[[ONE]], %[[SUM]] fastmath<afn> : f32
// CHECK-NEXT: return %[[Y]]
func.func @sigmoid(%x: f32) -> f32 {
  %y = eft.sigmoid %x approximate : f32
  return %y : f32
}

// Exponentials without fastmath<afn> are not approximated, nor are those of f64.
// CHECK-LABEL: @exact
// CHECK-NOT: math.exp
func.func @exact(%x: f32, %y: f64) -> (f32, f64) {
  %a = math.exp2 %x : f32
  %b = math.exp2 %y fastmath<afn> : f64
  return %a, %b : f32, f64
}

// CHECK-LABEL: @exact_sigmoid
// CHECK-NOT: fastmath
func.func @exact_sigmoid(%x: f32, %y: f64) -> (f32, f64) {
  %a = eft.sigmoid %x : f32
  %b = eft.sigmoid %y approximate : f64
  return %a, %b : f32, f64
}
