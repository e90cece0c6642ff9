// RUN: eft-opt %s -eft-expand-float8 | FileCheck %s
// RUN: eft-opt %s -eft-expand-float8=native | FileCheck %s --check-prefix=NATIVE

// A code of e5m2 is the upper half of an f16.
// CHECK-LABEL: @extended
// CHECK: %[[WIDE:.*]] = arith.extui %{{.*}} : tensor<16xi8> to tensor<16xi16>
// CHECK: %[[BITS:.*]] = arith.shli %[[WIDE]]
// CHECK: %[[HALF:.*]] = arith.bitcast %[[BITS]] : tensor<16xi16> to tensor<16xf16>
// CHECK: return %[[HALF]]
// NATIVE-LABEL: @extended
// NATIVE-NEXT: eft.extend_float8 %{{.*}} from e5m2 : tensor<16xi8> -> tensor<16xf16>
// NATIVE-NEXT: return
func.func @extended(%x: tensor<16xi8>) -> tensor<16xf16> {
  %0 = eft.extend_float8 %x from e5m2 : tensor<16xi8> -> tensor<16xf16>
  return %0 : tensor<16xf16>
}

// CHECK-LABEL: @extended_to_f32
// CHECK: arith.extf %{{.*}} : tensor<16xf16> to tensor<16xf32>
// CHECK: %[[SCALE:.*]] = arith.constant dense<2.560000e+02>
// CHECK: arith.mulf %{{.*}}, %[[SCALE]]
// NATIVE-LABEL: @extended_to_f32
// NATIVE-NEXT: %[[HALF:.*]] = eft.extend_float8 %{{.*}} from e4m3fn : tensor<16xi8> -> tensor<16xf16>
// NATIVE-NEXT: arith.extf %[[HALF]] : tensor<16xf16> to tensor<16xf32>
func.func @extended_to_f32(%x: tensor<16xi8>) -> tensor<16xf32> {
  %0 = eft.extend_float8 %x from e4m3fn : tensor<16xi8> -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// The native target lacks the format e4m3fnuz, and rounding toward zero.
// CHECK-LABEL: @lacking
// CHECK-NOT: eft.
// CHECK: return
// NATIVE-LABEL: @lacking
// NATIVE-NOT: eft.
// NATIVE: return
func.func @lacking(%x: tensor<16xf32>) -> (tensor<16xi8>, tensor<16xi8>) {
  %0 = eft.truncate_float8 %x to e4m3fnuz : tensor<16xf32> -> tensor<16xi8>
  %1 = eft.truncate_float8 %x to e4m3fn toward_zero : tensor<16xf32> -> tensor<16xi8>
  return %0, %1 : tensor<16xi8>, tensor<16xi8>
}

// f64 is rounded to odd on its way through f32.
// NATIVE-LABEL: @truncated_from_f64
// NATIVE: arith.truncf
// NATIVE: %[[ODD:.*]] = arith.bitcast %{{.*}} : tensor<16xi32> to tensor<16xf32>
// NATIVE-NEXT: eft.truncate_float8 %[[ODD]] to e4m3fn : tensor<16xf32> -> tensor<16xi8>
func.func @truncated_from_f64(%x: tensor<16xf64>) -> tensor<16xi8> {
  %0 = eft.truncate_float8 %x to e4m3fn : tensor<16xf64> -> tensor<16xi8>
  return %0 : tensor<16xi8>
}

// NATIVE-LABEL: @in_a_reduction
// NATIVE-NOT: eft.extend_float8
// NATIVE: return
func.func @in_a_reduction(%x: tensor<16xi8>) -> i8 {
  %0 = eft.reduce %x axis 0 : (tensor<16xi8>) -> i8 {
  ^bb0(%a: i8, %b: i8):
    %c = eft.extend_float8 %a from e5m2 : i8 -> f16
    %d = eft.extend_float8 %b from e5m2 : i8 -> f16
    %e = arith.cmpf olt, %c, %d : f16
    %f = arith.select %e, %b, %a : i8
    eft.yield %f : i8
  }
  return %0 : i8
}

// CHECK-LABEL: @products
// CHECK-COUNT-2: eft.dot %{{.*}} precision ieee : tensor<16x32xf16>, tensor<32x16xf16> -> tensor<16x16xf32>
// NATIVE-LABEL: @products
// NATIVE: eft.dot %{{.*}} precision ieee formats e4m3fn, e5m2 : tensor<16x32xi8>
// NATIVE: eft.dot %{{.*}} precision ieee : tensor<16x32xf16>
func.func @products(%a: tensor<16x32xi8>, %b: tensor<32x16xi8>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = eft.dot %a, %b, %c precision ieee formats e4m3fn, e5m2 : tensor<16x32xi8>, tensor<32x16xi8> -> tensor<16x16xf32>
  %1 = eft.dot %a, %b, %0 precision ieee formats e4m3b15, e5m2 : tensor<16x32xi8>, tensor<32x16xi8> -> tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}

// An instruction for tensor cores needs at least 32 bytes along k.
// NATIVE-LABEL: @short_product
// NATIVE-COUNT-2: eft.extend_float8
// NATIVE: eft.dot %{{.*}} precision ieee : tensor<16x16xf16>
func.func @short_product(%a: tensor<16x16xi8>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = eft.dot %a, %a, %c precision ieee formats e4m3fn, e4m3fn : tensor<16x16xi8>, tensor<16x16xi8> -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
