// The elements of a bf16 row become f32 by one instruction each, without a move: the lower half of a loaded
// register is shifted, the upper half is masked.
// RUN: eft-compile %s --target=sm_90 --emit=ptx -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_90 %t.ptx -o %t.cubin %}

// CHECK: ld.global.v2.b32 {%[[LOW:r[0-9]+]], %[[HIGH:r[0-9]+]]}
// CHECK-NOT: cvt
// CHECK-NOT: mov.b32 {
// CHECK-DAG: shl.b32 {{.*}} %[[LOW]], 16;
// CHECK-DAG: and.b32 {{.*}} %[[LOW]], -65536;
// CHECK-DAG: shl.b32 {{.*}} %[[HIGH]], 16;
// CHECK-DAG: and.b32 {{.*}} %[[HIGH]], -65536;
// CHECK: st.global
func.func @widen(%x: !eft.ptr<bf16> {eft.divisibility = 16 : i32}, %y: !eft.ptr<f32> {eft.divisibility = 16 : i32}) {
  %i = eft.arange 0 to 512 : tensor<512xi32>
  %xs = eft.splat %x : !eft.ptr<bf16> -> tensor<512x!eft.ptr<bf16>>
  %xp = eft.addptr %xs, %i : tensor<512x!eft.ptr<bf16>>, tensor<512xi32>
  %ys = eft.splat %y : !eft.ptr<f32> -> tensor<512x!eft.ptr<f32>>
  %yp = eft.addptr %ys, %i : tensor<512x!eft.ptr<f32>>, tensor<512xi32>
  %v = eft.load %xp : tensor<512x!eft.ptr<bf16>>
  %w = arith.extf %v : tensor<512xbf16> to tensor<512xf32>
  eft.store %yp, %w : tensor<512x!eft.ptr<f32>>
  return
}
