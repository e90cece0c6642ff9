// RUN: eft-opt %s | eft-opt | FileCheck %s
// RUN: eft-opt %s -mlir-print-op-generic | eft-opt | FileCheck %s

// CHECK-LABEL: func @rearranged
func.func @rearranged(%x: f32) {
  %0 = eft.splat %x : f32 -> tensor<8x4xf32>
  // CHECK: eft.reshape %{{.*}} : tensor<8x4xf32> -> tensor<32xf32>
  %1 = eft.reshape %0 : tensor<8x4xf32> -> tensor<32xf32>
  // CHECK: eft.trans %{{.*}} order [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %2 = eft.trans %0 order [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  // CHECK: eft.join %{{.*}}, %{{.*}} : tensor<32xf32> -> tensor<32x2xf32>
  %3 = eft.join %1, %1 : tensor<32xf32> -> tensor<32x2xf32>
  // CHECK: %{{.*}}, %{{.*}} = eft.split %{{.*}} : tensor<32x2xf32> -> tensor<32xf32>
  %4, %5 = eft.split %3 : tensor<32x2xf32> -> tensor<32xf32>
  return
}

// CHECK-LABEL: func @moved
func.func @moved(%x: tensor<64xf32>, %i: tensor<16xi32>) {
  // CHECK: eft.exchange %{{.*}} axis 0 mask 63 : tensor<64xf32>
  %0 = eft.exchange %x axis 0 mask 63 : tensor<64xf32>
  // CHECK: eft.gather %{{.*}}[%{{.*}}] axis 0 : tensor<64xf32>, tensor<16xi32> -> tensor<16xf32>
  %1 = eft.gather %0[%i] axis 0 : tensor<64xf32>, tensor<16xi32> -> tensor<16xf32>
  return
}

// CHECK-LABEL: func @combined
func.func @combined(%x: tensor<8x4xf32>, %i: tensor<8x4xi32>, %v: tensor<4xf32>, %n: tensor<8xi32>) {
  // CHECK: eft.reduce %{{.*}}, %{{.*}} axis 1
  // CHECK-SAME: (tensor<8x4xf32>, tensor<8x4xi32>) -> (tensor<8xf32>, tensor<8xi32>)
  %0:2 = eft.reduce %x, %i axis 1 : (tensor<8x4xf32>, tensor<8x4xi32>) -> (tensor<8xf32>, tensor<8xi32>) {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    // CHECK: eft.yield %{{.*}}, %{{.*}} : f32, i32
    eft.yield %a, %bi : f32, i32
  }
  // CHECK: eft.reduce %{{.*}} axis 0 steps 2 tree [1] : (tensor<4xf32>) -> f32
  %1 = eft.reduce %v axis 0 steps 2 tree [1] : (tensor<4xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    eft.yield %sum : f32
  }
  // CHECK: eft.scan %{{.*}} axis 1 reverse : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %2 = eft.scan %x axis 1 reverse : (tensor<8x4xf32>) -> tensor<8x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    eft.yield %sum : f32
  }
  // CHECK: eft.histogram %{{.*}} : tensor<8xi32> -> tensor<4xi32>
  %3 = eft.histogram %n : tensor<8xi32> -> tensor<4xi32>
  return
}
