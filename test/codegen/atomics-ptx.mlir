// Atomic operations in PTX: of every kind, order and scope.
// RUN: eft-compile %s --target=sm_90 --emit=ptx -o %t.ptx
// RUN: FileCheck %s --check-prefixes=CHECK,SM90 < %t.ptx
// RUN: eft-compile %s --target=sm_80 --emit=ptx -o %t.80.ptx
// RUN: FileCheck %s --check-prefixes=CHECK,SM80 < %t.80.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_90 %t.ptx -o %t.cubin %}
// RUN: %if ptxas %{ %ptxas -arch=sm_80 %t.80.ptx -o %t.80.cubin %}

// CHECK: .visible .entry atomics(
func.func @atomics(%p32: !eft.ptr<i32>, %p64: !eft.ptr<i64>, %p16: !eft.ptr<f16>, %pb: !eft.ptr<bf16>, %pf: !eft.ptr<f32>, %pd: !eft.ptr<f64>) {
  %i = eft.arange 0 to 128 : tensor<128xi32>
  %j = arith.extsi %i : tensor<128xi32> to tensor<128xi64>
  %h = arith.sitofp %i : tensor<128xi32> to tensor<128xf16>
  %b = arith.sitofp %i : tensor<128xi32> to tensor<128xbf16>
  %f = arith.sitofp %i : tensor<128xi32> to tensor<128xf32>
  %d = arith.sitofp %i : tensor<128xi32> to tensor<128xf64>
  %s32 = eft.splat %p32 : !eft.ptr<i32> -> tensor<128x!eft.ptr<i32>>
  %s64 = eft.splat %p64 : !eft.ptr<i64> -> tensor<128x!eft.ptr<i64>>
  %s16 = eft.splat %p16 : !eft.ptr<f16> -> tensor<128x!eft.ptr<f16>>
  %sb = eft.splat %pb : !eft.ptr<bf16> -> tensor<128x!eft.ptr<bf16>>
  %sf = eft.splat %pf : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>>
  %sd = eft.splat %pd : !eft.ptr<f64> -> tensor<128x!eft.ptr<f64>>

  // CHECK: atom.global.cta.relaxed.add.u32
  eft.atomic_rmw add relaxed cta %s32, %i : tensor<128x!eft.ptr<i32>>
  // CHECK: atom.global.gpu.acquire.add.u64
  eft.atomic_rmw add acquire gpu %s64, %j : tensor<128x!eft.ptr<i64>>
  // CHECK: atom.global.sys.release.add.noftz.f16
  eft.atomic_rmw fadd release sys %s16, %h : tensor<128x!eft.ptr<f16>>
  // SM90: atom.global.gpu.acq_rel.add.noftz.bf16
  // SM80: add{{.*}}.f32
  // SM80: cvt.rn.bf16.f32
  // SM80: atom.global.acq_rel.gpu.cas.b16
  // SM80: setp.ne.s16
  eft.atomic_rmw fadd acq_rel gpu %sb, %b : tensor<128x!eft.ptr<bf16>>
  // CHECK: atom.global.gpu.acq_rel.add.f32
  eft.atomic_rmw fadd acq_rel gpu %sf, %f : tensor<128x!eft.ptr<f32>>
  // CHECK: atom.global.gpu.acq_rel.add.f64
  eft.atomic_rmw fadd acq_rel gpu %sd, %d : tensor<128x!eft.ptr<f64>>
  // CHECK: atom.global.gpu.acq_rel.max.s32
  eft.atomic_rmw max acq_rel gpu %s32, %i : tensor<128x!eft.ptr<i32>>
  // CHECK: atom.global.gpu.acq_rel.min.s64
  eft.atomic_rmw min acq_rel gpu %s64, %j : tensor<128x!eft.ptr<i64>>
  // CHECK: atom.global.gpu.acq_rel.max.u64
  eft.atomic_rmw umax acq_rel gpu %s64, %j : tensor<128x!eft.ptr<i64>>
  // CHECK: atom.global.gpu.acq_rel.min.u32
  eft.atomic_rmw umin acq_rel gpu %s32, %i : tensor<128x!eft.ptr<i32>>
  // CHECK: atom.global.gpu.acq_rel.and.b32
  eft.atomic_rmw and acq_rel gpu %s32, %i : tensor<128x!eft.ptr<i32>>
  // CHECK: atom.global.gpu.acq_rel.or.b64
  eft.atomic_rmw or acq_rel gpu %s64, %j : tensor<128x!eft.ptr<i64>>
  // CHECK: atom.global.gpu.acq_rel.xor.b32
  eft.atomic_rmw xor acq_rel gpu %s32, %i : tensor<128x!eft.ptr<i32>>
  // CHECK: atom.global.gpu.acq_rel.exch.b64
  eft.atomic_rmw xchg acq_rel gpu %sd, %d : tensor<128x!eft.ptr<f64>>
  // CHECK: max.s16
  // CHECK: atom.global.acq_rel.gpu.cas.b16
  %hb = eft.cast_ptr %s16 : tensor<128x!eft.ptr<f16>> -> tensor<128x!eft.ptr<i16>>
  %hi = arith.bitcast %h : tensor<128xf16> to tensor<128xi16>
  eft.atomic_rmw max acq_rel gpu %hb, %hi : tensor<128x!eft.ptr<i16>>
  // CHECK: min.u16
  // CHECK: atom.global.relaxed.sys.cas.b16
  eft.atomic_rmw umin relaxed sys %hb, %hi : tensor<128x!eft.ptr<i16>>
  // CHECK: ld.acquire.gpu.global.b64
  %l = eft.atomic_load acquire gpu %s64 : tensor<128x!eft.ptr<i64>>
  // CHECK: st.release.sys.global.b64
  eft.atomic_store release sys %s64, %l : tensor<128x!eft.ptr<i64>>
  // CHECK: ld.relaxed.cta.global.b16
  %k = eft.atomic_load relaxed cta %s16 : tensor<128x!eft.ptr<f16>>
  // CHECK: st.relaxed.gpu.global.b16
  eft.atomic_store relaxed gpu %s16, %k : tensor<128x!eft.ptr<f16>>
  // CHECK: atom.global.acq_rel.gpu.cas.b32
  eft.atomic_cas acq_rel gpu %sf, %f, %f : tensor<128x!eft.ptr<f32>>
  // CHECK: atom.global.relaxed.gpu.cas.b16
  eft.atomic_cas relaxed gpu %s16, %h, %h : tensor<128x!eft.ptr<f16>>
  // CHECK: atom.global.acquire.gpu.cas.b64
  eft.atomic_cas acquire gpu %s64, %j, %j : tensor<128x!eft.ptr<i64>>
  return
}
