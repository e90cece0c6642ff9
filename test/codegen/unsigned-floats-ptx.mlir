// Sign-extended bytes are converted to floats as unsigned numbers. From an unsigned conversion the
// assembler would make a conversion of the byte as a signed number. So the PTX has a signed
// conversion, and adds 2^32 to negative results.
// RUN: eft-compile %s --target=sm_90 --emit=ptx -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_90 %t.ptx -o %t.cubin %}

// CHECK-LABEL: .visible .entry unsigned_floats(
// CHECK-NOT: cvt.rn.f32.u32
// CHECK: bfe.s32 {{[[:space:]]*}}%r[[BYTE:[0-9]+]], %r{{[0-9]+}}, 0, 8;
// CHECK: setp.lt.s32 {{[[:space:]]*}}%p[[NEGATIVE:[0-9]+]], %r[[BYTE]], 0;
// CHECK-NEXT: cvt.rn.f32.s32 {{[[:space:]]*}}%f[[SIGNED:[0-9]+]], %r[[BYTE]];
// CHECK-NEXT: add.rn.f32 {{[[:space:]]*}}%f[[WRAPPED:[0-9]+]], %f[[SIGNED]], 0f4F800000;
// CHECK-NEXT: selp.f32 {{[[:space:]]*}}%f{{[0-9]+}}, %f[[WRAPPED]], %f[[SIGNED]], %p[[NEGATIVE]];
// CHECK-NOT: cvt.rn.f32.u32
func.func @unsigned_floats(%x: !eft.ptr<i8> {eft.divisibility = 16 : i32}, %y: !eft.ptr<f32>) {
  %i = eft.arange 0 to 512 : tensor<512xi32>
  %xs = eft.splat %x : !eft.ptr<i8> -> tensor<512x!eft.ptr<i8>>
  %p = eft.addptr %xs, %i : tensor<512x!eft.ptr<i8>>, tensor<512xi32>
  %v = eft.load %p : tensor<512x!eft.ptr<i8>>
  %wide = arith.extsi %v : tensor<512xi8> to tensor<512xi32>
  %f = arith.uitofp %wide : tensor<512xi32> to tensor<512xf32>
  %ys = eft.splat %y : !eft.ptr<f32> -> tensor<512x!eft.ptr<f32>>
  %q = eft.addptr %ys, %i : tensor<512x!eft.ptr<f32>>, tensor<512xi32>
  eft.store %q, %f : tensor<512x!eft.ptr<f32>>
  return
}
