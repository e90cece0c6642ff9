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
