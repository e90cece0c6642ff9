// RUN: eft-opt %s --verify-diagnostics --split-input-file

func.func @other_words_without_a_condition(%p: !llvm.ptr<1>, %w: i32) {
  // expected-error @+1 {{'eft.thread_load' op has other words without a condition}}
  %0 = eft.thread_load %p else %w : !llvm.ptr<1> -> i32
  return
}

// -----

func.func @pointer_to_shared_memory(%p: !llvm.ptr<3>) {
  // expected-error @+1 {{'eft.thread_load' op pointer must be an '!llvm.ptr<1>', got '!llvm.ptr<3>'}}
  %0 = eft.thread_load %p : !llvm.ptr<3> -> i32
  return
}

// -----

func.func @pointer_of_block_ir(%p: !eft.ptr<i32>, %w: i32) {
  // expected-error @+1 {{'eft.thread_store' op pointer must be an '!llvm.ptr<1>', got '!eft.ptr<i32>'}}
  eft.thread_store %p, %w : !eft.ptr<i32>, i32
  return
}

// -----

func.func @words_that_no_instruction_moves(%p: !llvm.ptr<1>, %w: vector<4xi64>) {
  // expected-error @+1 {{'eft.thread_store' op words must be an integer of 8, 16, 32 or 64 bits, or a vector of two or four of 32 or of two of 64 bits, got 'vector<4xi64>'}}
  eft.thread_store %p, %w : !llvm.ptr<1>, vector<4xi64>
  return
}

// -----

func.func @words_of_one_bit(%p: !llvm.ptr<1>) {
  // expected-error @+1 {{'eft.thread_load' op words must be an integer of 8, 16, 32 or 64 bits, or a vector of two or four of 32 or of two of 64 bits, got 'i1'}}
  %0 = eft.thread_load %p : !llvm.ptr<1> -> i1
  return
}

// -----

func.func @floats(%p: !llvm.ptr<1>) {
  // expected-error @+1 {{'eft.thread_load' op words must be an integer of 8, 16, 32 or 64 bits, or a vector of two or four of 32 or of two of 64 bits, got 'f32'}}
  %0 = eft.thread_load %p : !llvm.ptr<1> -> f32
  return
}

// -----

func.func @atomic_sum_of_integers_as_floats(%p: !llvm.ptr<1>, %x: i32) {
  // expected-error @+1 {{'eft.thread_atomic_rmw' op fadd must have an f16, bf16, f32 or f64, got 'i32'}}
  %0 = eft.thread_atomic_rmw fadd relaxed gpu %p, %x : !llvm.ptr<1>, i32
  return
}

// -----

func.func @atomic_sum_of_floats_as_integers(%p: !llvm.ptr<1>, %x: f32) {
  // expected-error @+1 {{'eft.thread_atomic_rmw' op add must have an integer of 32 or 64 bits, got 'f32'}}
  %0 = eft.thread_atomic_rmw add relaxed gpu %p, %x : !llvm.ptr<1>, f32
  return
}

// -----

func.func @atomic_maximum_of_16_bits(%p: !llvm.ptr<1>, %x: i16) {
  // expected-error @+1 {{'eft.thread_atomic_rmw' op max must have an integer of 32 or 64 bits, got 'i16'}}
  %0 = eft.thread_atomic_rmw max relaxed gpu %p, %x : !llvm.ptr<1>, i16
  return
}

// -----

func.func @atomic_sum_of_many_neighbours(%p: !llvm.ptr<1>, %x: vector<8xf32>) {
  // expected-error @+1 {{'eft.thread_atomic_rmw' op of a vector must be fadd of 2, 4 or 8 f16 or bf16, or 2 or 4 f32, got fadd of 'vector<8xf32>'}}
  %0 = eft.thread_atomic_rmw fadd relaxed gpu %p, %x : !llvm.ptr<1>, vector<8xf32>
  return
}

// -----

func.func @atomic_maximum_of_neighbours(%p: !llvm.ptr<1>, %x: vector<2xi32>) {
  // expected-error @+1 {{'eft.thread_atomic_rmw' op of a vector must be fadd of 2, 4 or 8 f16 or bf16, or 2 or 4 f32, got max of 'vector<2xi32>'}}
  %0 = eft.thread_atomic_rmw max relaxed gpu %p, %x : !llvm.ptr<1>, vector<2xi32>
  return
}

// -----

func.func @atomic_change_of_shared_memory(%p: !llvm.ptr<3>, %x: i32) {
  // expected-error @+1 {{'eft.thread_atomic_rmw' op pointer must be an '!llvm.ptr<1>', got '!llvm.ptr<3>'}}
  %0 = eft.thread_atomic_rmw add relaxed gpu %p, %x : !llvm.ptr<3>, i32
  return
}

// -----

func.func @exchange_of_a_byte(%p: !llvm.ptr<1>, %x: i8) {
  // expected-error @+1 {{'eft.thread_atomic_cas' op value must be an integer of 16, 32 or 64 bits, got 'i8'}}
  %0 = eft.thread_atomic_cas relaxed gpu %p, %x, %x : !llvm.ptr<1>, i8
  return
}

// -----

func.func @exchange_at_an_address(%p: i64, %x: i32) {
  // expected-error @+1 {{'eft.thread_atomic_cas' op pointer must be an '!llvm.ptr<1>', got 'i64'}}
  %0 = eft.thread_atomic_cas relaxed gpu %p, %x, %x : i64, i32
  return
}

// -----

func.func @atomic_load_of_a_vector(%p: !llvm.ptr<1>) {
  // expected-error @+1 {{'eft.thread_atomic_load' op word must be an integer of 8, 16, 32 or 64 bits, got 'vector<2xi32>'}}
  %0 = eft.thread_atomic_load relaxed gpu %p : !llvm.ptr<1> -> vector<2xi32>
  return
}

// -----

func.func @atomic_store_of_a_float(%p: !llvm.ptr<1>, %x: f32) {
  // expected-error @+1 {{'eft.thread_atomic_store' op word must be an integer of 8, 16, 32 or 64 bits, got 'f32'}}
  eft.thread_atomic_store relaxed gpu %p, %x : !llvm.ptr<1>, f32
  return
}
