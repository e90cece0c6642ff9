// RUN: eft-opt %s -split-input-file -verify-diagnostics

func.func @no_source() {
  // expected-error @+1 {{needs a source and a result}}
  eft.map pack 1 : () -> () {
    eft.yield
  }
  return
}

// -----

func.func @two_shapes(%x: tensor<64xf32>) {
  // expected-error @+1 {{must have sources and results of one shape and layout, got 'tensor<32xf32>' and 'tensor<64xf32>'}}
  %0 = eft.map %x pack 1 : (tensor<64xf32>) -> tensor<32xf32> {
  ^bb0(%a: f32):
    eft.yield %a : f32
  }
  return
}

// -----

func.func @takes_one_of_two(%x: tensor<64xf32>) {
  // expected-error @+1 {{region must take 'f32', 'f32', got 'f32'}}
  %0 = eft.map %x pack 2 : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32):
    eft.yield %a, %a : f32, f32
  }
  return
}

// -----

func.func @yields_another_type(%x: tensor<64xf32>) {
  // expected-error @+1 {{region must yield 'i32'}}
  %0 = eft.map %x pack 1 : (tensor<64xf32>) -> tensor<64xi32> {
  ^bb0(%a: f32):
    eft.yield %a : f32
  }
  return
}

// -----

func.func @packs_too_many(%x: tensor<64xf32>) {
  // expected-error @+1 {{'eft.map' op attribute 'pack' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 1 whose maximum value is 1024}}
  %0 = eft.map %x pack 1025 : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32):
    eft.yield %a : f32
  }
  return
}
