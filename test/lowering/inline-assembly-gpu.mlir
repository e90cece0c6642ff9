// RUN: eft-opt %s -split-input-file -verify-diagnostics -eft-lower-to-gpu=num-warps=1 -cse | FileCheck %s

#layout = #eft.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>

// Each run of the code takes two elements. Two bytes share a register and are widened to its 32 bits.
// Two halves fill a register.
// CHECK-LABEL: @shared_registers
func.func @shared_registers(%b: i8, %h: f16, %f: f32, %p: !eft.ptr<i8>, %q: !eft.ptr<f32>) {
  %bs = eft.splat %b : i8 -> tensor<128xi8, #layout>
  %hs = eft.splat %h : f16 -> tensor<128xf16, #layout>
  %fs = eft.splat %f : f32 -> tensor<128xf32, #layout>
  // CHECK: %[[BYTES:.*]] = llvm.bitcast %{{.*}} : vector<2xi8> to i16
  // CHECK: %[[WIDE:.*]] = llvm.zext %[[BYTES]] : i16 to i32
  // CHECK: %[[HALVES:.*]] = llvm.bitcast %{{.*}} : vector<2xf16> to i32
  // CHECK: %[[MADE:.*]] = llvm.inline_asm {eft.given_ptx} "code $0 $1 $2 $3 $4 $5 $6", "=r,=f,=f,r,r,f,f" %[[WIDE]], %[[HALVES]], %[[F:.*]], %[[F]] : (i32, i32, f32, f32) -> !llvm.struct<(i32, f32, f32)>
  // CHECK: %[[FIRST:.*]] = llvm.extractvalue %[[MADE]][0]
  // CHECK: %[[NARROW:.*]] = llvm.trunc %[[FIRST]] : i32 to i16
  // CHECK: llvm.bitcast %[[NARROW]] : i16 to vector<2xi8>
  %0:2 = eft.inline_asm "code $0 $1 $2 $3 $4 $5 $6" constraints "=r,=f,=f,r,r,f,f" pure pack 2 %bs, %hs, %fs : (tensor<128xi8, #layout>, tensor<128xf16, #layout>, tensor<128xf32, #layout>) -> (tensor<128xi8, #layout>, tensor<128xf32, #layout>)
  %ps = eft.splat %p : !eft.ptr<i8> -> tensor<128x!eft.ptr<i8>, #layout>
  %qs = eft.splat %q : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>, #layout>
  eft.store %ps, %0#0 : tensor<128x!eft.ptr<i8>, #layout>
  eft.store %qs, %0#1 : tensor<128x!eft.ptr<f32>, #layout>
  return
}

// -----

// A scalar is repeated to fill the eight elements. An operand that shares a result's register has the
// result's type.
// CHECK-LABEL: @part_of_a_run
func.func @part_of_a_run(%h: bf16, %p: !eft.ptr<bf16>) {
  // CHECK: %[[PAIR:.*]] = llvm.bitcast %{{.*}} : vector<2xbf16> to i32
  // CHECK: llvm.inline_asm has_side_effects {eft.convergent, eft.given_ptx} "x", "=r,=r,=r,=r,0,1,2,3" %[[PAIR]], %[[PAIR]], %[[PAIR]], %[[PAIR]]
  %0 = eft.inline_asm "x" constraints "=r,=r,=r,=r,0,1,2,3" pack 8 %h : (bf16) -> bf16
  eft.store %p, %0 : !eft.ptr<bf16>
  return
}

// -----

// Assembly may read the thread's number, so threads vote on a condition that depends on assembly.
// CHECK-LABEL: @vote_on_a_condition
func.func @vote_on_a_condition(%p: !eft.ptr<i32>) {
  // CHECK: %[[LANE:.*]] = llvm.inline_asm {eft.given_ptx} "mov.u32 $0, %laneid;", "=r"
  // CHECK: arith.cmpi eq, %[[LANE]]
  // CHECK: llvm.call_intrinsic "llvm.nvvm.barrier0.or"
  %zero = arith.constant 0 : i32
  %lane = eft.inline_asm "mov.u32 $0, %laneid;" constraints "=r" pure pack 1 : () -> i32
  %first = arith.cmpi eq, %lane, %zero : i32
  scf.if %first {
    eft.barrier
  }
  return
}

// -----

func.func @unknown_register(%x: i32) {
  // expected-error @+1 {{constraints of inline assembly must be registers, those of the results as `=r` in front of those of the operands as `r`, of r, h, l, f, d, c and b, got "=q,r"}}
  %0 = eft.inline_asm "" constraints "=q,r" pack 1 %x : (i32) -> i32
  return
}

// -----

func.func @result_behind_operand(%x: i32) {
  // expected-error @+1 {{constraints of inline assembly must be registers}}
  %0 = eft.inline_asm "" constraints "r,=r" pack 1 %x : (i32) -> i32
  return
}

// -----

func.func @memory_operand(%x: i64) {
  // expected-error @+1 {{constraints of inline assembly must be registers}}
  %0 = eft.inline_asm "" constraints "=r,*m" pack 1 %x : (i64) -> i32
  return
}

// -----

func.func @too_few_constraints(%x: f32) {
  // expected-error @+1 {{inline assembly with pack 2 needs 2 constraints of operands, got 1}}
  %0 = eft.inline_asm "" constraints "=r,=r,f" pack 2 %x : (f32) -> i32
  return
}

// -----

func.func @constraints_that_are_none(%x: f32) {
  // expected-error @+1 {{constraints of inline assembly must be registers}}
  %0 = eft.inline_asm "" constraints "=" pack 1 %x : (f32) -> i32
  return
}

// -----

func.func @register_too_small(%x: i64) {
  // expected-error @+1 {{inline assembly needs a register of 64 bits for operand 0, got one of 32 bits}}
  %0 = eft.inline_asm "" constraints "=r,r" pack 1 %x : (i64) -> i32
  return
}

// -----

func.func @float_register_too_large(%x: f16) {
  // expected-error @+1 {{inline assembly needs a register of 16 bits for operand 0, got one of 32 bits}}
  %0 = eft.inline_asm "" constraints "=r,f" pack 1 %x : (f16) -> i32
  return
}

// -----

func.func @register_with_room(%x: f16) {
  // expected-error @+1 {{inline assembly with pack 3 leaves room in a register: 2 elements of type 'f16' share one}}
  %0 = eft.inline_asm "" constraints "=r,=r,r,r" pack 3 %x : (f16) -> f16
  return
}

// -----

func.func @unknown_operand(%x: i32) {
  // expected-error @+1 {{inline assembly has 2 operands, and names $2}}
  %0 = eft.inline_asm "mov.b32 $0, $2;" constraints "=r,r" pack 1 %x : (i32) -> i32
  return
}

// -----

func.func @dollar_without_number(%x: i32) {
  // expected-error @+1 {{`$` in inline assembly must be followed by the number of an operand, or by another `$`}}
  %0 = eft.inline_asm "mov.b32 $0, ${1:r};" constraints "=r,r" pack 1 %x : (i32) -> i32
  return
}
