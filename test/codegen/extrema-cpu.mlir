// The greatest of 1024 numbers, compiled for a CPU with AVX-512 and for one with AVX2.
// RUN: eft-compile %s --target=host:x86-64-v4 --emit=asm | FileCheck %s --check-prefix=AVX512
// RUN: eft-compile %s --target=host:x86-64-v3 --emit=asm | FileCheck %s --check-prefix=AVX2

// A loaded number becomes quiet first. The row has two parts, and the first needs no maximum.
// AVX512-LABEL: maximum.program:
// AVX512: vmovups {{.*}}, %[[X:zmm[0-9]+]]
// AVX512: vrangeps $4, %[[X]], %[[X]], %[[X]]
// AVX512-NEXT: vrangeps $4,
// AVX512: vmovups {{.*}}, %[[Y:zmm[0-9]+]]
// AVX512: vrangeps $4, %[[Y]], %[[Y]], %[[Y]]
// AVX512-NEXT: vrangeps $5, %[[Y]], %[[X]],
// The vectors are combined before the lanes of one.
// AVX512-COUNT-4: {{vshuf|vperm}}
// AVX512-NOT: {{vshuf|vperm}}
// AVX512: retq

// AVX2-LABEL: maximum.program:
// AVX2: vcmpunordps
// AVX2: vmaxps
// AVX2: retq
func.func @maximum(%x: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %y: !eft.ptr<f32>) {
  %i = eft.arange 0 to 1024 : tensor<1024xi32>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<1024x!eft.ptr<f32>>
  %ps = eft.addptr %xs, %i : tensor<1024x!eft.ptr<f32>>, tensor<1024xi32>
  %v = eft.load %ps : tensor<1024x!eft.ptr<f32>>
  %m = eft.reduce %v axis 0 order_free : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = eft.max_num %a, %b : f32
    eft.yield %s : f32
  }
  eft.store %y, %m : !eft.ptr<f32>
  return
}
