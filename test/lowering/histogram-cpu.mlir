// RUN: eft-opt %s -pass-pipeline='builtin.module(func.func(eft-keep-in-buffers{vector-bits=128}),eft-lower-to-cpu,cse)' | FileCheck %s

#keys = #eft.layout<lane = [[1], [2]], step = [[4], [8], [16], [32], [64]]>
#bins = #eft.layout<lane = [[1], [2]], step = [[4]]>

// CHECK-LABEL: @counted.program
func.func @counted(%p: !eft.ptr<i32>, %k: i32) {
  // CHECK: %[[KEYS:.*]] = llvm.alloca %c32_i32 x vector<4xi32>
  // CHECK: %[[COUNTS:.*]] = llvm.alloca %c2_i32 x vector<4xi32>
  // CHECK: scf.for %[[STEP:.*]] = %c0_i32 to %c2_i32
  // CHECK:   %[[PLACE:.*]] = llvm.getelementptr %[[COUNTS]][%[[STEP]]] {{.*}}, vector<4xi32>
  // CHECK:   llvm.store %{{.*}}, %[[PLACE]] : vector<4xi32>, !llvm.ptr
  // CHECK: scf.for %[[I:.*]] = %c0_i32 to %c128_i32
  // CHECK:   %[[AT:.*]] = llvm.getelementptr %[[KEYS]][%[[I]]] {{.*}}, i32
  // CHECK:   %[[KEY:.*]] = llvm.load %[[AT]]
  // CHECK:   %[[HAS:.*]] = arith.cmpi ult, %[[KEY]], %c8_i32
  // CHECK:   scf.if %[[HAS]]
  // CHECK:     %[[COUNT:.*]] = llvm.getelementptr %[[COUNTS]]
  // CHECK:     %[[BEFORE:.*]] = llvm.load %[[COUNT]]
  // CHECK:     %[[AFTER:.*]] = arith.addi %[[BEFORE]], %c1_i32
  // CHECK:     llvm.store %[[AFTER]], %[[COUNT]]
  %keys = eft.splat %k : i32 -> tensor<128xi32, #keys>
  %counts = eft.histogram %keys : tensor<128xi32, #keys> -> tensor<8xi32, #bins>
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<8x!eft.ptr<i32>, #bins>
  eft.store %ps, %counts : tensor<8x!eft.ptr<i32>, #bins>
  return
}
