// RUN: eft-opt %s -eft-expand-philox -canonicalize -cse -split-input-file | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: eft-opt %s -eft-expand-philox=word-bits=64 -canonicalize -cse -split-input-file | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: not eft-opt %s -eft-expand-philox=word-bits=16 -split-input-file 2>&1 | FileCheck %s --check-prefix=BITS

// BITS: error: word-bits must be 32 or 64, got 16

// CHECK-LABEL: @one_round
// CHECK-SAME: %[[SEED:[a-z0-9]+]]: i64, %[[C0:[a-z0-9]+]]: i32, %[[C1:[a-z0-9]+]]: i32, %[[C2:[a-z0-9]+]]: i32, %[[C3:[a-z0-9]+]]: i32
func.func @one_round(%seed: i64, %c0: i32, %c1: i32, %c2: i32, %c3: i32) -> (i32, i32, i32, i32) {
  // NARROW: %[[WIDE0:.*]] = arith.extui %[[C0]] : i32 to i64
  // NARROW: %[[P0:.*]] = arith.muli %[[WIDE0]], %c3528531795_i64
  // NARROW: %[[H0:.*]] = arith.shrui %[[P0]], %c32_i64
  // NARROW: arith.trunci %[[H0]]
  // NARROW: %[[L0:.*]] = arith.trunci %[[P0]]
  // NARROW: %[[P1:.*]] = arith.muli %{{.*}}, %c3449720151_i64
  // NARROW: %[[L1:.*]] = arith.trunci %[[P1]]
  // NARROW: return %{{.*}}, %[[L1]], %{{.*}}, %[[L0]]
  // WIDE: %[[P0:.*]] = arith.muli %{{.*}}, %c3528531795_i64
  // WIDE: %[[P1:.*]] = arith.muli %{{.*}}, %c3449720151_i64
  // WIDE-COUNT-4: arith.trunci %{{.*}} : i64 to i32
  // CHECK-NOT: eft.philox
  %w:4 = eft.philox seed %seed counter %c0, %c1, %c2, %c3 rounds 1 : i64, i32
  return %w#0, %w#1, %w#2, %w#3 : i32, i32, i32, i32
}

// -----

// Only one word of the counter is not zero, and only one word of the result is used. Ten rounds
// have 20 products. The first product of a zero and the last unused product are removed.
// CHECK-LABEL: @one_word_in_one_word_out
func.func @one_word_in_one_word_out(%seed: i64, %i: tensor<16xi32>) -> tensor<16xi32> {
  // CHECK-COUNT-18: arith.muli
  // CHECK-NOT: arith.muli
  %zero = arith.constant dense<0> : tensor<16xi32>
  %w:4 = eft.philox seed %seed counter %i, %zero, %zero, %zero rounds 10 : i64, tensor<16xi32>
  return %w#0 : tensor<16xi32>
}

// -----

// CHECK-LABEL: @one_seed_for_each_element
func.func @one_seed_for_each_element(%seed: tensor<16xi64>, %i: tensor<16xi32>) -> tensor<16xi32> {
  // CHECK-NOT: eft.splat
  // CHECK-NOT: eft.philox
  %w:4 = eft.philox seed %seed counter %i, %i, %i, %i rounds 1 : tensor<16xi64>, tensor<16xi32>
  return %w#0 : tensor<16xi32>
}
