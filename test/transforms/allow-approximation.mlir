// RUN: eft-opt %s -split-input-file -eft-allow-approximation | FileCheck %s

// The operands depend on a product through operations, reductions, loops and conditionals.
// CHECK-LABEL: @dependent
// CHECK: math.exp2 %{{.*}} fastmath<afn> : tensor<16xf32>
// CHECK: math.exp2 %{{.*}} fastmath<afn> : tensor<16x16xf32>
// CHECK: math.exp %{{.*}} fastmath<afn> : f16
// CHECK: eft.sigmoid %{{.*}} approximate : f16
func.func @dependent(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>, %is: i1,
                     %n: i32) -> (tensor<16x16xf32>, f16, f16) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<16xf32>
  %zero = arith.constant 0.0 : f32
  %dot = eft.dot %a, %b, %c precision ieee
      : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  %max = eft.reduce %dot axis 1 order_free : (tensor<16x16xf32>) -> tensor<16xf32> {
  ^bb0(%x: f32, %y: f32):
    %m = arith.maximumf %x, %y : f32
    eft.yield %m : f32
  }
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %none) -> tensor<16xf32> : i32 {
    %alpha = math.exp2 %before : tensor<16xf32>
    %next = arith.addf %alpha, %max : tensor<16xf32>
    scf.yield %next : tensor<16xf32>
  }
  %column = eft.expand_dims %last axis 1 : tensor<16xf32> -> tensor<16x1xf32>
  %wide = eft.broadcast %column : tensor<16x1xf32> -> tensor<16x16xf32>
  %p = math.exp2 %wide : tensor<16x16xf32>
  %total = eft.reduce %p axis 1 order_free : (tensor<16x16xf32>) -> tensor<16xf32> {
  ^bb0(%x: f32, %y: f32):
    %m = arith.maximumf %x, %y : f32
    eft.yield %m : f32
  }
  %one = eft.reduce %total axis 0 order_free : (tensor<16xf32>) -> f32 {
  ^bb0(%x: f32, %y: f32):
    %m = arith.maximumf %x, %y : f32
    eft.yield %m : f32
  }
  %chosen = scf.if %is -> f32 {
    scf.yield %one : f32
  } else {
    scf.yield %zero : f32
  }
  %narrow = arith.truncf %chosen : f32 to f16
  %e = math.exp %narrow : f16
  %s = eft.sigmoid %narrow : f16
  return %p, %e, %s : tensor<16x16xf32>, f16, f16
}

// -----

// The operand of exp2 is a factor, not a product. Only the condition of the scf.if depends on the
// product.
// CHECK-LABEL: @independent
// CHECK-NOT: fastmath
func.func @independent(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>)
    -> (tensor<16x16xf16>, tensor<16x16xf32>, f32) {
  %dot = eft.dot %a, %b, %c precision ieee
      : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  %e = math.exp2 %a : tensor<16x16xf16>
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %row = eft.reduce %dot axis 1 order_free : (tensor<16x16xf32>) -> tensor<16xf32> {
  ^bb0(%x: f32, %y: f32):
    %m = arith.maximumf %x, %y : f32
    eft.yield %m : f32
  }
  %max = eft.reduce %row axis 0 order_free : (tensor<16xf32>) -> f32 {
  ^bb0(%x: f32, %y: f32):
    %m = arith.maximumf %x, %y : f32
    eft.yield %m : f32
  }
  %is = arith.cmpf ogt, %max, %one : f32
  %chosen = scf.if %is -> f32 {
    scf.yield %one : f32
  } else {
    scf.yield %two : f32
  }
  %exp = math.exp %chosen : f32
  return %e, %dot, %exp : tensor<16x16xf16>, tensor<16x16xf32>, f32
}

// -----

// Products that have the same bits on all targets: ieee f32, integers, and f64.
// CHECK-LABEL: @exact_products
// CHECK-NOT: fastmath
func.func @exact_products(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xi8>,
                          %d: tensor<16x16xi8>, %e: tensor<16x16xi32>, %f: tensor<16x16xf64>)
    -> (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf64>) {
  %ieee = eft.dot %a, %b, %a precision ieee
      : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %x = math.exp2 %ieee : tensor<16x16xf32>
  %integers = eft.dot %c, %d, %e precision ieee
      : tensor<16x16xi8>, tensor<16x16xi8> -> tensor<16x16xi32>
  %floats = arith.sitofp %integers : tensor<16x16xi32> to tensor<16x16xf32>
  %y = math.exp %floats : tensor<16x16xf32>
  %double = eft.dot %f, %f, %f precision ieee
      : tensor<16x16xf64>, tensor<16x16xf64> -> tensor<16x16xf64>
  %z = math.exp %double : tensor<16x16xf64>
  return %x, %y, %z : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf64>
}

// -----

// CHECK-LABEL: @tf32
// CHECK: math.exp2 %{{.*}} fastmath<afn>
func.func @tf32(%a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %dot = eft.dot %a, %a, %a precision tf32
      : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %x = math.exp2 %dot : tensor<16x16xf32>
  return %x : tensor<16x16xf32>
}
