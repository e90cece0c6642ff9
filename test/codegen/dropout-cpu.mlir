// The seeded dropout kernel, compiled to the assembly of a CPU with AVX-512, and of one with AVX2.
// RUN: eft-compile %s --target=host:x86-64-v4 --emit=asm | FileCheck %s --check-prefixes=CHECK,AVX512
// RUN: eft-compile %s --target=host:x86-64-v3 --emit=asm | FileCheck %s --check-prefixes=CHECK,AVX2

// The loop over the steps that lie wholly inside the range has whole vectors, multiplications of
// 64-bit lanes, and no mask.
// CHECK-LABEL: dropout:
// AVX512: vpmuludq %zmm
// AVX512-NOT: vmovups {{.*}}{%k
// AVX512: prefetcht0 4096(
// AVX512: vdivps {{.*}}%zmm
// AVX512: vmovups %zmm{{[0-9]+}}, ({{[^{]*$}}
// AVX2: vpmuludq %ymm
// AVX2-NOT: vmaskmovps
// AVX2: prefetcht0 4096(
// AVX2: vdivps {{.*}}%ymm
// AVX2: {{vmovups|vmovdqu}} %ymm{{[0-9]+}}, ({{.*$}}

// The step in which the range ends has masked accesses.
// AVX512: vpcmpgtd
// AVX512: vmovups {{.*}}{%k{{[0-9]}}} {z}
// AVX512: vmovups %zmm{{.*}} {%k
// AVX2: vpcmpgtd
// AVX2: vmaskmovps
// AVX2: vmaskmovps %ymm{{[0-9]+}}, %ymm{{[0-9]+}}, (

func.func @dropout(%x: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %y: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %n: i32, %p: f32, %seed: i32) {
  %c1024 = arith.constant 1024 : i32
  %pid = eft.program_id x
  %start = arith.muli %pid, %c1024 : i32
  %r = eft.arange 0 to 1024 : tensor<1024xi32>
  %s = eft.splat %start : i32 -> tensor<1024xi32>
  %off = arith.addi %s, %r : tensor<1024xi32>
  %nn = eft.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %off, %nn : tensor<1024xi32>
  %xp = eft.splat %x : !eft.ptr<f32> -> tensor<1024x!eft.ptr<f32>>
  %xa = eft.addptr %xp, %off : tensor<1024x!eft.ptr<f32>>, tensor<1024xi32>
  %v = eft.load %xa, mask %mask : tensor<1024x!eft.ptr<f32>>
  %zero = arith.constant dense<0> : tensor<1024xi32>
  %seed64 = arith.extsi %seed : i32 to i64
  %w:4 = eft.philox seed %seed64 counter %off, %zero, %zero, %zero rounds 10 : i64, tensor<1024xi32>
  %cm1 = arith.constant dense<-1> : tensor<1024xi32>
  %neg = arith.cmpi slt, %w#0, %zero : tensor<1024xi32>
  %flip = arith.xori %w#0, %cm1 : tensor<1024xi32>
  %fold = arith.select %neg, %flip, %w#0 : tensor<1024xi1>, tensor<1024xi32>
  %f = arith.sitofp %fold : tensor<1024xi32> to tensor<1024xf32>
  %scale = arith.constant dense<4.6566127342e-10> : tensor<1024xf32>
  %u = arith.mulf %f, %scale : tensor<1024xf32>
  %pp = eft.splat %p : f32 -> tensor<1024xf32>
  %keep = arith.cmpf ogt, %u, %pp : tensor<1024xf32>
  %one = arith.constant 1.0 : f32
  %q = arith.subf %one, %p : f32
  %qs = eft.splat %q : f32 -> tensor<1024xf32>
  %d = arith.divf %v, %qs : tensor<1024xf32>
  %zf = arith.constant dense<0.0> : tensor<1024xf32>
  %o = arith.select %keep, %d, %zf : tensor<1024xi1>, tensor<1024xf32>
  %yp = eft.splat %y : !eft.ptr<f32> -> tensor<1024x!eft.ptr<f32>>
  %ya = eft.addptr %yp, %off : tensor<1024x!eft.ptr<f32>>, tensor<1024xi32>
  eft.store %ya, %o, mask %mask : tensor<1024x!eft.ptr<f32>>
  return
}
