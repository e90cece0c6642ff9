// RUN: eft-opt %s -split-input-file -verify-diagnostics

#order = #eft.layout<offset = [[1], [2]]>
// expected-error @+1 {{shared memory must have 1 to 1024 slots, got 0}}
func.func private @no_slot(!eft.shared<0, tensor<4xf32, #order>>)

// -----

#twice = #eft.layout<offset = [[1], [2], [0]]>
// expected-error @+1 {{shared memory must be of a block of numbers whose layout gives each element one offset, got 'tensor<4xf32}}
func.func private @element_at_two_offsets(!eft.shared<1, tensor<4xf32, #twice>>)

// -----

#lanes = #eft.layout<lane = [[1], [2]]>
// expected-error @+1 {{shared memory must be of a block of numbers whose layout gives each element one offset, got 'tensor<4xf32}}
func.func private @places_of_threads(!eft.shared<1, tensor<4xf32, #lanes>>)

// -----

#order = #eft.layout<offset = [[1], [2]]>
// expected-error @+1 {{shared memory must be of a block of numbers whose layout gives each element one offset, got 'tensor<4xi1}}
func.func private @booleans(!eft.shared<1, tensor<4xi1, #order>>)

// -----

#order = #eft.layout<offset = [[1], [2]]>
func.func @another_type(%p: tensor<4x!eft.ptr<f16>>, %slot: i32) {
  %s = eft.alloc_shared : !eft.shared<1, tensor<4xf32, #order>>
  // expected-error @+1 {{'eft.copy_async' op expects slots of the block's shape and type, got '!eft.shared<1, tensor<4xf32}}
  eft.copy_async %p, %s[%slot] : tensor<4x!eft.ptr<f16>>, !eft.shared<1, tensor<4xf32, #order>>
  return
}

// -----

#order = #eft.layout<offset = [[1], [2]]>
func.func @scalar(%p: !eft.ptr<f32>, %slot: i32) {
  %s = eft.alloc_shared : !eft.shared<1, tensor<4xf32, #order>>
  // expected-error @+1 {{'eft.copy_async' op expects a block of pointers, got '!eft.ptr<f32>'}}
  eft.copy_async %p, %s[%slot] : !eft.ptr<f32>, !eft.shared<1, tensor<4xf32, #order>>
  return
}

// -----

#order = #eft.layout<offset = [[1], [2]]>
func.func @another_shape(%slot: i32) {
  %s = eft.alloc_shared : !eft.shared<1, tensor<4xf32, #order>>
  // expected-error @+1 {{'eft.read_shared' op expects slots of the block's shape and type, got '!eft.shared<1, tensor<4xf32}}
  %v = eft.read_shared %s[%slot] : !eft.shared<1, tensor<4xf32, #order>> -> tensor<8xf32>
  return
}

// -----

#order = #eft.layout<offset = [[1], [2]]>
// expected-error @+1 {{shared memory must be of a block of numbers whose layout gives each element one offset, got 'tensor<4xi24}}
func.func private @numbers_of_three_bytes(!eft.shared<1, tensor<4xi24, #order>>)

// -----

#order = #eft.layout<offset = [[1], [2]]>
// expected-error @+1 {{shared memory must have at most 16777216 elements, got 1024 times 'tensor<1048576xf32}}
func.func private @too_many(!eft.shared<1024, tensor<1048576xf32>>)

// -----

#order = #eft.layout<offset = [[1], [2]]>
func.func @run_of_three(%p: tensor<4x!eft.ptr<f32>>, %slot: i32) {
  %s = eft.alloc_shared : !eft.shared<1, tensor<4xf32, #order>>
  // expected-error @+1 {{'eft.copy_async' op run must be a power of two, got 3}}
  eft.copy_async %p, %s[%slot] {run = 3 : i32} : tensor<4x!eft.ptr<f32>>, !eft.shared<1, tensor<4xf32, #order>>
  return
}

// -----

#order = #eft.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
func.func @no_slot(%a: tensor<64x16xf16>, %c: tensor<64x16xf32>, %slot: i32) {
  %s = eft.alloc_shared : !eft.shared<1, tensor<16x16xf16, #order>>
  // expected-error @+1 {{'eft.dot_async' op needs a slot for a factor in shared memory, and for no other}}
  %d = eft.dot_async %a[%slot], %s[%slot], %c : tensor<64x16xf16>, !eft.shared<1, tensor<16x16xf16, #order>> -> tensor<64x16xf32>
  return
}

// -----

#order = #eft.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
func.func @transposed_registers(%a: tensor<64x16xf16>, %c: tensor<64x16xf32>, %slot: i32) {
  %s = eft.alloc_shared : !eft.shared<1, tensor<16x16xf16, #order>>
  // expected-error @+1 {{'eft.dot_async' op can't transpose a factor in registers}}
  %d = eft.dot_async %a transposed, %s[%slot], %c : tensor<64x16xf16>, !eft.shared<1, tensor<16x16xf16, #order>> -> tensor<64x16xf32>
  return
}

// -----

#order = #eft.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
func.func @factors_of_other_shapes(%a: tensor<64x32xf16>, %c: tensor<64x16xf32>, %slot: i32) {
  %s = eft.alloc_shared : !eft.shared<1, tensor<16x16xf16, #order>>
  // expected-error @+1 {{'eft.dot_async' op the first factor must have as many columns as the second has rows, got 'tensor<64x32xf16>' and 'tensor<16x16xf16>'}}
  %d = eft.dot_async %a, %s[%slot], %c : tensor<64x32xf16>, !eft.shared<1, tensor<16x16xf16, #order>> -> tensor<64x16xf32>
  return
}

// -----

#order = #eft.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
func.func @factors_of_a_type_without_warpgroups(%a: tensor<64x16xf64>, %c: tensor<64x16xf64>, %slot: i32) {
  %s = eft.alloc_shared : !eft.shared<1, tensor<16x16xf64, #order>>
  // expected-error @+1 {{'eft.dot_async' op factors must be of f16, bf16, f32 or i8, got 'f64'}}
  %d = eft.dot_async %a, %s[%slot], %c : tensor<64x16xf64>, !eft.shared<1, tensor<16x16xf64, #order>> -> tensor<64x16xf64>
  return
}

// -----

#order = #eft.layout<offset = [[1], [2]]>
func.func @a_factor_of_one_dimension(%a: tensor<64x16xf16>, %c: tensor<64x16xf32>, %slot: i32) {
  %s = eft.alloc_shared : !eft.shared<1, tensor<4xf16, #order>>
  // expected-error @+1 {{'eft.dot_async' op factors must have two dimensions, got 'tensor<4xf16, #eft.layout<offset = }}
  %d = eft.dot_async %a, %s[%slot], %c : tensor<64x16xf16>, !eft.shared<1, tensor<4xf16, #order>> -> tensor<64x16xf32>
  return
}

// -----

#order = #eft.layout<offset = [[1], [2]]>
func.func @another_type(%x: tensor<4xi32>, %slot: i32) {
  %s = eft.alloc_shared : !eft.shared<1, tensor<4xf32, #order>>
  // expected-error @+1 {{'eft.write_shared' op expects slots of the block's shape and type, got '!eft.shared<1, tensor<4xf32}}
  eft.write_shared %x, %s[%slot] : tensor<4xi32>, !eft.shared<1, tensor<4xf32, #order>>
  return
}

// -----

func.func @wait_for_what_no_product_is(%x: tensor<64x16xf16>) {
  // expected-error @+1 {{'eft.wait_dots' 'products' must be variadic of block of f32 or i32, but got 'tensor<64x16xf16>'}}
  %0 = eft.wait_dots %x pending 0 : tensor<64x16xf16>
  return
}
