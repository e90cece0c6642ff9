// RUN: eft-opt %s -split-input-file -verify-diagnostics

#block = #eft.layout<lane = [[1], [2]], step = [[4], [8]]>

func.func @elements_of_another_block(%b: !eft.buffer<tensor<16xf32, #block>>, %i: i32) {
  // expected-error @+1 {{'eft.buffer_read' op elements are not of the buffer's block: }}
  %0 = eft.buffer_read %b[%i] of <lane = [[1], [2]], step = [[4], [32]]> : <tensor<16xf32, #block>> -> tensor<16xf32, #block>
  return
}

// -----

#block = #eft.layout<lane = [[1], [2]], step = [[4], [8]]>

func.func @elements_in_other_lanes(%b: !eft.buffer<tensor<16xf32, #block>>, %i: i32) {
  // expected-error @+1 {{part must have the lanes of the elements, and no more steps, got 'tensor<16xf32}}
  %0 = eft.buffer_read %b[%i] of <lane = [[1]], step = [[2], [4], [8]]> : <tensor<16xf32, #block>> -> tensor<16xf32, #block>
  return
}

// -----

#block = #eft.layout<lane = [[1], [2]], step = [[4], [8]]>

func.func @booleans_elsewhere(%b: !eft.buffer<tensor<16xi1, #block>>, %i: i32) {
  // expected-error @+1 {{'eft.buffer_read' op can't move booleans, which are bits of a vector}}
  %0 = eft.buffer_read %b[%i] of <lane = [[1], [2]], step = [[4], [8]]> xor 15 : <tensor<16xi1, #block>> -> tensor<16xi1, #block>
  return
}

// -----

#half = #eft.layout<lane = [[1], [2]], step = [[4], [0]]>

func.func @elements_that_lie_nowhere(%b: !eft.buffer<tensor<16xf32, #half>>, %i: i32) {
  // expected-error @+1 {{can't move elements of a block that its layout does not cover, got 'tensor<16xf32}}
  %0 = eft.buffer_read %b[%i] of <lane = [[1], [2]], step = [[4], [8]]> : <tensor<16xf32, #half>> -> tensor<16xf32, #half>
  return
}

// -----

#block = #eft.layout<lane = [[1], [2]], step = [[4], [8]]>

func.func @elements_flipped_too_far(%b: !eft.buffer<tensor<16xf32, #block>>, %i: i32) {
  // expected-error @+1 {{xor must lie between 0 and 15, got 16}}
  %0 = eft.buffer_read %b[%i] of <lane = [[1], [2]], step = [[4], [8]]> xor 16 : <tensor<16xf32, #block>> -> tensor<16xf32, #block>
  return
}

// -----

#block = #eft.layout<lane = [[1], [2]], step = [[4], [8]]>

func.func @picked_elsewhere(%b: !eft.buffer<tensor<16xf32, #block>>, %n: tensor<4xi32>) {
  // expected-error @+1 {{result must be elements of the buffer in the places of the numbers, got 'tensor<4xi32>', '!eft.buffer<tensor<16xf32}}
  %0 = eft.buffer_gather %b[%n] : <tensor<16xf32, #block>>, tensor<4xi32> -> tensor<4xf64>
  return
}

// -----

#block = #eft.layout<lane = [[1], [2]], step = [[4], [8]]>

func.func @picked_booleans(%b: !eft.buffer<tensor<16xi1, #block>>, %n: tensor<4xi32>) {
  // expected-error @+1 {{'eft.buffer_gather' op can't pick booleans, which are bits of a vector}}
  %0 = eft.buffer_gather %b[%n] : <tensor<16xi1, #block>>, tensor<4xi32> -> tensor<4xi1>
  return
}

// -----

#block = #eft.layout<lane = [[1], [2]], step = [[4], [8]]>

func.func @printed_floats(%b: !eft.buffer<tensor<16xf32, #block>>) {
  // expected-error @+1 {{operand #0 must be i64, f64, a pointer, or a block or buffer of these, but got '!eft.buffer<tensor<16xf32}}
  eft.print "x" %b : !eft.buffer<tensor<16xf32, #block>>
  return
}

// -----

#block = #eft.layout<lane = [[1], [2]], step = [[4], [8]]>

func.func @floats_in_hex(%b: !eft.buffer<tensor<16xf64, #block>>) {
  // expected-error @+1 {{hex needs integers, got '!eft.buffer<tensor<16xf64}}
  eft.print "x" %b hex 8 : !eft.buffer<tensor<16xf64, #block>>
  return
}

// -----

func.func @sorted_along_no_axis(%x: tensor<16x4xi32>) {
  // expected-error @+1 {{'eft.sort' op axis must lie between 0 and 1, got 2}}
  %0 = eft.sort %x axis 2 stages 1 to 2 : tensor<16x4xi32>
  return
}

// -----

func.func @too_many_stages(%x: tensor<16x4xi32>) {
  // expected-error @+1 {{stages must lie between 1 and 2, got 1 to 3}}
  %0 = eft.sort %x axis 1 stages 1 to 3 : tensor<16x4xi32>
  return
}

// -----

func.func @sorted_booleans(%x: tensor<16xi1>) {
  // expected-error @+1 {{must be of integers of several bits, got 'tensor<16xi1>'}}
  %0 = eft.sort %x axis 0 stages 1 to 4 : tensor<16xi1>
  return
}

// -----

#block = #eft.layout<lane = [[1], [2]], step = [[4], [8]]>

func.func @sorted_floats(%x: !eft.buffer<tensor<16xf32, #block>>) {
  // expected-error @+1 {{'eft.sort_into' op must be of integers of several bits, got 'tensor<16xf32}}
  eft.sort_into %x axis 0 stages 1 to 4 : <tensor<16xf32, #block>>
  return
}

// -----

#twice = #eft.layout<lane = [[1], [2]], step = [[2], [4]]>

func.func @printed_elements_that_lie_nowhere(%b: !eft.buffer<tensor<16xi64, #twice>>) {
  // expected-error @+1 {{can't print a buffer whose layout does not cover its block, got '!eft.buffer<tensor<16xi64}}
  eft.print "x" %b : !eft.buffer<tensor<16xi64, #twice>>
  return
}
