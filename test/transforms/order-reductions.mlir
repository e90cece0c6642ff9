// RUN: eft-opt %s -split-input-file -eft-order-reductions='num-warps=4' | FileCheck %s
// RUN: not eft-opt %s -split-input-file -eft-order-reductions='num-warps=3' 2>&1 | FileCheck %s --check-prefix=WARPS

// WARPS: error: eft-order-reductions: num-warps must be a power of two from 1 to 32, got 3

// A block that does not come from a product is combined in vectors of neighbours.
// CHECK-LABEL: @no_product
// CHECK: eft.reduce %arg0 axis 1 steps 1 tree [2, 1, 32, 16, 8, 4]
func.func @no_product(%x: tensor<128x64xf32>) -> tensor<128xf32> {
  %sum = eft.reduce %x axis 1 : (tensor<128x64xf32>) -> tensor<128xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    eft.yield %s : f32
  }
  return %sum : tensor<128xf32>
}

// -----

// An existing order stays, and a reduction that is free of order gets none.
// CHECK-LABEL: @ordered_and_free
// CHECK: eft.reduce %arg0 axis 0 steps 16 tree []
// CHECK: eft.reduce %arg0 axis 0 order_free :
func.func @ordered_and_free(%x: tensor<16xf32>) -> (f32, f32) {
  %sum = eft.reduce %x axis 0 steps 16 tree [] : (tensor<16xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    eft.yield %s : f32
  }
  %max = eft.reduce %x axis 0 order_free : (tensor<16xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.maximumf %a, %b : f32
    eft.yield %s : f32
  }
  return %sum, %max : f32, f32
}

// -----

// The result of elementwise operations on a product counts as a product, whatever their other
// operands are.
// CHECK-LABEL: @elementwise
// CHECK: eft.reduce {{.*}} axis 1 steps 1 tree [16, 8, 1, 4, 2]
// CHECK: eft.reduce {{.*}} axis 0 steps 1 tree [8, 4, 2, 1, 32, 16]
func.func @elementwise(%x: tensor<64x32xf16>, %y: tensor<32x32xf16>, %z: tensor<64x32xf32>, %m: tensor<64x32xi1>) -> (tensor<64xf16>, tensor<32xf32>) {
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %p = eft.dot %x, %y, %zero precision ieee : tensor<64x32xf16>, tensor<32x32xf16> -> tensor<64x32xf32>
  %chosen = arith.select %m, %z, %p : tensor<64x32xi1>, tensor<64x32xf32>
  %scaled = arith.divf %z, %chosen : tensor<64x32xf32>
  %power = math.exp2 %scaled : tensor<64x32xf32>
  %sigmoid = eft.sigmoid %power : tensor<64x32xf32>
  %erfc = eft.erfc %sigmoid : tensor<64x32xf32>
  %exp10 = eft.exp10 %erfc : tensor<64x32xf32>
  %e = eft.hypot %exp10, %z : tensor<64x32xf32>
  %h = arith.truncf %e : tensor<64x32xf32> to tensor<64x32xf16>
  %rows = eft.reduce %h axis 1 : (tensor<64x32xf16>) -> tensor<64xf16> {
  ^bb0(%a: f16, %b: f16):
    %s = arith.addf %a, %b : f16
    eft.yield %s : f16
  }
  %columns = eft.reduce %e axis 0 : (tensor<64x32xf32>) -> tensor<32xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    eft.yield %s : f32
  }
  return %rows, %columns : tensor<64xf16>, tensor<32xf32>
}

// -----

