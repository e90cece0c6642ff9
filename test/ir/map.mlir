// RUN: eft-opt %s | eft-opt | FileCheck %s
// RUN: eft-opt %s -mlir-print-op-generic | eft-opt | FileCheck %s

// CHECK-LABEL: func @pairs
func.func @pairs(%x: tensor<64xf32>, %y: tensor<64xi32>) {
  // CHECK: eft.map %{{.*}}, %{{.*}} pack 2 : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xi32> {
  %0 = eft.map %x, %y pack 2 : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xi32> {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: i32, %{{.*}}: i32):
  ^bb0(%a0: f32, %a1: f32, %b0: i32, %b1: i32):
    // CHECK-NEXT: eft.yield %{{.*}}, %{{.*}} : i32, i32
    eft.yield %b1, %b0 : i32, i32
  }
  return
}
