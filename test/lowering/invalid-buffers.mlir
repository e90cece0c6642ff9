// RUN: eft-opt %s -split-input-file -verify-diagnostics -eft-lower-to-cpu

#rows = #eft.layout<lane = [[0, 1], [0, 2], [0, 4]], step = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#askew = #eft.layout<lane = [[0, 1], [0, 2], [0, 4]], step = [[0, 8], [1, 8], [2, 0], [4, 0], [8, 0]]>

func.func @factor_that_lies_askew() {
  %a = eft.buffer : <tensor<16x16xf32, #askew>>
  %c = eft.buffer : <tensor<16x16xf32, #rows>>
  // expected-error @+1 {{can't multiply a buffer in this order, got '!eft.buffer<tensor<16x16xf32}}
  eft.dot_into %a, %c, %c : <tensor<16x16xf32, #askew>>, <tensor<16x16xf32, #rows>>, <tensor<16x16xf32, #rows>>
  return
}

// -----

#askew = #eft.layout<lane = [[1], [2]], step = [[4], [12]]>

func.func @scan_askew() {
  %x = eft.buffer : <tensor<16xf32, #askew>>
  // expected-error @+1 {{can't scan a buffer in this order, got 'tensor<16xf32}}
  eft.scan_into %x axis 0 : (!eft.buffer<tensor<16xf32, #askew>>) {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    eft.yield %sum : f32
  }
  return
}

// -----

#block = #eft.layout<lane = [[1], [2]], step = [[4], [8]]>

func.func @scan_with_memory(%p: !eft.ptr<f32>) {
  %x = eft.buffer : <tensor<16xf32, #block>>
  eft.scan_into %x axis 0 : (!eft.buffer<tensor<16xf32, #block>>) {
  ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{can't be a part of a combining function, which is arithmetic on the elements alone}}
    %n = eft.num_programs x
    %sum = arith.addf %a, %b : f32
    eft.yield %sum : f32
  }
  return
}

// -----

#askew = #eft.layout<lane = [[1], [2]], step = [[4], [12]]>

func.func @sort_askew() {
  %x = eft.buffer : <tensor<16xi32, #askew>>
  // expected-error @+1 {{can't sort a buffer in this order, got 'tensor<16xi32}}
  eft.sort_into %x axis 0 stages 1 to 4 : <tensor<16xi32, #askew>>
  return
}

// -----

#keys = #eft.layout<lane = [[1], [2]], step = [[4], [8], [3]]>
#bins = #eft.layout<lane = [[1], [2]], step = [[4]]>

func.func @counting_elements_twice(%x: !eft.ptr<i32>) {
  %keys = eft.buffer : !eft.buffer<tensor<16xi32, #keys>>
  %counts = eft.buffer : !eft.buffer<tensor<8xi32, #bins>>
  // expected-error @+1 {{can't count in buffers of this order, got 'tensor<16xi32}}
  eft.histogram_into %keys, %counts : <tensor<16xi32, #keys>>, <tensor<8xi32, #bins>>
  return
}
