// RUN: eft-opt %s -split-input-file -eft-lower-to-gpu=num-warps=1 -canonicalize -cse | FileCheck %s

#acc = #eft.layout<register = [[0, 1], [0, 2], [8, 0]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = []>
#rows = #eft.layout<register = [[2, 0], [4, 0], [8, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0]], warp = []>

// The factors go through shared memory. An iteration of the loop adds the products of eight steps along
// k to the thread's eight elements.
// CHECK-LABEL: @floats
// CHECK-SAME: eft.shared_bytes = 2368 : i32
func.func @floats(%p: !eft.ptr<f32>, %x: f32, %y: f32) {
  // CHECK-COUNT-16: llvm.store %{{.*}} : f32, !llvm.ptr<3>
  // CHECK: nvvm.barrier0
  // CHECK: %[[SUM:.*]]:8 = scf.for %[[K:.*]] = %c0_i32 to %c16_i32 step %c8_i32 iter_args(
  // CHECK: %[[A0:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> f32
  // CHECK: %[[B:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
  // CHECK: %[[B0:.*]] = llvm.extractelement %[[B]]
  // CHECK: math.fma %[[A0]], %[[B0]], %{{.*}} : f32
  // CHECK-COUNT-63: math.fma
  // CHECK-NOT: math.fma
  // CHECK: scf.yield
  %a = eft.splat %x : f32 -> tensor<16x16xf32, #rows>
  %b = eft.splat %y : f32 -> tensor<16x16xf32, #rows>
  %c = eft.splat %x : f32 -> tensor<16x16xf32, #acc>
  %d = eft.dot %a, %b, %c precision ieee : tensor<16x16xf32, #rows>, tensor<16x16xf32, #rows> -> tensor<16x16xf32, #acc>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>, #acc>
  eft.store %ps, %d : tensor<16x16x!eft.ptr<f32>, #acc>
  return
}

// -----

#acc = #eft.layout<register = [[0, 1], [0, 2], [0, 32], [0, 64], [4, 0], [8, 0], [16, 0], [32, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = []>
#a = #eft.layout<register = [[0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>
#b = #eft.layout<register = [[0, 32], [0, 64], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>

// The factors, with the padding of their rows, need a little more than 48 KiB. So a loop processes two
// parts, each of half of k. One branch selects the registers of a part.
// CHECK-LABEL: @two_parts
// CHECK-SAME: eft.shared_bytes = 25344 : i32
func.func @two_parts(%p: !eft.ptr<i32>, %x: i32) {
  // CHECK: %{{.*}}:256 = scf.for %[[FIRST:.*]] = %c0_i32 to %c64_i32 step %c32_i32 iter_args(%[[BEFORE:[^ ]*]] =
  // CHECK: nvvm.barrier0
  // CHECK: %[[WANTED:.*]] = arith.xori %{{.*}}, %[[FIRST]]
  // CHECK-NEXT: %[[IS_FIRST:.*]] = arith.cmpi ult, %[[WANTED]], %c32_i32
  // CHECK-NEXT: scf.if %[[IS_FIRST]] {
  // CHECK-COUNT-64: llvm.store
  // CHECK: } else {
  // CHECK-COUNT-64: llvm.store
  // CHECK: %[[IS_FIRST:.*]] = arith.cmpi ult, %[[FIRST]], %c32_i32
  // CHECK-NEXT: scf.if %[[IS_FIRST]] {
  // CHECK-COUNT-128: llvm.store
  // CHECK: } else {
  // CHECK-COUNT-128: llvm.store
  // CHECK-NOT: scf.if
  // CHECK: nvvm.barrier0
  // CHECK: %[[SUM:.*]]:256 = scf.for %{{.*}} = %c0_i32 to %c32_i32 step %c1_i32 iter_args(%{{.*}} = %[[BEFORE]]
  // CHECK: arith.muli
  // CHECK: arith.addi
  // CHECK: scf.yield
  // CHECK: scf.yield %[[SUM]]#0
  // CHECK-NOT: scf.for
  %a = eft.splat %x : i32 -> tensor<64x64xi32, #a>
  %b = eft.splat %x : i32 -> tensor<64x128xi32, #b>
  %c = eft.splat %x : i32 -> tensor<64x128xi32, #acc>
  %d = eft.dot %a, %b, %c precision ieee : tensor<64x64xi32, #a>, tensor<64x128xi32, #b> -> tensor<64x128xi32, #acc>
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<64x128x!eft.ptr<i32>, #acc>
  eft.store %ps, %d : tensor<64x128x!eft.ptr<i32>, #acc>
  return
}
