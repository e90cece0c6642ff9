// RUN: eft-opt %s -split-input-file -verify-diagnostics

func.func @extended_to_bf16(%x: tensor<16xi8>) {
  // expected-error @+1 {{result must be of f16 or f32, got 'bf16'}}
  %0 = eft.extend_float8 %x from e5m2 : tensor<16xi8> -> tensor<16xbf16>
  return
}

// -----

func.func @truncated_from_bf16(%x: tensor<16xbf16>) {
  // expected-error @+1 {{operand must be of f16, f32 or f64, got 'bf16'}}
  %0 = eft.truncate_float8 %x to e5m2 : tensor<16xbf16> -> tensor<16xi8>
  return
}

// -----

func.func @one_format(%a: tensor<16x16xi8>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{needs the formats of both factors, or of none}}
  %0 = "eft.dot"(%a, %a, %c) {precision = 0 : i32, formatOfA = 0 : i32} : (tensor<16x16xi8>, tensor<16x16xi8>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return
}

// -----

func.func @formats_of_halves(%a: tensor<16x16xf16>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{factors with formats must be of i8, got 'f16'}}
  %0 = eft.dot %a, %a, %c precision ieee formats e5m2, e5m2 : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  return
}

// -----

func.func @sum_of_integers(%a: tensor<16x16xi8>, %c: tensor<16x16xi32>) {
  // expected-error @+1 {{accumulator must be like 'tensor<16x16xf32>', got 'tensor<16x16xi32>'}}
  %0 = eft.dot %a, %a, %c precision ieee formats e5m2, e5m2 : tensor<16x16xi8>, tensor<16x16xi8> -> tensor<16x16xi32>
  return
}
