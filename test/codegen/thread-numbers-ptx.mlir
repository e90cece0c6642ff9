// LLVM knows that the number of a thread is below the number of threads. So the code uses it as it
// is, without taking its lowest bits.
// RUN: eft-compile %s --target=sm_90 --emit=ptx -o - | FileCheck %s

// CHECK-LABEL: .entry copy(
// CHECK: mov.u32 [[thread:%r[0-9]+]], %tid.x;
// CHECK-NOT: and.b32
// CHECK-NOT: bfe.u32
// CHECK: shl.b32 {{.*}}, [[thread]], 2;
// CHECK-NOT: and.b32
// CHECK: ret;
func.func @copy(%x: !eft.ptr<f32>, %y: !eft.ptr<f32>) {
  %range = eft.arange 0 to 128 : tensor<128xi32>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>>
  %from = eft.addptr %xs, %range : tensor<128x!eft.ptr<f32>>, tensor<128xi32>
  %ys = eft.splat %y : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>>
  %to = eft.addptr %ys, %range : tensor<128x!eft.ptr<f32>>, tensor<128xi32>
  %0 = eft.load %from : tensor<128x!eft.ptr<f32>>
  eft.store %to, %0 : tensor<128x!eft.ptr<f32>>
  return
}
