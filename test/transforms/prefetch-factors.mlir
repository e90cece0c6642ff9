// RUN: eft-opt %s -split-input-file -eft-prefetch-factors | FileCheck %s

// The loop carries the first factor's address as a block. The second factor's address is computed
// from the induction variable and a carried scalar. Steps after the load are also computed before
// the prefetch.
// CHECK-LABEL: @both_factors
// CHECK-SAME: (%[[P:.*]]: tensor<16x16x!eft.ptr<f32>>, %[[N:.*]]: i32, %[[STEP:.*]]: tensor<16x16xi32>)
func.func @both_factors(%p: tensor<16x16x!eft.ptr<f32>>, %n: i32, %step: tensor<16x16xi32>) -> tensor<16x16xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %first = arith.constant dense<0.0> : tensor<16x16xf32>
  // CHECK: scf.for %[[K:.*]] = %{{.*}} to %[[N]] step %[[ONE:.*]] iter_args(%{{.*}}, %[[A:.*]] = %[[P]], %[[D:.*]] = %{{.*}}) ->
  %r:3 = scf.for %k = %zero to %n step %one iter_args(%sum = %first, %a = %p, %d = %zero) -> (tensor<16x16xf32>, tensor<16x16x!eft.ptr<f32>>, i32) : i32 {
    // CHECK: eft.load %[[A]] {eft.prefetched}
    // CHECK-NEXT: %[[NEXTA:.*]] = eft.addptr %[[A]], %[[STEP]]
    // CHECK-NEXT: eft.prefetch %[[NEXTA]] : tensor<16x16x!eft.ptr<f32>>
    %x = eft.load %a : tensor<16x16x!eft.ptr<f32>>
    // CHECK: %[[B:.*]] = eft.addptr
    // CHECK-NEXT: eft.load %[[B]] {eft.prefetched}
    // CHECK-NEXT: %[[NEXTK:.*]] = arith.addi %[[K]], %[[ONE]]
    // CHECK-NEXT: %[[NEXTD:.*]] = arith.addi %[[D]], %[[ONE]]
    // CHECK-NEXT: %[[OFFSET:.*]] = arith.muli %[[NEXTK]], %[[NEXTD]]
    // CHECK-NEXT: %[[OFFSETS:.*]] = eft.splat %[[OFFSET]]
    // CHECK-NEXT: %[[NEXTB:.*]] = eft.addptr %[[P]], %[[OFFSETS]]
    // CHECK-NEXT: eft.prefetch %[[NEXTB]]
    %offset = arith.muli %k, %d : i32
    %offsets = eft.splat %offset : i32 -> tensor<16x16xi32>
    %b = eft.addptr %p, %offsets : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    %y = eft.load %b : tensor<16x16x!eft.ptr<f32>>
    // CHECK: eft.dot
    %next = eft.dot %x, %y, %sum precision ieee : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %q = eft.addptr %a, %step : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    %e = arith.addi %d, %one : i32
    scf.yield %next, %q, %e : tensor<16x16xf32>, tensor<16x16x!eft.ptr<f32>>, i32
  }
  return %r#0 : tensor<16x16xf32>
}

// -----

// There is no prefetch for an address that is the same in each iteration, for a loaded address, or
// for a load that no product uses.
// CHECK-LABEL: @no_prefetch
// CHECK-NOT: eft.prefetch
// CHECK: return
func.func @no_prefetch(%p: tensor<16x16x!eft.ptr<f32>>, %table: !eft.ptr<i32>, %n: i32) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %first = arith.constant dense<0.0> : tensor<16x16xf32>
  %r:2 = scf.for %k = %zero to %n step %one iter_args(%sum = %first, %other = %first) -> (tensor<16x16xf32>, tensor<16x16xf32>) : i32 {
    %a = eft.load %p : tensor<16x16x!eft.ptr<f32>>
    %at = eft.addptr %table, %k : !eft.ptr<i32>, i32
    %row = eft.load %at : !eft.ptr<i32>
    %rows = eft.splat %row : i32 -> tensor<16x16xi32>
    %q = eft.addptr %p, %rows : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    %b = eft.load %q : tensor<16x16x!eft.ptr<f32>>
    %d = eft.dot %a, %b, %sum precision ieee : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %ks = eft.splat %k : i32 -> tensor<16x16xi32>
    %s = eft.addptr %p, %ks : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    %c = eft.load %s : tensor<16x16x!eft.ptr<f32>>
    %e = arith.addf %other, %c : tensor<16x16xf32>
    scf.yield %d, %e : tensor<16x16xf32>, tensor<16x16xf32>
  }
  return %r#0, %r#1 : tensor<16x16xf32>, tensor<16x16xf32>
}
