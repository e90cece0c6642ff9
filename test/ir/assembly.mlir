// RUN: eft-opt %s | eft-opt | FileCheck %s
// RUN: eft-opt %s -mlir-print-op-generic | eft-opt | FileCheck %s

// CHECK-LABEL: func @forms
func.func @forms(%x: tensor<64xf32>, %y: tensor<64xi8>, %n: i32) {
  // CHECK: eft.inline_asm "ex2.approx.f32 $0, $1;" constraints "=f,f" pure pack 1 %{{.*}} : (tensor<64xf32>) -> tensor<64xf32>
  %0 = eft.inline_asm "ex2.approx.f32 $0, $1;" constraints "=f,f" pure pack 1 %x : (tensor<64xf32>) -> tensor<64xf32>
  // CHECK: eft.inline_asm "{{.*}}" constraints "=r,=r,=r,=r,=r,r" pack 4 %{{.*}} : (tensor<64xi8>) -> (tensor<64xi8>, tensor<64xi32>)
  %1:2 = eft.inline_asm "// $0 $1 $2 $3 $4 $5" constraints "=r,=r,=r,=r,=r,r" pack 4 %y : (tensor<64xi8>) -> (tensor<64xi8>, tensor<64xi32>)
  // CHECK: eft.inline_asm "mov.u64 $0, %globaltimer;" constraints "=l" pack 1 : () -> i64
  %2 = eft.inline_asm "mov.u64 $0, %globaltimer;" constraints "=l" pack 1 : () -> i64
  return
}
