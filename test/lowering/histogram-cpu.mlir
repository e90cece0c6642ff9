// RUN: eft-opt %s -pass-pipeline='builtin.module(func.func(eft-keep-in-buffers{vector-bits=128}),eft-lower-to-cpu,cse)' | FileCheck %s

#keys = #eft.layout<lane = [[1], [2]], step = [[4], [8], [16], [32], [64]]>
#bins = #eft.layout<lane = [[1], [2]], step = [[4]]>

// 128 keys are counted in four tables, which are added at the end: neighbouring keys use different
// tables.
// CHECK-LABEL: @counted.program
func.func @counted(%p: !eft.ptr<i32>, %k: i32) {
  // CHECK: %[[OTHERS:.*]] = llvm.alloca %c24_i64 x i32
  // CHECK: %[[KEYS:.*]] = llvm.alloca %c32_i32 x vector<4xi32>
  // CHECK: %[[COUNTS:.*]] = llvm.alloca %c2_i32 x vector<4xi32>
  // CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[OTHERS]][%c0_i64]
  // CHECK: %[[THIRD:.*]] = llvm.getelementptr %[[OTHERS]][%c8_i64]
  // CHECK: %[[FOURTH:.*]] = llvm.getelementptr %[[OTHERS]][%c16_i64]
  // CHECK: scf.for %[[STEP:.*]] = %c0_i32 to %c2_i32
  // CHECK:   %[[PLACE:.*]] = llvm.getelementptr %[[COUNTS]][%[[STEP]]] {{.*}}, vector<4xi32>
  // CHECK:   llvm.store %{{.*}}, %[[PLACE]] : vector<4xi32>, !llvm.ptr
  // CHECK:   llvm.getelementptr %[[SECOND]][%[[STEP]]]
  // CHECK:   llvm.getelementptr %[[THIRD]][%[[STEP]]]
  // CHECK:   llvm.getelementptr %[[FOURTH]][%[[STEP]]]
  // CHECK: scf.for %[[I:.*]] = %c0_i32 to %c128_i32 step %c4_i32
  // CHECK:   %[[NUMBER:.*]] = arith.addi %[[I]], %c0_i32
  // CHECK:   %[[AT:.*]] = llvm.getelementptr %[[KEYS]][%[[NUMBER]]] {{.*}}, i32
  // CHECK:   %[[KEY:.*]] = llvm.load %[[AT]]
  // CHECK:   %[[HAS:.*]] = arith.cmpi ult, %[[KEY]], %c8_i32
  // CHECK:   scf.if %[[HAS]]
  // CHECK:     %[[COUNT:.*]] = llvm.getelementptr %[[COUNTS]]
  // CHECK:     %[[BEFORE:.*]] = llvm.load %[[COUNT]]
  // CHECK:     %[[AFTER:.*]] = arith.addi %[[BEFORE]], %c1_i32
  // CHECK:     llvm.store %[[AFTER]], %[[COUNT]]
  // CHECK:   arith.addi %[[I]], %c1_i32
  // CHECK:     llvm.getelementptr %[[SECOND]]
  // CHECK:   arith.addi %[[I]], %c2_i32
  // CHECK:     llvm.getelementptr %[[THIRD]]
  // CHECK:   arith.addi %[[I]], %c3_i32
  // CHECK:     llvm.getelementptr %[[FOURTH]]
  // CHECK: scf.for %[[STEP:.*]] = %c0_i32 to %c2_i32
  // CHECK:   %[[PLACE:.*]] = llvm.getelementptr %[[COUNTS]][%[[STEP]]]
  // CHECK-COUNT-3: arith.addi %{{.*}} : vector<4xi32>
  // CHECK:   llvm.store %{{.*}}, %[[PLACE]] : vector<4xi32>, !llvm.ptr
  %keys = eft.splat %k : i32 -> tensor<128xi32, #keys>
  %counts = eft.histogram %keys : tensor<128xi32, #keys> -> tensor<8xi32, #bins>
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<8x!eft.ptr<i32>, #bins>
  eft.store %ps, %counts : tensor<8x!eft.ptr<i32>, #bins>
  return
}

// For 16 keys, adding four tables would take longer than counting in one.
// CHECK-LABEL: @few.program
// CHECK: scf.for %{{.*}} = %c0_i32 to %c16_i32 step %c1_i32
#few = #eft.layout<lane = [[1], [2]], step = [[4], [8]]>
func.func @few(%p: !eft.ptr<i32>, %k: i32) {
  %keys = eft.splat %k : i32 -> tensor<16xi32, #few>
  %counts = eft.histogram %keys : tensor<16xi32, #few> -> tensor<8xi32, #bins>
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<8x!eft.ptr<i32>, #bins>
  eft.store %ps, %counts : tensor<8x!eft.ptr<i32>, #bins>
  return
}
