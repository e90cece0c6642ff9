// RUN: eft-opt %s -split-input-file -verify-diagnostics -eft-lower-to-cpu -cse | FileCheck %s

#layout = #eft.layout<lane = [[1], [2]], step = []>

// CHECK-LABEL: func.func private @lane_by_lane.program
func.func @lane_by_lane(%p: !eft.ptr<i32>, %m: i1, %x: i32) {
  // CHECK: %[[ALL:.*]] = scf.for %[[LANE:.*]] = %c0{{.*}} to %c4{{.*}} iter_args(%[[SOME:.*]] = %{{.*}}) -> (vector<4xi32>)
  // CHECK: %[[M:.*]] = llvm.extractelement %{{.*}}[%[[LANE]] : i32] : vector<4xi1>
  // CHECK: %[[OLD:.*]] = scf.if %[[M]] -> (i32)
  // CHECK: llvm.atomicrmw add %{{.*}}, %{{.*}} acq_rel
  // CHECK: llvm.insertelement %[[OLD]], %[[SOME]][%[[LANE]] : i32]
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<4x!eft.ptr<i32>, #layout>
  %ms = eft.splat %m : i1 -> tensor<4xi1, #layout>
  %xs = eft.splat %x : i32 -> tensor<4xi32, #layout>
  %0 = eft.atomic_rmw add acq_rel gpu %ps, %xs, mask %ms : tensor<4x!eft.ptr<i32>, #layout>
  eft.store %ps, %0 : tensor<4x!eft.ptr<i32>, #layout>
  return
}

// -----

// CHECK-LABEL: @orders
func.func @orders(%p: !eft.ptr<f32>, %x: f32) {
  // CHECK: llvm.atomicrmw fadd %{{.*}} monotonic
  // CHECK: llvm.atomicrmw xchg %{{.*}} release
  // CHECK: llvm.cmpxchg %{{.*}} acq_rel acquire : !llvm.ptr, i32
  // CHECK: llvm.cmpxchg %{{.*}} release monotonic : !llvm.ptr, i32
  eft.atomic_rmw fadd relaxed gpu %p, %x : !eft.ptr<f32>
  eft.atomic_rmw xchg release gpu %p, %x : !eft.ptr<f32>
  eft.atomic_cas acq_rel gpu %p, %x, %x : !eft.ptr<f32>
  eft.atomic_cas release gpu %p, %x, %x : !eft.ptr<f32>
  return
}

// -----

// CHECK-LABEL: @loads_and_stores
func.func @loads_and_stores(%p: !eft.ptr<f16>, %m: i1) {
  // CHECK: %[[BITS:.*]] = llvm.load %{{.*}} atomic acquire {alignment = 2 : i64} : !llvm.ptr -> i16
  // CHECK: %[[X:.*]] = arith.bitcast %[[BITS]] : i16 to f16
  // CHECK: scf.if %{{.*}}
  // CHECK: llvm.store %{{.*}}, %{{.*}} atomic release {alignment = 2 : i64} : i16, !llvm.ptr
  %x = eft.atomic_load acquire gpu %p : !eft.ptr<f16>
  eft.atomic_store release gpu %p, %x, mask %m : !eft.ptr<f16>
  return
}

// -----

// LLVM would call a library to round a bf16.
// CHECK-LABEL: @narrow_sum
func.func @narrow_sum(%p: !eft.ptr<bf16>, %x: bf16) {
  // CHECK: llvm.load %{{.*}} atomic monotonic {alignment = 2 : i64}
  // CHECK: scf.while
  // CHECK: arith.addf %{{.*}} : f32
  // CHECK: llvm.cmpxchg %{{.*}} acquire acquire : !llvm.ptr, i16
  // CHECK: scf.condition
  eft.atomic_rmw fadd acquire gpu %p, %x : !eft.ptr<bf16>
  return
}

// -----

#layout = #eft.layout<lane = [[1], [0]], step = []>

func.func @copies(%p: !eft.ptr<i32>, %x: i32) {
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<2x!eft.ptr<i32>, #layout>
  %xs = eft.splat %x : i32 -> tensor<2xi32, #layout>
  // expected-error @+1 {{'eft.atomic_rmw' op must be done once for each element, but the layout has copies, got}}
  %0 = eft.atomic_rmw add relaxed gpu %ps, %xs : tensor<2x!eft.ptr<i32>, #layout>
  return
}
