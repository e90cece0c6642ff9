// RUN: eft-opt %s -split-input-file -eft-lower-to-cpu -eft-bf16-to-bits | FileCheck %s --implicit-check-not=bf16

#layout = #eft.layout<lane = [[1], [2], [4]], step = []>

// CHECK-LABEL: func.func private @vectors_are_moved_as_integers.program
// CHECK-SAME: i64, %[[Y:[a-z0-9]+]]: i16, %[[C:[a-z0-9]+]]: i1
func.func @vectors_are_moved_as_integers(%p: !eft.ptr<bf16>, %y: bf16, %c: i1) {
  // CHECK: %[[X:.*]] = llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> vector<8xi16>
  // CHECK: %[[YS:.*]] = vector.splat %[[Y]] : vector<8xi16>
  // CHECK: %[[S:.*]] = arith.select %[[C]], %[[X]], %[[YS]] : vector<8xi16>
  // CHECK-NOT: bitcast
  // CHECK: %[[N:.*]] = arith.xori %[[S]]
  // CHECK: llvm.store %[[N]]
  %i = eft.arange 0 to 8 : tensor<8xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<bf16> -> tensor<8x!eft.ptr<bf16>, #layout>
  %pi = eft.addptr %ps, %i : tensor<8x!eft.ptr<bf16>, #layout>, tensor<8xi32, #layout>
  %x = eft.load %pi {run = 8 : i32} : tensor<8x!eft.ptr<bf16>, #layout>
  %ys = eft.splat %y : bf16 -> tensor<8xbf16, #layout>
  %s = arith.select %c, %x, %ys : tensor<8xbf16, #layout>
  %b = arith.bitcast %s : tensor<8xbf16, #layout> to tensor<8xi16, #layout>
  %sign = arith.constant dense<-32768> : tensor<8xi16, #layout>
  %n = arith.xori %b, %sign : tensor<8xi16, #layout>
  %v = arith.bitcast %n : tensor<8xi16, #layout> to tensor<8xbf16, #layout>
  eft.store %pi, %v {run = 8 : i32} : tensor<8x!eft.ptr<bf16>, #layout>
  return
}

// -----

// CHECK-LABEL: func.func private @numbers_are_carried_as_integers.program
func.func @numbers_are_carried_as_integers(%p: !eft.ptr<bf16>, %n: i32, %c: i1) {
  // CHECK: %[[ONE:.*]] = arith.constant 16256 : i16
  // CHECK: %[[X:.*]] = llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> i16
  // CHECK: %[[LOOP:.*]] = scf.for {{.*}} iter_args(%[[A:.*]] = %[[X]]) -> (i16)
  // CHECK: %[[IF:.*]] = scf.if %{{.*}} -> (i16) {
  // CHECK: scf.yield %[[ONE]] : i16
  // CHECK: scf.yield %[[A]] : i16
  // CHECK: scf.yield %[[IF]] : i16
  // CHECK: llvm.store %[[LOOP]], %{{.*}} {alignment = 2 : i64} : i16
  %one = arith.constant 1.0 : bf16
  %zero = arith.constant 0 : i32
  %step = arith.constant 1 : i32
  %x = eft.load %p : !eft.ptr<bf16>
  %last = scf.for %i = %zero to %n step %step iter_args(%a = %x) -> (bf16) : i32 {
    %next = scf.if %c -> bf16 {
      scf.yield %one : bf16
    } else {
      scf.yield %a : bf16
    }
    scf.yield %next : bf16
  }
  eft.store %p, %last : !eft.ptr<bf16>
  return
}

// -----

#layout = #eft.layout<lane = [[1], [2], [4]], step = []>

// Constants, allocations on the stack, and addresses.
// CHECK-LABEL: func.func private @blocks_in_buffers.program
func.func @blocks_in_buffers() {
  // CHECK: llvm.alloca %{{.*}} x vector<8xi16>
  // CHECK: %[[HALF:.*]] = arith.constant 16128 : i16
  // CHECK: %[[V:.*]] = vector.splat %[[HALF]] : vector<8xi16>
  // CHECK: %[[AT:.*]] = llvm.getelementptr %{{.*}} -> !llvm.ptr, vector<8xi16>
  // CHECK: llvm.store %[[V]], %[[AT]]
  %zero = arith.constant 0 : i32
  %buffer = eft.buffer : <tensor<8xbf16, #layout>>
  %half = arith.constant dense<0.5> : tensor<8xbf16, #layout>
  eft.buffer_write %half, %buffer[%zero] : tensor<8xbf16, #layout>, <tensor<8xbf16, #layout>>
  return
}

// -----

#layout = #eft.layout<lane = [[1], [2], [4]], step = []>

// CHECK-LABEL: func.func private @atomic_sum.program
func.func @atomic_sum(%p: !eft.ptr<bf16>, %x: bf16) {
  // CHECK: llvm.cmpxchg {{.*}} i16
  %old = eft.atomic_rmw fadd relaxed gpu %p, %x : !eft.ptr<bf16>
  eft.store %p, %old : !eft.ptr<bf16>
  return
}

// -----

// f16 values that are only moved become bits, as on a CPU that can't convert f16. LLVM would need f16
// conversions for |x|.
// CHECK-LABEL: func.func private @f16_without_conversions.program
func.func @f16_without_conversions(%p: !eft.ptr<f16>) {
  // CHECK: %[[X:.*]] = llvm.load %{{.*}} -> i16
  // CHECK-NOT: bitcast
  // CHECK: %[[SIZE:.*]] = arith.andi %[[X]], %{{.*}} : i16
  // CHECK: llvm.store %[[SIZE]], %{{.*}} : i16
  %x = eft.load %p : !eft.ptr<f16>
  %bits = arith.bitcast %x : f16 to i16
  %mask = arith.constant 32767 : i16
  %size = arith.andi %bits, %mask : i16
  %y = arith.bitcast %size : i16 to f16
  eft.store %p, %y : !eft.ptr<f16>
  return
}

// -----

// CHECK-LABEL: func.func private @f16_that_is_converted.program
func.func @f16_that_is_converted(%p: !eft.ptr<f16>, %q: !eft.ptr<f32>) {
  // CHECK: %[[X:.*]] = llvm.load %{{.*}} -> f16
  // CHECK: arith.extf %[[X]] : f16 to f32
  %x = eft.load %p : !eft.ptr<f16>
  %y = arith.extf %x : f16 to f32
  eft.store %q, %y : !eft.ptr<f32>
  return
}
