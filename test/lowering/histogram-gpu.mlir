// RUN: eft-opt %s -split-input-file -eft-lower-to-gpu=num-warps=2 -cse | FileCheck %s

#keys = #eft.layout<register = [[64]], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
#bins = #eft.layout<register = [], lane = [[1], [2], [4], [0], [0]], warp = [[0]]>

// Elements that belong to no bin are counted after the last bin.
// CHECK-LABEL: @counted
// CHECK-SAME: eft.shared_bytes = 36
func.func @counted(%p: !eft.ptr<i32>, %k: i32) {
  // CHECK: %[[COUNTS:.*]] = llvm.mlir.addressof @eft$shared
  // CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: scf.for %[[I:.*]] = %[[THREAD]] to %c8_i32 step %c64_i32
  // CHECK:   %[[AT:.*]] = llvm.getelementptr %[[COUNTS]][%[[I]]] {{.*}}, i32
  // CHECK:   llvm.store %c0_i32{{.*}}, %[[AT]]
  // CHECK: nvvm.barrier0
  // CHECK: %[[BIN:.*]] = arith.minui %arg1, %c8_i32
  // CHECK: %[[COUNT:.*]] = llvm.getelementptr %[[COUNTS]][%[[BIN]]] {{.*}}, i32
  // CHECK-COUNT-2: llvm.atomicrmw add %[[COUNT]], %c1_i32 monotonic : !llvm.ptr<3>, i32
  // CHECK-NOT: atomicrmw
  // CHECK: nvvm.barrier0
  // CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> i32
  // CHECK-NOT: llvm.load
  %keys = eft.splat %k : i32 -> tensor<128xi32, #keys>
  %counts = eft.histogram %keys : tensor<128xi32, #keys> -> tensor<8xi32, #bins>
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<8x!eft.ptr<i32>, #bins>
  eft.store %ps, %counts : tensor<8x!eft.ptr<i32>, #bins>
  return
}

// -----

#keys = #eft.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0]]>
#bins = #eft.layout<register = [[64], [128], [256], [512], [1024], [2048], [4096], [8192]], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>

// The bins are counted in two rounds of 8192 bins. Only one of the warps counts.
// CHECK-LABEL: @many_bins
// CHECK-SAME: eft.shared_bytes = 32772
func.func @many_bins(%p: !eft.ptr<i32>, %k: i32) {
  // CHECK: %[[IS_FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32
  // CHECK: scf.if %[[IS_FIRST]] {
  // CHECK:   arith.minui %arg1, %c8192_i32
  // CHECK:   llvm.atomicrmw add
  // CHECK: }
  // CHECK: nvvm.barrier0
  // CHECK-COUNT-256: llvm.load
  // CHECK: nvvm.barrier0
  // CHECK: scf.for
  // CHECK: nvvm.barrier0
  // CHECK: %[[BIN:.*]] = arith.subi %arg1, %c8192_i32
  // CHECK: arith.minui %[[BIN]], %c8192_i32
  // CHECK: llvm.atomicrmw add
  // CHECK: nvvm.barrier0
  // CHECK: arith.select
  // CHECK-NOT: atomicrmw
  %keys = eft.splat %k : i32 -> tensor<32xi32, #keys>
  %counts = eft.histogram %keys : tensor<32xi32, #keys> -> tensor<16384xi32, #bins>
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<16384x!eft.ptr<i32>, #bins>
  eft.store %ps, %counts : tensor<16384x!eft.ptr<i32>, #bins>
  return
}
