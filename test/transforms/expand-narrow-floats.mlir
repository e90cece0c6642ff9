// RUN: eft-opt %s --eft-expand-narrow-floats --cse | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: eft-opt %s --eft-expand-narrow-floats="native-f16=true native-bf16-conversion=true" --cse \
// RUN:   | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: eft-opt %s --eft-expand-narrow-floats="native-f16-conversion=false" --cse \
// RUN:   | FileCheck %s --check-prefix=INTEGERS \
// RUN:       --implicit-check-not="f16 to f32" --implicit-check-not="f32 to f16"

// CHECK-LABEL: @sum_of_bf16
// CHECK-SAME: (%[[A:.*]]: tensor<64xbf16>)
func.func @sum_of_bf16(%a: tensor<64xbf16>) -> tensor<64xbf16> {
  // CPU: %[[BITS:.*]] = arith.bitcast %[[A]] : tensor<64xbf16> to tensor<64xi16>
  // CPU: %[[WIDE:.*]] = arith.extui %[[BITS]] : tensor<64xi16> to tensor<64xi32>
  // CPU: %[[SHIFTED:.*]] = arith.shli %[[WIDE]], %{{.*}} : tensor<64xi32>
  // CPU: %[[X:.*]] = arith.bitcast %[[SHIFTED]] : tensor<64xi32> to tensor<64xf32>
  // CPU: %[[SUM:.*]] = arith.addf %[[X]], %[[X]] : tensor<64xf32>
  // CPU-NOT: arith.truncf
  // CPU: %[[NAN:.*]] = arith.cmpf uno, %[[SUM]], %[[SUM]]
  // CPU: %[[CHOSEN:.*]] = arith.select %[[NAN]],
  // CPU: %[[UPPER:.*]] = arith.shrui %[[CHOSEN]],
  // CPU: %[[HALF:.*]] = arith.trunci %[[UPPER]] : tensor<64xi32> to tensor<64xi16>
  // CPU: arith.bitcast %[[HALF]] : tensor<64xi16> to tensor<64xbf16>

  // GPU-NEXT: %[[X:.*]] = arith.extf %[[A]] : tensor<64xbf16> to tensor<64xf32>
  // GPU-NEXT: %[[SUM:.*]] = arith.addf %[[X]], %[[X]] : tensor<64xf32>
  // GPU-NEXT: arith.truncf %[[SUM]] : tensor<64xf32> to tensor<64xbf16>
  %r = arith.addf %a, %a : tensor<64xbf16>
  return %r : tensor<64xbf16>
}

// CHECK-LABEL: @f16_operations
// INTEGERS-LABEL: @f16_operations
func.func @f16_operations(%a: f16, %b: f16) -> f16 {
  // INTEGERS: %[[BITS:.*]] = arith.bitcast %{{.*}} : f16 to i16
  // INTEGERS: arith.extui %[[BITS]] : i16 to i32
  // INTEGERS: arith.trunci %{{.*}} : i32 to i16
  // INTEGERS-NEXT: arith.bitcast %{{.*}} : i16 to f16
  // CPU: arith.mulf %{{.*}} : f32
  // CPU-NEXT: arith.truncf
  // CPU: arith.subf %{{.*}} : f32
  // CPU-NEXT: arith.truncf
  // CPU: arith.maximumf %{{.*}} : f32
  // GPU-NEXT: arith.mulf %{{.*}} : f16
  // GPU-NEXT: arith.subf %{{.*}} : f16
  // GPU-NEXT: arith.maximumf %{{.*}} : f16
  %0 = arith.mulf %a, %b : f16
  %1 = arith.subf %0, %b : f16
  %2 = arith.maximumf %1, %a : f16
  return %2 : f16
}

// A mask hides from LLVM that the f32 comes from f16. Otherwise LLVM would compare in f16.
// CHECK-LABEL: @comparison
func.func @comparison(%a: tensor<64xf16>, %b: tensor<64xf16>) -> tensor<64xi1> {
  // CPU: arith.constant dense<-8192> : tensor<64xi32>
  // CPU: arith.andi
  // CPU: arith.andi
  // CPU: arith.cmpf ult, %{{.*}} : tensor<64xf32>
  // GPU-NEXT: arith.cmpf ult, %{{.*}} : tensor<64xf16>
  %r = arith.cmpf ult, %a, %b : tensor<64xf16>
  return %r : tensor<64xi1>
}

// CHECK-LABEL: @division_and_root_go_through_f32
func.func @division_and_root_go_through_f32(%a: f16) -> f16 {
  // CHECK: arith.divf %{{.*}} : f32
  // CHECK-NEXT: %[[Q:.*]] = arith.truncf %{{.*}} : f32 to f16
  // CHECK-NEXT: arith.extf %[[Q]] : f16 to f32
  // CHECK: math.sqrt %{{.*}} : f32
  // CHECK-NEXT: arith.truncf %{{.*}} : f32 to f16
  %0 = arith.divf %a, %a : f16
  %1 = math.sqrt %0 : f16
  return %1 : f16
}

// CHECK-LABEL: @signs_are_bits
func.func @signs_are_bits(%a: f16, %b: bf16) -> (f16, f16, bf16) {
  // CPU: arith.constant -32768 : i16
  // CPU: arith.xori
  // GPU: arith.negf %{{.*}} : f16
  // CHECK: arith.constant 32767 : i16
  // CHECK: arith.andi
  // CHECK: arith.xori
  %0 = arith.negf %a : f16
  %1 = math.absf %a : f16
  %2 = arith.negf %b : bf16
  return %0, %1, %2 : f16, f16, bf16
}

