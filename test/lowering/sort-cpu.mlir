// RUN: eft-opt %s -pass-pipeline='builtin.module(func.func(eft-keep-in-buffers{vector-bits=128}),eft-lower-to-cpu,cse)' | FileCheck %s

#keys = #eft.layout<lane = [[1], [2]], step = [[4], [8], [16], [32], [64]]>

// The stages inside vectors run in one loop over pairs of vectors. In the first stage, elements of odd
// lanes are compared with those of even lanes. Pairs that are sorted in descending order are
// complemented.
// CHECK-LABEL: @sorted.program
// CHECK: scf.for %{{.*}} = %c0_i32 to %c32_i32 step %c2_i32
// CHECK:   %[[FALLS:.*]] = arith.constant dense<[0, 0, -1, -1]> : vector<4xi32>
// CHECK:   %[[ONE:.*]] = arith.xori %{{.*}}, %[[FALLS]]
// CHECK:   %[[OTHER:.*]] = arith.xori %{{.*}}, %[[FALLS]]
// CHECK:   %[[EVEN:.*]] = vector.shuffle %[[ONE]], %[[OTHER]] [0, 4, 2, 6]
// CHECK:   %[[ODD:.*]] = vector.shuffle %[[ONE]], %[[OTHER]] [1, 5, 3, 7]
// CHECK:   %[[LESS:.*]] = arith.minsi %[[EVEN]], %[[ODD]]
// CHECK:   %[[MORE:.*]] = arith.maxsi %[[EVEN]], %[[ODD]]
// CHECK:   %[[A:.*]] = arith.xori %[[LESS]], %[[FALLS]]
// CHECK:   %[[B:.*]] = arith.xori %[[MORE]], %[[FALLS]]
// CHECK:   vector.shuffle %[[A]], %[[B]] [0, 4, 2, 6]
// CHECK:   vector.shuffle %[[A]], %[[B]] [1, 5, 3, 7]

// In each further stage, loops over four vectors handle two bits of the step. A loop over two vectors
// handles a single bit, if the stage does not use the next higher bit.
// CHECK: scf.for %[[STAGE:.*]] = %c3_i32 to %c8_i32 step %c1_i32
// CHECK:   %[[HAS:.*]] = arith.cmpi ugt, %[[STAGE]], %c6_i32
// CHECK:   scf.if %[[HAS]]
// CHECK:     scf.for %{{.*}} = %c0_i32 to %c8_i32
// CHECK-COUNT-4: llvm.load
// CHECK-COUNT-4: arith.minsi
// CHECK-COUNT-4: llvm.store
// CHECK:   else
// CHECK:     %[[HAS:.*]] = arith.cmpi ugt, %[[STAGE]], %c5_i32
// CHECK:     scf.if %[[HAS]]
// CHECK:       scf.for %{{.*}} = %c0_i32 to %c16_i32
// CHECK-COUNT-2: llvm.store
// CHECK:   arith.cmpi ugt, %[[STAGE]], %c4_i32

// The lowest bit of the step and the bits of the lane are handled in one loop.
// CHECK:   scf.for %{{.*}} = %c0_i32 to %c32_i32 step %c2_i32
// CHECK:     %[[LESS:.*]] = arith.minsi
// CHECK:     %[[MORE:.*]] = arith.maxsi
// CHECK:     vector.shuffle %[[LESS]], %[[MORE]] [0, 1, 4, 5]
// CHECK:     vector.shuffle %[[LESS]], %[[MORE]] [2, 3, 6, 7]
// CHECK-COUNT-2: arith.minsi
// CHECK-COUNT-2: llvm.store
func.func @sorted(%p: !eft.ptr<i32>, %k: i32) {
  %keys = eft.splat %k : i32 -> tensor<128xi32, #keys>
  %sorted = eft.sort %keys axis 0 stages 1 to 7 : tensor<128xi32, #keys>
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<128x!eft.ptr<i32>, #keys>
  eft.store %ps, %sorted : tensor<128x!eft.ptr<i32>, #keys>
  return
}

// Vectors of bytes are sorted one at a time.
// CHECK-LABEL: @bytes.program
// CHECK-NOT: step %c2_i32
// CHECK: scf.for %[[STAGE:.*]] = %c1_i32 to %c8_i32
// CHECK:   arith.cmpi ugt, %[[STAGE]], %c3_i32
// CHECK:   scf.for %{{.*}} = %c0_i32 to %c8_i32
// CHECK:     vector.shuffle %[[ONE:.*]], %[[ONE]] [8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7]
#bytes = #eft.layout<lane = [[1], [2], [4], [8]], step = [[16], [32], [64]]>
func.func @bytes(%p: !eft.ptr<i8>, %k: i8) {
  %keys = eft.splat %k : i8 -> tensor<128xi8, #bytes>
  %sorted = eft.sort %keys axis 0 stages 1 to 7 : tensor<128xi8, #bytes>
  %ps = eft.splat %p : !eft.ptr<i8> -> tensor<128x!eft.ptr<i8>, #bytes>
  eft.store %ps, %sorted : tensor<128x!eft.ptr<i8>, #bytes>
  return
}
