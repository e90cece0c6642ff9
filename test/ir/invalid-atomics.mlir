// RUN: eft-opt %s -split-input-file -verify-diagnostics

func.func @narrow_integer(%p: !eft.ptr<i8>, %x: i8) {
  // expected-error @+1 {{'eft.atomic_rmw' op 'add' works on integers of 32 or 64 bits, got 'i8'}}
  eft.atomic_rmw add relaxed gpu %p, %x : !eft.ptr<i8>
  return
}

// -----

func.func @run_of_three(%p: tensor<8x!eft.ptr<f32>>, %x: tensor<8xf32>) {
  // expected-error @+1 {{'eft.atomic_rmw' op run must be a power of two, got 3}}
  eft.atomic_rmw fadd relaxed gpu %p, %x {run = 3 : i32} : tensor<8x!eft.ptr<f32>>
  return
}

// -----

func.func @integer_addition_of_floats(%p: !eft.ptr<f32>, %x: f32) {
  // expected-error @+1 {{'eft.atomic_rmw' op 'add' works on integers of 32 or 64 bits, got 'f32'}}
  eft.atomic_rmw add relaxed gpu %p, %x : !eft.ptr<f32>
  return
}

// -----

func.func @float_addition_of_integers(%p: !eft.ptr<i32>, %x: i32) {
  // expected-error @+1 {{'eft.atomic_rmw' op 'fadd' works on f16, bf16, f32 or f64, got 'i32'}}
  eft.atomic_rmw fadd relaxed gpu %p, %x : !eft.ptr<i32>
  return
}

// -----

func.func @exchange_of_halves(%p: !eft.ptr<f16>, %x: f16) {
  // expected-error @+1 {{'eft.atomic_rmw' op 'xchg' works on numbers of 32 or 64 bits, got 'f16'}}
  eft.atomic_rmw xchg relaxed gpu %p, %x : !eft.ptr<f16>
  return
}

// -----

func.func @maximum_of_bytes(%p: !eft.ptr<i8>, %x: i8) {
  // expected-error @+1 {{'eft.atomic_rmw' op 'max' works on integers of 16, 32 or 64 bits, got 'i8'}}
  eft.atomic_rmw max relaxed gpu %p, %x : !eft.ptr<i8>
  return
}

// -----

func.func @swap_of_bytes(%p: !eft.ptr<i8>, %x: i8) {
  // expected-error @+1 {{'eft.atomic_cas' op works on numbers of 16, 32 or 64 bits, got 'i8'}}
  eft.atomic_cas relaxed gpu %p, %x, %x : !eft.ptr<i8>
  return
}

// -----

func.func @unknown_kind(%p: !eft.ptr<i32>, %x: i32) {
  // expected-error @+1 {{expected string or keyword containing one of the following enum values for attribute 'kind' [add, fadd, max, min, umax, umin, and, or, xor, xchg]}}
  eft.atomic_rmw mul relaxed gpu %p, %x : !eft.ptr<i32>
  return
}

// -----

func.func @mask_of_another_shape(%p: !eft.ptr<i32>, %x: i32, %m: tensor<4xi1>) {
  // expected-note @-1 {{prior use here}}
  // expected-error @+1 {{expects different type than prior uses: 'i1' vs 'tensor<4xi1>'}}
  eft.atomic_rmw add relaxed gpu %p, %x, mask %m : !eft.ptr<i32>
  return
}

// -----

func.func @cast_to_another_layout(%p: tensor<1x!eft.ptr<i32>>) {
  // expected-error @+1 {{'eft.cast_ptr' op must keep the shape and the layout, got 'tensor<1x!eft.ptr<i32>>' and}}
  %0 = eft.cast_ptr %p : tensor<1x!eft.ptr<i32>> -> tensor<1x!eft.ptr<i32>, #eft.layout<lane = [], step = []>>
  return
}

// -----

func.func @address_in_32_bits(%a: i32) {
  // expected-error @+1 {{'eft.cast_ptr' op operand #0 must be pointer, i64, or block of them, but got 'i32'}}
  %0 = eft.cast_ptr %a : i32 -> !eft.ptr<i32>
  return
}

// -----

func.func @load_that_releases(%p: !eft.ptr<i32>) {
  // expected-error @+1 {{order must be relaxed or acquire, got release}}
  %0 = eft.atomic_load release gpu %p : !eft.ptr<i32>
  return
}

// -----

func.func @store_that_acquires(%p: !eft.ptr<i32>, %x: i32) {
  // expected-error @+1 {{order must be relaxed or release, got acq_rel}}
  eft.atomic_store acq_rel gpu %p, %x : !eft.ptr<i32>
  return
}
