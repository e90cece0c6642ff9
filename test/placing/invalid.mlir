// RUN: eft-opt %s -eft-place='target=gpu num-warps=1' -split-input-file -verify-diagnostics

// expected-error@+1 {{'func.func' op can't take blocks when it is placed; inline it first}}
func.func @function_of_blocks(%x: tensor<32xi32>) {
  return
}

// -----

func.func @function_that_returns_a_block() -> tensor<32xi32> {
  %c = eft.arange 0 to 32 : tensor<32xi32>
  // expected-error@+1 {{'func.return' op can't pass blocks when it is placed; inline calls first}}
  return %c : tensor<32xi32>
}

// -----

func.func private @callee(tensor<32xi32>)
func.func @call_with_a_block() {
  %c = eft.arange 0 to 32 : tensor<32xi32>
  // expected-error@+1 {{'func.call' op can't pass blocks when it is placed; inline calls first}}
  call @callee(%c) : (tensor<32xi32>) -> ()
  return
}

// -----

func.func @not_a_block(%f: f32) {
  %c = arith.constant dense<1> : tensor<3xi32>
  // expected-error@-1 {{'arith.constant' op can't be placed: 'tensor<3xi32>' is not a block}}
  return
}

// -----

func.func @more_elements_than_can_be_numbered(%f: f32) {
  // expected-error@+1 {{block of 1099511627776 x 1099511627776 elements is too large: expected at most 2^30 elements, got 2^80}}
  %x = eft.splat %f : f32 -> tensor<1099511627776x1099511627776xf32>
  return
}

// -----

func.func @no_rule_for_an_operation() {
  // expected-error@+1 {{'arith.constant' op can't be placed: it has no rule for blocks}}
  %c = arith.constant dense_resource<blob> : tensor<4xi32>
  return
}

{-# dialect_resources: { builtin: { blob: "0x0400000001000000020000000300000004000000" } } #-}

// -----

func.func @no_rule_for_a_region(%n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %c = eft.arange 0 to 32 : tensor<32xi32>
  // expected-error@+1 {{'scf.forall' op can't be placed: it has no rule for blocks}}
  %r = scf.forall (%i) in (%n) shared_outs(%o = %c) -> (tensor<32xi32>) {
    scf.forall.in_parallel {
    }
  }
  return
}
