// RUN: eft-opt %s -split-input-file -verify-diagnostics

func.func @factor_of_one_dimension(%a: tensor<64xf32>, %b: tensor<16x16xf32>) {
  // expected-error @+1 {{factors must have two dimensions, got 'tensor<64xf32>' and 'tensor<16x16xf32>'}}
  %0 = eft.dot %a, %b, %b precision ieee : tensor<64xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return
}

// -----

func.func @inner_extents_differ(%a: tensor<16x32xf32>, %b: tensor<16x16xf32>) {
  // expected-error @+1 {{the first factor must have as many columns as the second has rows, got 'tensor<16x32xf32>' and 'tensor<16x16xf32>'}}
  %0 = eft.dot %a, %b, %b precision ieee : tensor<16x32xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return
}

// -----

func.func @extent_below_a_tile(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{extents must be at least 16, got 'tensor<16x8xf32>' and 'tensor<8x16xf32>'}}
  %0 = eft.dot %a, %b, %c precision ieee : tensor<16x8xf32>, tensor<8x16xf32> -> tensor<16x16xf32>
  return
}

// -----

func.func @two_element_types(%a: tensor<16x16xf16>, %b: tensor<16x16xbf16>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{factors must have one element type, got 'f16' and 'bf16'}}
  %0 = eft.dot %a, %b, %c precision ieee : tensor<16x16xf16>, tensor<16x16xbf16> -> tensor<16x16xf32>
  return
}

// -----

func.func @element_without_products(%a: tensor<16x16xi16>) {
  // expected-error @+1 {{factors must be of f16, bf16, f32, f64, i8 or i32, got 'i16'}}
  %0 = eft.dot %a, %a, %a precision ieee : tensor<16x16xi16>, tensor<16x16xi16> -> tensor<16x16xi16>
  return
}

// -----

func.func @accumulator_of_the_factors_type(%a: tensor<16x16xf16>) {
  // expected-error @+1 {{accumulator must be like 'tensor<16x16xf32>', got 'tensor<16x16xf16>'}}
  %0 = eft.dot %a, %a, %a precision ieee : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf16>
  return
}

// -----

func.func @accumulator_of_another_shape(%a: tensor<16x32xf32>, %b: tensor<32x64xf32>, %c: tensor<16x32xf32>) {
  // expected-error @+1 {{accumulator must be like 'tensor<16x64xf32>', got 'tensor<16x32xf32>'}}
  %0 = eft.dot %a, %b, %c precision ieee : tensor<16x32xf32>, tensor<32x64xf32> -> tensor<16x32xf32>
  return
}

// -----

func.func @precision_of_halves(%a: tensor<16x16xf16>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{precision must be ieee for factors of 'f16', got tf32}}
  %0 = eft.dot %a, %a, %c precision tf32 : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  return
}

// -----

func.func @narrow_factors_in_buffers(%a: !eft.buffer<tensor<16x16xf16, #eft.layout<lane = [[0, 1], [0, 2], [0, 4], [0, 8]], step = [[1, 0], [2, 0], [4, 0], [8, 0]]>>>, %c: !eft.buffer<tensor<16x16xf32, #eft.layout<lane = [[0, 1], [0, 2], [0, 4], [0, 8]], step = [[1, 0], [2, 0], [4, 0], [8, 0]]>>>) {
  // expected-error @+1 {{factors must be of the accumulator's type, got 'tensor<16x16xf16}}
  eft.dot_into %a, %a, %c : !eft.buffer<tensor<16x16xf16, #eft.layout<lane = [[0, 1], [0, 2], [0, 4], [0, 8]], step = [[1, 0], [2, 0], [4, 0], [8, 0]]>>>, !eft.buffer<tensor<16x16xf16, #eft.layout<lane = [[0, 1], [0, 2], [0, 4], [0, 8]], step = [[1, 0], [2, 0], [4, 0], [8, 0]]>>>, !eft.buffer<tensor<16x16xf32, #eft.layout<lane = [[0, 1], [0, 2], [0, 4], [0, 8]], step = [[1, 0], [2, 0], [4, 0], [8, 0]]>>>
  return
}

// -----

func.func @warpgroups_of_doubles(%a: tensor<64x16xf64>, %b: tensor<16x16xf64>, %c: tensor<64x16xf64>) {
  // expected-error @+1 {{'eft.dot' op for warpgroups needs factors of f16, bf16, f32 or i8, got 'f64'}}
  %d = eft.dot %a, %b, %c precision ieee {warpgroups} : tensor<64x16xf64>, tensor<16x16xf64> -> tensor<64x16xf64>
  return
}

// -----

func.func @warpgroups_of_exact_products(%a: tensor<64x16xf32>, %b: tensor<16x16xf32>, %c: tensor<64x16xf32>) {
  // expected-error @+1 {{'eft.dot' op for warpgroups needs precision tf32 for factors of f32, got ieee}}
  %d = eft.dot %a, %b, %c precision ieee {warpgroups} : tensor<64x16xf32>, tensor<16x16xf32> -> tensor<64x16xf32>
  return
}

// -----

func.func @short_rows_of_bytes(%a: tensor<64x16xi8>, %b: tensor<16x16xi8>, %c: tensor<64x16xi32>) {
  // expected-error @+1 {{'eft.dot' op for warpgroups needs a first factor of at least 64 rows of 32 bytes, got 'tensor<64x16xi8>'}}
  %d = eft.dot %a, %b, %c precision ieee {warpgroups} : tensor<64x16xi8>, tensor<16x16xi8> -> tensor<64x16xi32>
  return
}
