// RUN: eft-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{a buffer must be of a block with a layout, got 'tensor<8xf32>'}}
func.func @block_without_a_layout(%b: !eft.buffer<tensor<8xf32>>) {
  return
}

// -----

#whole = #eft.layout<lane = [[1], [2]], step = [[4]]>

func.func @part_of_other_elements(%b: !eft.buffer<tensor<8xf32, #whole>>, %x: tensor<8xi32, #whole>, %i: i32) {
  // expected-error @+1 {{'eft.buffer_write' op part must be one of the buffer's block, got 'tensor<8xi32, #eft.layout<lane = [[1], [2]], step = [[4]]>>' and}}
  eft.buffer_write %x, %b[%i] : tensor<8xi32, #whole>, <tensor<8xf32, #whole>>
  return
}

// -----

#whole = #eft.layout<lane = [[1], [2]], step = [[4]]>
#part = #eft.layout<lane = [[1]], step = [[2]]>

func.func @part_of_fewer_lanes(%b: !eft.buffer<tensor<8xf32, #whole>>, %i: i32) {
  // expected-error @+1 {{'eft.buffer_read' op part must be one of the buffer's block, got 'tensor<4xf32, #eft.layout<lane = [[1]], step = [[2]]>>' and}}
  %x = eft.buffer_read %b[%i] : <tensor<8xf32, #whole>> -> tensor<4xf32, #part>
  return
}
