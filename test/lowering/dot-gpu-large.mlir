// RUN: eft-opt %s -eft-lower-to-gpu=num-warps=1 -cse | FileCheck %s

#acc = #eft.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64], [16, 0], [32, 0], [64, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#a = #eft.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64], [16, 0], [32, 0], [64, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #eft.layout<register = [[1, 0], [8, 0], [16, 0], [32, 0], [64, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#rows = #eft.layout<register = [[0, 1], [0, 2], [8, 0], [16, 0], [32, 0], [64, 0], [1, 0], [2, 0], [4, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = []>

// A product of 1024 instructions becomes a loop over k with half of them. The first factor is written in
// the layout in which it was loaded; one branch selects its registers of each half. Each word of an
// instruction is read by one access.
// CHECK-LABEL: @loop_over_k
// CHECK-SAME: eft.shared_bytes = 36864 : i32
func.func @loop_over_k(%p: !eft.ptr<f16>, %out: !eft.ptr<f32>, %y: f16, %z: f32) {
  // CHECK: %{{.*}}:512 = scf.for %[[FIRST:.*]] = %c0_i32 to %c128_i32 step %c64_i32 iter_args(%[[BEFORE:[^ ]*]] =
  // CHECK: nvvm.barrier0
  // CHECK: %[[WANTED:.*]] = arith.xori %{{.*}}, %[[FIRST]]
  // CHECK: %[[IS_PRESENT:.*]] = arith.cmpi eq, %[[WANTED]], %c0_i32
  // CHECK: scf.if %[[IS_PRESENT]] {
  // CHECK-COUNT-512: llvm.store {{.*}} : f16, !llvm.ptr<3>
  // CHECK: %[[WANTED:.*]] = arith.xori %{{.*}}, %[[FIRST]]
  // CHECK: %[[IS_FIRST:.*]] = arith.cmpi ult, %[[WANTED]], %c64_i32
  // CHECK: scf.if %[[IS_FIRST]] {
  // CHECK-COUNT-256: llvm.store %arg2
  // CHECK: } else {
  // CHECK-COUNT-256: llvm.store %arg2
  // CHECK-NOT: scf.if
  // CHECK: nvvm.barrier0
  // CHECK: llvm.load {{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<2xf16>
  // CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"({{.*}}, %[[BEFORE]], %
  // CHECK-COUNT-511: llvm.call_intrinsic "llvm.nvvm.mma
  // CHECK-NOT: call_intrinsic
  // CHECK: scf.yield
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<128x128x!eft.ptr<f16>, #rows>
  %x = eft.load %ps : tensor<128x128x!eft.ptr<f16>, #rows>
  %a = eft.convert_layout %x : tensor<128x128xf16, #rows> -> tensor<128x128xf16, #a>
  %b = eft.splat %y : f16 -> tensor<128x128xf16, #b>
  %c = eft.splat %z : f32 -> tensor<128x128xf32, #acc>
  %d = eft.dot %a, %b, %c precision ieee : tensor<128x128xf16, #a>, tensor<128x128xf16, #b> -> tensor<128x128xf32, #acc>
  %outs = eft.splat %out : !eft.ptr<f32> -> tensor<128x128x!eft.ptr<f32>, #acc>
  eft.store %outs, %d : tensor<128x128x!eft.ptr<f32>, #acc>
  return
}
