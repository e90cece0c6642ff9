// A kernel's inline assembly in PTX.

// RUN: eft-compile %s --target=sm_90 --emit=ptx -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_90 %t.ptx -o %t.cubin %}

// CHECK: .visible .entry assembly(
func.func @assembly(%p: !eft.ptr<i8> {eft.divisibility = 16 : i32}, %out: !eft.ptr<i32> {eft.divisibility = 16 : i32},
                    %floats: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %flag: !eft.ptr<i32>) {
  %i = eft.arange 0 to 512 : tensor<512xi32>
  %ps = eft.splat %p : !eft.ptr<i8> -> tensor<512x!eft.ptr<i8>>
  %q = eft.addptr %ps, %i : tensor<512x!eft.ptr<i8>>, tensor<512xi32>
  %x = eft.load %q : tensor<512x!eft.ptr<i8>>

  // The operand is a register with four bytes, as they were loaded. The four results are stored as
  // they are.
  // CHECK: ld.global.b32 [[WORD:%r[0-9]+]]
  // CHECK: // begin inline asm
  // CHECK-NEXT: bfe.u32 [[A:%r[0-9]+]], [[WORD]], 0, 8; bfe.u32 [[B:%r[0-9]+]], [[WORD]], 8, 8; bfe.u32 [[C:%r[0-9]+]], [[WORD]], 16, 8; bfe.u32 [[D:%r[0-9]+]], [[WORD]], 24, 8;
  // CHECK-NEXT: // end inline asm
  %wide = eft.inline_asm "bfe.u32 $0, $4, 0, 8; bfe.u32 $1, $4, 8, 8; bfe.u32 $2, $4, 16, 8; bfe.u32 $3, $4, 24, 8;" constraints "=r,=r,=r,=r,r" pure pack 4 %x : (tensor<512xi8>) -> tensor<512xi32>
  // CHECK: st.global.v4.{{[bu]}}32 [{{.*}}], {[[A]], [[B]], [[C]], [[D]]};
  %outs = eft.splat %out : !eft.ptr<i32> -> tensor<512x!eft.ptr<i32>>
  %r = eft.addptr %outs, %i : tensor<512x!eft.ptr<i32>>, tensor<512xi32>
  eft.store %r, %wide : tensor<512x!eft.ptr<i32>>

  // Operand and result are registers with two f16 values each.
  // CHECK: min.f16x2 [[LOW:%r[0-9]+]], [[HALVES:%r[0-9]+]], [[HALVES]]; // $1
  %h = arith.sitofp %i : tensor<512xi32> to tensor<512xf16>
  %least = eft.inline_asm "min.f16x2 $0, $1, $1; // $$1" constraints "=r,r" pure pack 2 %h : (tensor<512xf16>) -> tensor<512xf16>
  %f = arith.extf %least : tensor<512xf16> to tensor<512xf32>
  %fs = eft.splat %floats : !eft.ptr<f32> -> tensor<512x!eft.ptr<f32>>
  %s = eft.addptr %fs, %i : tensor<512x!eft.ptr<f32>>, tensor<512xi32>
  eft.store %s, %f : tensor<512x!eft.ptr<f32>>

  // Assembly without operands. Assembly whose result is not used stays if it is not `pure`, and is
  // removed otherwise.
  // CHECK: mov.u32 %r{{[0-9]+}}, %smid;
  // CHECK: nanosleep.u32 20; // %r{{[0-9]+}}
  // CHECK-NOT: clock
  %sm = eft.inline_asm "mov.u32 $0, %smid;" constraints "=r" pure pack 1 : () -> i32
  eft.store %flag, %sm : !eft.ptr<i32>
  %none = eft.inline_asm "nanosleep.u32 20; // $0" constraints "=r" pack 1 : () -> i32
  %unused = eft.inline_asm "mov.u64 $0, %clock64;" constraints "=l" pure pack 1 : () -> i64
  return
}