// The result is one of the operands, so no rounding is needed.
// CHECK-LABEL: @minimum_is_exact
func.func @minimum_is_exact(%a: bf16, %b: bf16) -> bf16 {
  // CPU: arith.minimumf %{{.*}} : f32
  // CPU-NEXT: arith.bitcast
  // CPU-NEXT: arith.shrui
  // CPU-NEXT: arith.trunci
  // CPU-NEXT: arith.bitcast
  // GPU-NEXT: arith.minimumf %{{.*}} : bf16
  // CHECK-NEXT: return
  %r = arith.minimumf %a, %b : bf16
  return %r : bf16
}

// A GPU has minima and maxima of bf16, but its sums of bf16 go through f32.
// CHECK-LABEL: @extremes_of_bf16
func.func @extremes_of_bf16(%a: bf16, %b: bf16) -> bf16 {
  // CPU: arith.maximumf %{{.*}} : f32
  // CPU: eft.min_num %{{.*}} : f32
  // CPU: eft.max_num %{{.*}} : f32
  // GPU-NEXT: arith.maximumf %{{.*}} : bf16
  // GPU-NEXT: eft.min_num %{{.*}} : bf16
  // GPU-NEXT: eft.max_num %{{.*}} : bf16
  // CHECK: arith.addf %{{.*}} : f32
  %0 = arith.maximumf %a, %b : bf16
  %1 = eft.min_num %0, %b : bf16
  %2 = eft.max_num %1, %a : bf16
  %3 = arith.addf %2, %a : bf16
  return %3 : bf16
}

// Rounding a narrow float to an integer gives a number that the narrow type holds, so the result is
// exact.
// CHECK-LABEL: @rounding_is_exact
func.func @rounding_is_exact(%a: f16) -> f16 {
  // CHECK: math.floor %{{.*}} : f32
  // CHECK-NEXT: arith.truncf %{{.*}} : f32 to f16
  // CHECK: math.ceil %{{.*}} : f32
  // CHECK: math.trunc %{{.*}} : f32
  // CHECK: math.roundeven %{{.*}} : f32
  %0 = math.floor %a : f16
  %1 = math.ceil %0 : f16
  %2 = math.trunc %1 : f16
  %3 = math.roundeven %2 : f16
  return %3 : f16
}

// CHECK-LABEL: @f64_is_rounded_once
// CHECK-SAME: (%[[X:.*]]: f64)
func.func @f64_is_rounded_once(%x: f64) -> (f16, bf16) {
  // CPU: %[[NEAREST:.*]] = arith.truncf %[[X]] : f64 to f32
  // CPU: %[[BACK:.*]] = arith.extf %[[NEAREST]] : f32 to f64
  // CPU: arith.cmpf une, %[[BACK]], %[[X]]
  // CPU: arith.truncf %{{.*}} : f32 to f16
  // GPU-NEXT: arith.truncf %[[X]] : f64 to f16
  // GPU: arith.cmpf une, %{{.*}}, %[[X]]
  // GPU: arith.truncf %{{.*}} : f32 to bf16
  %h = arith.truncf %x : f64 to f16
  %b = arith.truncf %x : f64 to bf16
  return %h, %b : f16, bf16
}

// CHECK-LABEL: @integers
func.func @integers(%i: i8, %j: i32, %k: i64) -> (bf16, bf16, bf16, f16) {
  // CHECK: arith.sitofp %{{.*}} : i8 to f32
  // CHECK: arith.cmpi ult
  // CHECK: arith.uitofp %{{.*}} : i32 to f32
  // CHECK: arith.cmpi ult
  // CHECK: arith.sitofp %{{.*}} : i64 to f64
  // GPU: arith.sitofp %{{.*}} : i64 to f16
  %0 = arith.sitofp %i : i8 to bf16
  %1 = arith.uitofp %j : i32 to bf16
  %2 = arith.sitofp %k : i64 to bf16
  %3 = arith.sitofp %k : i64 to f16
  return %0, %1, %2, %3 : bf16, bf16, bf16, f16
}

// CHECK-LABEL: @fused_multiply_add
func.func @fused_multiply_add(%h: f16, %b: bf16) -> (f16, bf16) {
  // CPU: arith.mulf %{{.*}} : f64
  // GPU: math.fma %{{.*}} : f16
  // CHECK: arith.mulf %{{.*}} : f64
  // CHECK-NOT: math.fma
  %0 = math.fma %h, %h, %h : f16
  %1 = math.fma %b, %b, %b : bf16
  return %0, %1 : f16, bf16
}

// CHECK-LABEL: @f32_and_selects_stay
func.func @f32_and_selects_stay(%c: i1, %x: f32, %y: bf16, %z: f80) -> (f32, bf16, f16) {
  // CHECK-NEXT: arith.addf %{{.*}} : f32
  // CHECK-NEXT: arith.select %{{.*}} : bf16
  // CHECK-NEXT: arith.truncf %{{.*}} : f80 to f16
  %0 = arith.addf %x, %x : f32
  %1 = arith.select %c, %y, %y : bf16
  %2 = arith.truncf %z : f80 to f16
  return %0, %1, %2 : f32, bf16, f16
}

// CHECK-LABEL: @other_rounding_stays
func.func @other_rounding_stays(%x: f32) -> bf16 {
  // CHECK-NEXT: arith.truncf %{{.*}} toward_zero : f32 to bf16
  %0 = arith.truncf %x toward_zero : f32 to bf16
  return %0 : bf16
}
