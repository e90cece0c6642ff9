// Atomic operations of a thread become PTX with the rest of the LLVM dialect.
// RUN: eft-opt %s --eft-lower-to-llvm | FileCheck %s

// CHECK-LABEL: @sum_of_integers
func.func @sum_of_integers(%p: !llvm.ptr<1>, %x: i32) -> i32 {
  // CHECK: llvm.inline_asm has_side_effects "atom.global.gpu.acq_rel.add.u32 $0, [$1], $2;", "=r,l,r,~{memory}" %arg0, %arg1
  %0 = eft.thread_atomic_rmw add acq_rel gpu %p, %x : !llvm.ptr<1>, i32
  return %0 : i32
}

// CHECK-LABEL: @sum_of_floats
func.func @sum_of_floats(%p: !llvm.ptr<1>, %x: f64, %c: i1) -> f64 {
  // CHECK: %[[BITS:.*]] = llvm.bitcast %arg1 : f64 to i64
  // CHECK: %[[OLD:.*]] = llvm.inline_asm has_side_effects "mov.b64 $0, 0; @$3 atom.global.sys.relaxed.add.f64 $0, [$1], $2;", "=&l,l,l,b,~{memory}" %arg0, %[[BITS]], %arg2
  // CHECK: llvm.bitcast %[[OLD]] : i64 to f64
  %0 = eft.thread_atomic_rmw fadd relaxed sys %p, %x if %c : !llvm.ptr<1>, f64
  return %0 : f64
}

// CHECK-LABEL: @sum_of_halves
func.func @sum_of_halves(%p: !llvm.ptr<1>, %x: f16, %y: bf16) {
  // CHECK: "atom.global.gpu.relaxed.add.noftz.f16 $0, [$1], $2;", "=h,l,h,~{memory}"
  %0 = eft.thread_atomic_rmw fadd relaxed gpu %p, %x : !llvm.ptr<1>, f16
  // CHECK: "atom.global.gpu.relaxed.add.noftz.bf16 $0, [$1], $2;", "=h,l,h,~{memory}"
  %1 = eft.thread_atomic_rmw fadd relaxed gpu %p, %y : !llvm.ptr<1>, bf16
  return
}

// Neighbours of 16 bits share a register. ptxas does not drop an unused result of a vector, so the
// instruction `red`, which has no result, replaces `atom` if the result is not used.
// CHECK-LABEL: @sums_of_neighbours
func.func @sums_of_neighbours(%p: !llvm.ptr<1>, %x: vector<4xf32>, %y: vector<2xf16>, %z: vector<8xbf16>, %c: i1) -> vector<4xf32> {
  // CHECK: "mov.b32 $0, 0; mov.b32 $1, 0; mov.b32 $2, 0; mov.b32 $3, 0; @$9 atom.global.gpu.relaxed.add.v4.f32 {$0, $1, $2, $3}, [$4], {$5, $6, $7, $8};", "=&r,=&r,=&r,=&r,l,r,r,r,r,b,~{memory}"
  %0 = eft.thread_atomic_rmw fadd relaxed gpu %p, %x if %c : !llvm.ptr<1>, vector<4xf32>
  // CHECK: "red.global.gpu.relaxed.add.noftz.f16x2 [$0], $1;", "l,r,~{memory}"
  %1 = eft.thread_atomic_rmw fadd relaxed gpu %p, %y : !llvm.ptr<1>, vector<2xf16>
  // CHECK: "@$5 red.global.cta.release.add.noftz.v4.bf16x2 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,b,~{memory}"
  %2 = eft.thread_atomic_rmw fadd release cta %p, %z if %c : !llvm.ptr<1>, vector<8xbf16>
  // CHECK: "atom.global.gpu.acq_rel.add.noftz.v4.bf16x2 {$0, $1, $2, $3}, [$4], {$5, $6, $7, $8};", "=r,=r,=r,=r,l,r,r,r,r,~{memory}"
  %3 = eft.thread_atomic_rmw fadd acq_rel gpu %p, %z : !llvm.ptr<1>, vector<8xbf16>
  return %0 : vector<4xf32>
}

// CHECK-LABEL: @fence
func.func @fence() {
  // CHECK: "fence.acq_rel.sys;", "~{memory}"
  eft.thread_fence sys
  return
}

// CHECK-LABEL: @compare_and_swap
func.func @compare_and_swap(%p: !llvm.ptr<1>, %x: i16, %y: i16, %c: i1) -> i16 {
  // CHECK: "mov.b16 $0, 0; @$4 atom.global.acquire.cta.cas.b16 $0, [$1], $2, $3;", "=&h,l,h,h,b,~{memory}" %arg0, %arg1, %arg2, %arg3
  %0 = eft.thread_atomic_cas acquire cta %p, %x, %y if %c : !llvm.ptr<1>, i16
  return %0 : i16
}

// There are no registers of 8 bits.
// CHECK-LABEL: @bytes
func.func @bytes(%p: !llvm.ptr<1>, %c: i1) {
  // CHECK: %[[WIDE:.*]] = llvm.inline_asm has_side_effects "mov.b16 $0, 0; @$2 ld.acquire.gpu.global.b8 $0, [$1];", "=&h,l,b,~{memory}" %arg0, %arg1
  // CHECK: %[[BYTE:.*]] = llvm.trunc %[[WIDE]] : i16 to i8
  %0 = eft.thread_atomic_load acquire gpu %p if %c : !llvm.ptr<1> -> i8
  // CHECK: %[[VALUE:.*]] = llvm.zext %[[BYTE]] : i8 to i16
  // CHECK: llvm.inline_asm has_side_effects "@$2 st.release.gpu.global.b8 [$0], $1;", "l,h,b,~{memory}" %arg0, %[[VALUE]], %arg1
  eft.thread_atomic_store release gpu %p, %0 if %c : !llvm.ptr<1>, i8
  return
}
