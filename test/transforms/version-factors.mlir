// RUN: eft-opt %s -split-input-file -eft-version-factors -canonicalize -cse | FileCheck %s

// The mask is along k, and the remainder along the columns. One condition covers both.
// CHECK-LABEL: @mask_and_remainder
// CHECK-SAME: (%[[P:.*]]: !eft.ptr<f32>, %[[N:.*]]: i32, %[[K:.*]]: i32, %[[START:.*]]: i32)
func.func @mask_and_remainder(%p: !eft.ptr<f32>, %n: i32, %k: i32, %start: i32) -> tensor<16x16xf32> {
  %zero = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %first = arith.constant dense<0.0> : tensor<16x16xf32>
  %i = eft.arange 0 to 16 : tensor<16xi32>
  %starts = eft.splat %start : i32 -> tensor<16xi32>
  // CHECK: %[[COLUMNS:.*]] = arith.addi
  %columns = arith.addi %starts, %i : tensor<16xi32>
  %ns = eft.splat %n : i32 -> tensor<16xi32>
  // CHECK: arith.remsi %[[COLUMNS]], %{{.*}} : tensor<16xi32>
  %wrapped = arith.remsi %columns, %ns : tensor<16xi32>
  %c = eft.expand_dims %wrapped axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %cs = eft.broadcast %c : tensor<1x16xi32> -> tensor<16x16xi32>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
  // CHECK: %[[USUAL:.*]] = eft.addptr
  %q = eft.addptr %ps, %cs : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
  %r = eft.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  // CHECK: scf.for %[[AT:[a-z0-9]*]] =
  %sums = scf.for %at = %zero to %k step %step iter_args(%sum = %first) -> (tensor<16x16xf32>) : i32 {
    // CHECK: %[[LEFT:.*]] = arith.subi %[[K]], %[[AT]]
    // CHECK: %[[MASK:.*]] = eft.broadcast
    // CHECK-DAG: arith.cmpi sgt, %[[LEFT]], %c15_i32
    // CHECK-DAG: %[[DIVISOR:.*]] = arith.maxsi %[[N]], %c1_i32
    // CHECK-DAG: %[[REST:.*]] = arith.remsi %[[START]], %[[DIVISOR]] : i32
    // CHECK-DAG: %[[LAST:.*]] = arith.addi %[[START]], %c15_i32
    // CHECK-DAG: arith.cmpi sge, %[[LAST]], %[[START]]
    // CHECK-DAG: arith.cmpi sge, %[[START]], %c0_i32
    // CHECK-DAG: arith.cmpi sgt, %[[N]], %c0_i32
    // CHECK-DAG: %[[BOUND:.*]] = arith.subi %[[N]], %c16_i32
    // CHECK-DAG: arith.cmpi sle, %[[REST]], %[[BOUND]]
    %left = arith.subi %k, %at : i32
    %lefts = eft.splat %left : i32 -> tensor<16x1xi32>
    %inside = arith.cmpi slt, %r, %lefts : tensor<16x1xi32>
    %mask = eft.broadcast %inside : tensor<16x1xi1> -> tensor<16x16xi1>
    // CHECK: %[[A:.*]] = scf.if
    // CHECK: %[[DISTANCE:.*]] = arith.subi %[[REST]], %[[START]]
    // CHECK: %[[DISTANCES:.*]] = eft.splat %[[DISTANCE]]
    // CHECK: arith.addi %[[COLUMNS]], %[[DISTANCES]]
    // CHECK: %[[PLAIN:.*]] = eft.load %{{[0-9]*}} : tensor<16x16x!eft.ptr<f32>>
    // CHECK: eft.prefetch
    // CHECK: scf.yield %[[PLAIN]]
    // CHECK: } else {
    // CHECK-NEXT: %[[MASKED:.*]] = eft.load %[[USUAL]], mask %[[MASK]]
    // CHECK-NEXT: scf.yield %[[MASKED]]
    // CHECK: eft.dot %[[A]], %[[A]]
    %a = eft.load %q, mask %mask : tensor<16x16x!eft.ptr<f32>>
    eft.prefetch %q : tensor<16x16x!eft.ptr<f32>>
    %next = eft.dot %a, %a, %sum precision ieee : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  return %sums : tensor<16x16xf32>
}

// -----

// The remainder as eft-expand-integer-corners writes it: x % 0 is x, and if x is the least number,
// the divisor is not -1. In the version for x ≥ 0 no select is needed, since x is not the least.
// CHECK-LABEL: @guarded_remainder
// CHECK-SAME: (%[[P:.*]]: !eft.ptr<f32>, %[[N:.*]]: i32, %[[K:.*]]: i32, %[[START:.*]]: i32)
// CHECK-DAG: %[[ZERO:.*]] = arith.cmpi eq, %[[N]], %c0_i32
// CHECK-DAG: %[[ABOVE:.*]] = arith.maxui %[[N]], %c1_i32
// CHECK: scf.for
// CHECK-DAG: arith.cmpi eq, %[[ZERO]], %false
// CHECK-DAG: %[[DIVISOR:.*]] = arith.maxsi %[[ABOVE]], %c1_i32
// CHECK-DAG: arith.remsi %[[START]], %[[DIVISOR]] : i32
// CHECK-DAG: arith.cmpi sge, %[[START]], %c0_i32
// CHECK: scf.if
// CHECK-NOT: arith.select
// CHECK: eft.load
// CHECK: } else {
// CHECK-NEXT: eft.load
func.func @guarded_remainder(%p: !eft.ptr<f32>, %n: i32, %k: i32, %start: i32) -> tensor<16x16xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %minus_one = arith.constant -1 : i32
  %step = arith.constant 16 : i32
  %first = arith.constant dense<0.0> : tensor<16x16xf32>
  %least = arith.constant dense<-2147483648> : tensor<16xi32>
  %ones = arith.constant dense<1> : tensor<16xi32>
  %i = eft.arange 0 to 16 : tensor<16xi32>
  %starts = eft.splat %start : i32 -> tensor<16xi32>
  %columns = arith.addi %starts, %i : tensor<16xi32>
  %is_zero = arith.cmpi eq, %n, %zero : i32
  %are_zero = eft.splat %is_zero : i1 -> tensor<16xi1>
  %above = arith.maxui %n, %one : i32
  %aboves = eft.splat %above : i32 -> tensor<16xi32>
  %are_least = arith.cmpi eq, %columns, %least : tensor<16xi32>
  %is_minus_one = arith.cmpi eq, %n, %minus_one : i32
  %are_minus_one = eft.splat %is_minus_one : i1 -> tensor<16xi1>
  %overflows = arith.andi %are_least, %are_minus_one : tensor<16xi1>
  %divisors = arith.select %overflows, %ones, %aboves : tensor<16xi1>, tensor<16xi32>
  %rests = arith.remsi %columns, %divisors : tensor<16xi32>
  %wrapped = arith.select %are_zero, %columns, %rests : tensor<16xi1>, tensor<16xi32>
  %c = eft.expand_dims %wrapped axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %cs = eft.broadcast %c : tensor<1x16xi32> -> tensor<16x16xi32>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
  %q = eft.addptr %ps, %cs : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
  %sums = scf.for %at = %zero to %k step %step iter_args(%sum = %first) -> (tensor<16x16xf32>) : i32 {
    %a = eft.load %q : tensor<16x16x!eft.ptr<f32>>
    %next = eft.dot %a, %a, %sum precision ieee : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  return %sums : tensor<16x16xf32>
}

// -----

// Only loads before the store have a second version. A load whose mask is loaded has none.
// CHECK-LABEL: @store_between
func.func @store_between(%p: tensor<16x16x!eft.ptr<f32>>, %m: tensor<16x16x!eft.ptr<i8>>, %k: i32) -> tensor<16x16xf32> {
  %zero = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %first = arith.constant dense<0.0> : tensor<16x16xf32>
  %i = eft.arange 0 to 16 : tensor<16xi32>
  %r = eft.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %sums = scf.for %at = %zero to %k step %step iter_args(%sum = %first) -> (tensor<16x16xf32>) : i32 {
    %lefts = eft.splat %at : i32 -> tensor<16x1xi32>
    %inside = arith.cmpi slt, %r, %lefts : tensor<16x1xi32>
    %mask = eft.broadcast %inside : tensor<16x1xi1> -> tensor<16x16xi1>
    // CHECK: scf.if
    // CHECK-NEXT: eft.load %{{.*}} : tensor<16x16x!eft.ptr<f32>>
    // CHECK-NEXT: scf.yield
    // CHECK: eft.store
    // CHECK-NOT: scf.if
    // CHECK: eft.load %{{.*}}, mask
    // CHECK: %[[LOADED:.*]] = arith.trunci
    // CHECK: eft.load %{{.*}}, mask %[[LOADED]]
    %a = eft.load %p, mask %mask : tensor<16x16x!eft.ptr<f32>>
    eft.store %p, %sum : tensor<16x16x!eft.ptr<f32>>
    %b = eft.load %p, mask %mask : tensor<16x16x!eft.ptr<f32>>
    %bytes = eft.load %m : tensor<16x16x!eft.ptr<i8>>
    %loaded = arith.trunci %bytes : tensor<16x16xi8> to tensor<16x16xi1>
    %c = eft.load %p, mask %loaded : tensor<16x16x!eft.ptr<f32>>
    %d = eft.dot %a, %b, %sum precision ieee : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %e = eft.dot %c, %b, %d precision ieee : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    scf.yield %e : tensor<16x16xf32>
  }
  return %sums : tensor<16x16xf32>
}