// A loop carries a product to its next iteration and to the code after it.
// CHECK-LABEL: @carried
// CHECK: scf.for
// CHECK: eft.reduce {{.*}} axis 1 steps 1 tree [16, 8, 1, 4, 2]
// CHECK: eft.dot
// CHECK: eft.reduce {{.*}} axis 1 steps 1 tree [16, 8, 1, 4, 2]
func.func @carried(%x: tensor<64x32xf16>, %y: tensor<32x32xf16>, %n: i32, %c: i1) -> (tensor<64xf32>, tensor<64xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %none = arith.constant dense<0.0> : tensor<64xf32>
  %acc, %last = scf.for %i = %c0 to %n step %c1 iter_args(%carried = %zero, %before = %none) -> (tensor<64x32xf32>, tensor<64xf32>) : i32 {
    %rows = eft.reduce %carried axis 1 : (tensor<64x32xf32>) -> tensor<64xf32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      eft.yield %s : f32
    }
    %p = eft.dot %x, %y, %carried precision ieee : tensor<64x32xf16>, tensor<32x32xf16> -> tensor<64x32xf32>
    scf.yield %p, %rows : tensor<64x32xf32>, tensor<64xf32>
  }
  %chosen = scf.if %c -> tensor<64x32xf32> {
    scf.yield %acc : tensor<64x32xf32>
  } else {
    scf.yield %zero : tensor<64x32xf32>
  }
  %rows = eft.reduce %chosen axis 1 : (tensor<64x32xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    eft.yield %s : f32
  }
  return %rows, %last : tensor<64xf32>, tensor<64xf32>
}

// -----

// It is enough that one of several sources is a product.
// CHECK-LABEL: @several_sources
// CHECK: eft.reduce {{.*}} axis 1 steps 1 tree [16, 8, 1, 4, 2]
func.func @several_sources(%x: tensor<64x32xf16>, %y: tensor<32x32xf16>, %w: tensor<64x32xf64>) -> (tensor<64xf64>, tensor<64xf32>) {
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %p = eft.dot %x, %y, %zero precision ieee : tensor<64x32xf16>, tensor<32x32xf16> -> tensor<64x32xf32>
  %rows:2 = eft.reduce %w, %p axis 1 : (tensor<64x32xf64>, tensor<64x32xf32>) -> (tensor<64xf64>, tensor<64xf32>) {
  ^bb0(%a: f64, %b: f32, %c: f64, %d: f32):
    %s = arith.addf %a, %c : f64
    %t = arith.addf %b, %d : f32
    eft.yield %s, %t : f64, f32
  }
  return %rows#0, %rows#1 : tensor<64xf64>, tensor<64xf32>
}

// -----

// A product that is moved or reduced, or whose values are addresses of a load, no longer counts as
// one.
// CHECK-LABEL: @moved
// CHECK: eft.reduce {{.*}} axis 1 steps 1 tree [2, 1, 16, 8, 4]
// CHECK: eft.reduce {{.*}} axis 1 steps 1 tree [2, 1, 16, 8, 4]
// CHECK: eft.reduce {{.*}} axis 1 steps 1 tree [2, 1, 16, 8, 4]
func.func @moved(%x: tensor<32x32xf16>, %q: tensor<32x32x!eft.ptr<f32>>) -> (tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %p = eft.dot %x, %x, %zero precision ieee : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
  %t = eft.trans %p order [1, 0] : tensor<32x32xf32> -> tensor<32x32xf32>
  %1 = eft.reduce %t axis 1 : (tensor<32x32xf32>) -> tensor<32xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    eft.yield %s : f32
  }
  %line = eft.expand_dims %1 axis 0 : tensor<32xf32> -> tensor<1x32xf32>
  %lines = eft.broadcast %line : tensor<1x32xf32> -> tensor<32x32xf32>
  %2 = eft.reduce %lines axis 1 : (tensor<32x32xf32>) -> tensor<32xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    eft.yield %s : f32
  }
  %i = arith.fptosi %p : tensor<32x32xf32> to tensor<32x32xi32>
  %at = eft.addptr %q, %i : tensor<32x32x!eft.ptr<f32>>, tensor<32x32xi32>
  %v = eft.load %at : tensor<32x32x!eft.ptr<f32>>
  %3 = eft.reduce %v axis 1 : (tensor<32x32xf32>) -> tensor<32xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    eft.yield %s : f32
  }
  return %1, %2, %3 : tensor<32xf32>, tensor<32xf32>, tensor<32xf32>
}
