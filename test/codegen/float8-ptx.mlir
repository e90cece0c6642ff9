// Conversions of 8-bit floats. From compute capability 8.9 on, one instruction converts two of
// them. A thread holds four in a word, in the order in which they lie in memory.

// RUN: eft-compile %s --target=sm_89 --emit=ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=NATIVE < %t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_89 %t.ptx -o %t.cubin %}
// RUN: eft-compile %s --target=sm_90 --emit=ptx | FileCheck %s --check-prefix=NATIVE
// NATIVE: ld.global.b32
// NATIVE-NOT: {{prmt|shr|bfi|bfe}}
// NATIVE: mov.b32 {low, high}
// NATIVE-SAME: cvt.rn.f16x2.e4m3x2 %r{{[0-9]+}}, low; cvt.rn.f16x2.e4m3x2 %r{{[0-9]+}}, high;
// NATIVE: cvt.rn.satfinite.e5m2x2.f32 low, %f{{[0-9]+}}, %f{{[0-9]+}}; cvt.rn.satfinite.e5m2x2.f32 high, %f{{[0-9]+}}, %f{{[0-9]+}}; mov.b32 %r{{[0-9]+}}, {low, high};
// NATIVE-NOT: {{prmt|shr|bfi|bfe}}
// NATIVE: st.global.b32

// Older GPUs convert by arithmetic.
// RUN: eft-compile %s --target=sm_80 --emit=ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=OLD < %t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_80 %t.ptx -o %t.cubin %}
// OLD-NOT: {{e4m3|e5m2}}
// OLD: mul.rn.f32 %f{{[0-9]+}}, %f{{[0-9]+}}, 0f43800000;
// OLD-NOT: {{e4m3|e5m2}}

func.func @convert(%from: !eft.ptr<i8> {eft.divisibility = 16 : i32}, %to: !eft.ptr<i8> {eft.divisibility = 16 : i32}) {
  %i = eft.arange 0 to 512 : tensor<512xi32>
  %one = arith.constant dense<1.0> : tensor<512xf32>
  %froms = eft.splat %from : !eft.ptr<i8> -> tensor<512x!eft.ptr<i8>>
  %p = eft.addptr %froms, %i : tensor<512x!eft.ptr<i8>>, tensor<512xi32>
  %x = eft.load %p : tensor<512x!eft.ptr<i8>>
  %wide = eft.extend_float8 %x from e4m3fn : tensor<512xi8> -> tensor<512xf32>
  %sum = arith.addf %wide, %one : tensor<512xf32>
  %y = eft.truncate_float8 %sum to e5m2 : tensor<512xf32> -> tensor<512xi8>
  %tos = eft.splat %to : !eft.ptr<i8> -> tensor<512x!eft.ptr<i8>>
  %q = eft.addptr %tos, %i : tensor<512x!eft.ptr<i8>>, tensor<512xi32>
  eft.store %q, %y : tensor<512x!eft.ptr<i8>>
  return
}
