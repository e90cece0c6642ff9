// RUN: eft-opt %s -split-input-file -verify-diagnostics

func.func @no_result(%x: tensor<64xf32>) {
  // expected-error @+1 {{needs a result}}
  eft.inline_asm "trap;" constraints "" pack 1 %x : (tensor<64xf32>) -> ()
  return
}

// -----

func.func @two_shapes(%x: tensor<64xf32>, %y: tensor<32xf32>) {
  // expected-error @+1 {{must have operands and results of one shape and layout, got 'tensor<32xf32>' and 'tensor<64xf32>'}}
  %0 = eft.inline_asm "" constraints "=f,f,f" pack 1 %x, %y : (tensor<64xf32>, tensor<32xf32>) -> tensor<64xf32>
  return
}

// -----

func.func @scalar_and_block(%x: f32) {
  // expected-error @+1 {{must have operands and results of one shape and layout, got 'f32' and 'tensor<64xf32>'}}
  %0 = eft.inline_asm "" constraints "=f,f" pack 1 %x : (f32) -> tensor<64xf32>
  return
}

// -----

func.func @packs_too_many(%x: f32) {
  // expected-error @+1 {{'eft.inline_asm' op attribute 'pack' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 1 whose maximum value is 1024}}
  %0 = eft.inline_asm "" constraints "=f,f" pack 2147483647 %x : (f32) -> f32
  return
}
