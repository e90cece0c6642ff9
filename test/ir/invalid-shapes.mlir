// RUN: eft-opt %s -split-input-file -verify-diagnostics

func.func @reshape_loses_elements(%x: tensor<8xf32>) {
  // expected-error @+1 {{must keep the number of elements, got 'tensor<8xf32>' and 'tensor<2x2xf32>'}}
  %0 = eft.reshape %x : tensor<8xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @reshape_changes_the_type(%x: tensor<8xf32>) {
  // expected-error @+1 {{result must be like 'tensor<4x2xf32>', got 'tensor<4x2xi32>'}}
  %0 = eft.reshape %x : tensor<8xf32> -> tensor<4x2xi32>
  return
}

// -----

func.func @order_repeats_a_dimension(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{order must name each of 2 dimensions once, got [1, 1]}}
  %0 = eft.trans %x order [1, 1] : tensor<8x4xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @transposed_shape(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{result must be like 'tensor<4x8xf32>', got 'tensor<8x4xf32>'}}
  %0 = eft.trans %x order [1, 0] : tensor<8x4xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @join_of_another_shape(%x: tensor<8xf32>) {
  // expected-error @+1 {{result must be like 'tensor<8x2xf32>', got 'tensor<16xf32>'}}
  %0 = eft.join %x, %x : tensor<8xf32> -> tensor<16xf32>
  return
}

// -----

func.func @split_of_another_extent(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{source must be like 'tensor<8x2xf32>', got 'tensor<8x4xf32>'}}
  %0, %1 = eft.split %x : tensor<8x4xf32> -> tensor<8xf32>
  return
}

// -----

func.func @mask_is_too_large(%x: tensor<8xf32>) {
  // expected-error @+1 {{mask must lie between 0 and 7, got 8}}
  %0 = eft.exchange %x axis 0 mask 8 : tensor<8xf32>
  return
}

// -----

func.func @no_such_axis(%x: tensor<8xf32>) {
  // expected-error @+1 {{axis must lie between 0 and 0, got 1}}
  %0 = eft.exchange %x axis 1 mask 1 : tensor<8xf32>
  return
}

// -----

func.func @gather_along_another_axis(%x: tensor<8x4xf32>, %i: tensor<4x4xi32>) {
  // expected-error @+1 {{source and indices may differ in the extent of axis 1 only, got 'tensor<8x4xf32>' and 'tensor<4x4xi32>'}}
  %0 = eft.gather %x[%i] axis 1 : tensor<8x4xf32>, tensor<4x4xi32> -> tensor<4x4xf32>
  return
}

// -----

func.func @gather_by_bytes(%x: tensor<8xf32>, %i: tensor<8xi8>) {
  // expected-error @+1 {{indices must have 32 or 64 bits, got 'tensor<8xi8>'}}
  %0 = eft.gather %x[%i] axis 0 : tensor<8xf32>, tensor<8xi8> -> tensor<8xf32>
  return
}

// -----

func.func @conversion_changes_the_shape(%x: tensor<8xf32>) {
  // expected-error @+1 {{result must be like 'tensor<8xf32>', got 'tensor<4xf32>'}}
  %0 = eft.convert_layout %x : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @nothing_to_reduce() {
  // expected-error @+1 {{'eft.reduce' op needs at least one source}}
  "eft.reduce"() ({
    eft.yield
  }) {axis = 0 : i32} : () -> ()
  return
}

// -----

func.func @reduction_with_too_few_results(%x: tensor<8xf32>) {
  // expected-error @+1 {{'eft.reduce' op must have a result for each of 2 sources, got 1}}
  %0 = eft.reduce %x, %x axis 0 : (tensor<8xf32>, tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    eft.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @combination_of_three_lists(%x: tensor<8xf32>) {
  // expected-error @+1 {{'eft.combine' op must take two lists of its results' types, got 'tensor<8xf32>', 'tensor<8xf32>', 'tensor<8xf32>' and 'tensor<8xf32>'}}
  %0 = eft.combine %x, %x, %x : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    eft.yield %a : f32
  }
  return
}

// -----

func.func @shapes_differ(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{sources must be of one shape, got 'tensor<8xf32>' and 'tensor<4xf32>'}}
  %0:2 = eft.reduce %x, %y axis 0 : (tensor<8xf32>, tensor<4xf32>) -> (f32, f32) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    eft.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @region_takes_too_little(%x: tensor<8xf32>) {
  // expected-error @+1 {{region must take 'f32', 'f32', got 'f32'}}
  %0 = eft.reduce %x axis 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32):
    eft.yield %a : f32
  }
  return
}

