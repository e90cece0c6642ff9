// The seeded dropout kernel, compiled to PTX.
// RUN: eft-compile %s --target=sm_90 --emit=ptx -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: eft-compile %s --target=sm_80 --emit=ptx -o %t.80.ptx
// RUN: FileCheck %s < %t.80.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_90 %t.ptx -o %t.cubin %}
// RUN: %if ptxas %{ %ptxas -arch=sm_80 %t.80.ptx -o %t.80.cubin %}

// CHECK: .visible .entry dropout(
// CHECK: .reqntid 128, 1, 1

// One test per thread decides between wide and narrow accesses.
// CHECK: ld.global.v4.b32
// CHECK: ld.global.v4.b32
// CHECK-NOT: ld.global.v4

// Ten rounds of Philox have 20 products. Two are removed: the first one, a product of zero, and the
// last one, which nobody reads. One product of the second round depends only on the seed, so a
// thread computes it once. The other 17 are computed for each of 8 elements. Of these, four are
// read only in one half, and take a mul.hi or mul.lo. So there are 8 · 13 + 1 = 105 mul.wide.
// CHECK-COUNT-105: mul.wide.u32
// CHECK-NOT: mul.wide.u32
// The random words are compared as integers with two thresholds, so they are not converted to
// floats. If the divisor is a power of two, the division becomes one multiplication.
// CHECK-NOT: cvt.rn.f32
// CHECK-COUNT-8: mul.rn.f32
// CHECK: fma.rn.f32
// CHECK: div.rn.f32
// CHECK-COUNT-8: setp.gt.s32
// CHECK: @%[[WHOLE:p[0-9]+]] st.global.v4.b32
// CHECK: @%[[WHOLE]] st.global.v4.b32
// CHECK: st.global.b32

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
