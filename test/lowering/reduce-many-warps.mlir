// RUN: eft-opt %s -eft-lower-to-gpu=num-warps=32 -cse | FileCheck %s

// In a program of 32 warps, each warp brings the sums of all warps into its lanes, and adds them by shuffles.
// To add them in every thread would take 31 additions.
#layout = #eft.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64], [128], [256], [512]]>
// CHECK-LABEL: @one_element_for_each_warp
// CHECK-COUNT-5: nvvm.shfl.sync
// CHECK-NOT: nvvm.shfl.sync
// CHECK: llvm.store %{{.*}} !llvm.ptr<3>
// CHECK: nvvm.barrier0
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK-NOT: llvm.load
// CHECK-COUNT-5: nvvm.shfl.sync
// CHECK-NOT: nvvm.shfl.sync
// CHECK: return
func.func @one_element_for_each_warp(%p: !eft.ptr<f32>, %out: !eft.ptr<f32>) {
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<1024x!eft.ptr<f32>, #layout>
  %x = eft.load %ps : tensor<1024x!eft.ptr<f32>, #layout>
  %s = eft.reduce %x axis 0 steps 1 tree [16, 8, 4, 2, 1, 512, 256, 128, 64, 32] : (tensor<1024xf32, #layout>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    eft.yield %sum : f32
  }
  eft.store %out, %s : !eft.ptr<f32>
  return
}