// -----

func.func @region_yields_another_type(%x: tensor<8xf32>) {
  // expected-error @+1 {{region must yield 'f32'}}
  %0 = eft.scan %x axis 0 : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.constant 1 : i32
    eft.yield %c : i32
  }
  return
}

// -----

func.func @reduction_keeps_its_shape(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{must give 'tensor<8x4xf32>' without dimension 1, got 'tensor<4xf32>'}}
  %0 = eft.reduce %x axis 1 : (tensor<8x4xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    eft.yield %a : f32
  }
  return
}

// -----

func.func @order_folds_a_bit_twice(%x: tensor<8xf32>) {
  // expected-error @+1 {{order must fold every bit of an axis of extent 8 once, got 2 steps and tree [1, 1]}}
  %0 = eft.reduce %x axis 0 steps 2 tree [1, 1] : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    eft.yield %a : f32
  }
  return
}

// -----

func.func @scan_changes_its_type(%x: tensor<8xf32>) {
  // expected-error @+1 {{results must have the sources' types, got 'tensor<4xf32>' and 'tensor<8xf32>'}}
  %0 = eft.scan %x axis 0 : (tensor<8xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    eft.yield %a : f32
  }
  return
}

// -----

func.func @reduction_of_pointers(%x: tensor<8x!eft.ptr<f32>>) {
  // expected-error @+1 {{operand #0 must be variadic of block of numbers, but got 'tensor<8x!eft.ptr<f32>>'}}
  %0 = eft.reduce %x axis 0 : (tensor<8x!eft.ptr<f32>>) -> !eft.ptr<f32> {
  ^bb0(%a: !eft.ptr<f32>, %b: !eft.ptr<f32>):
    eft.yield %a : !eft.ptr<f32>
  }
  return
}

// -----

func.func @scan_of_buffers_that_lie_apart(%x: !eft.buffer<tensor<8xf32, #eft.layout<lane = [[1], [2]], step = [[4]]>>>, %y: !eft.buffer<tensor<8xf32, #eft.layout<lane = [[4], [2]], step = [[1]]>>>) {
  // expected-error @+1 {{buffers must lie alike, got 'tensor<8xf32}}
  eft.scan_into %x, %y axis 0 : (!eft.buffer<tensor<8xf32, #eft.layout<lane = [[1], [2]], step = [[4]]>>>, !eft.buffer<tensor<8xf32, #eft.layout<lane = [[4], [2]], step = [[1]]>>>) {
  ^bb0(%a: f32, %c: f32, %b: f32, %d: f32):
    eft.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @histogram_of_a_matrix(%x: tensor<8x4xi32>) {
  // expected-error @+1 {{source and result must be blocks of rank 1 of i32, got 'tensor<8x4xi32>'}}
  %0 = eft.histogram %x : tensor<8x4xi32> -> tensor<4xi32>
  return
}

// -----

func.func @histogram_of_bytes(%x: tensor<8xi8>) {
  // expected-error @+1 {{source and result must be blocks of rank 1 of i32, got 'tensor<8xi8>'}}
  %0 = eft.histogram %x : tensor<8xi8> -> tensor<4xi32>
  return
}

// -----

#layout = #eft.layout<lane = [[1], [2]], step = [[4]]>

func.func @histogram_into_wide_counts(%x: !eft.buffer<tensor<8xi32, #layout>>, %y: !eft.buffer<tensor<8xi64, #layout>>) {
  // expected-error @+1 {{source and result must be blocks of rank 1 of i32, got 'tensor<8xi64}}
  eft.histogram_into %x, %y : <tensor<8xi32, #layout>>, <tensor<8xi64, #layout>>
  return
}

// -----

#layout = #eft.layout<lane = [[1], [2]], step = [[4]]>

func.func @histogram_into_its_source(%x: !eft.buffer<tensor<8xi32, #layout>>) {
  // expected-error @+1 {{source and result must be different buffers}}
  eft.histogram_into %x, %x : <tensor<8xi32, #layout>>, <tensor<8xi32, #layout>>
  return
}
