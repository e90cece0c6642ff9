// RUN: eft-opt %s -pass-pipeline='builtin.module(func.func(eft-keep-in-buffers{vector-bits=128}))' | FileCheck %s --check-prefix=KEEP
// RUN: eft-opt %s -pass-pipeline='builtin.module(func.func(eft-keep-in-buffers{vector-bits=128}),eft-lower-to-cpu,cse)' | FileCheck %s

#short = #eft.layout<lane = [[1], [2]], step = [[4], [8], [16]]>
#block = #eft.layout<lane = [[1], [2]], step = [[4], [8], [16], [32]]>
#across = #eft.layout<lane = [[0, 1], [0, 2]], step = [[1, 0], [2, 0], [4, 0], [0, 4]]>

// A block of eight vectors is scanned in registers.
// KEEP-LABEL: @short
// KEEP: eft.scan %
func.func @short(%x: !eft.ptr<f32>, %v: f32) {
  %ps = eft.splat %x : !eft.ptr<f32> -> tensor<32x!eft.ptr<f32>, #short>
  %vs = eft.splat %v : f32 -> tensor<32xf32, #short>
  %s = eft.scan %vs axis 0 : (tensor<32xf32, #short>) -> tensor<32xf32, #short> {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    eft.yield %sum : f32
  }
  eft.store %ps, %s : tensor<32x!eft.ptr<f32>, #short>
  return
}

// One loop does the levels inside vectors. Then there is one loop for each level of vectors: the vectors
// of each upper half combine with the last element of the last vector of the lower half.
// KEEP-LABEL: @forward
// KEEP: eft.buffer_write %{{.*}}, %[[BUFFER:.*]][
// KEEP-NEXT: eft.scan_into %[[BUFFER]] axis 0 : (!eft.buffer<tensor<64xf32
// KEEP: eft.buffer_read %[[BUFFER]]
// CHECK-LABEL: func private @forward
// CHECK: scf.for %[[STEP:.*]] = %c0_i32{{.*}} to %c16_i32
// CHECK-NEXT: llvm.getelementptr %{{.*}}[%[[STEP]]] : (!llvm.ptr, i32) -> !llvm.ptr, vector<4xf32>
// CHECK-NEXT: %[[V:.*]] = llvm.load
// CHECK-NEXT: %[[L:.*]] = vector.shuffle %[[V]], %[[V]] [0, 0, 2, 2]
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[L]], %[[V]]
// CHECK: %[[R:.*]] = arith.select %{{.*}}, %[[S]], %[[V]]
// CHECK-NEXT: vector.shuffle %[[R]], %[[R]] [1, 1, 1, 1]
// CHECK: llvm.store
// CHECK: scf.for %[[COUNT:.*]] = %c0_i32{{.*}} to %c8_i32
// CHECK-NEXT: %[[BELOW:.*]] = arith.andi %[[COUNT]], %c0_i32
// CHECK: vector.shuffle %{{.*}} [3, 3, 3, 3]
// CHECK-NEXT: arith.addf
// CHECK-NEXT: llvm.store
// CHECK: scf.for %[[COUNT:.*]] = %c0_i32{{.*}} to %c8_i32
// CHECK-NEXT: %[[BELOW:.*]] = arith.andi %[[COUNT]], %c1_i32
// CHECK-NEXT: %[[ABOVE:.*]] = arith.subi %[[COUNT]], %[[BELOW]]
// CHECK-NEXT: %[[TWICE:.*]] = arith.addi %[[ABOVE]], %[[ABOVE]]
// CHECK-NEXT: %[[WITHOUT:.*]] = arith.addi %[[TWICE]], %[[BELOW]]
// CHECK-NEXT: %[[AT:.*]] = arith.addi %[[WITHOUT]], %c2_i32
// CHECK-NEXT: %[[BOTH:.*]] = arith.ori %[[AT]], %c3_i32
// CHECK-NEXT: arith.xori %[[BOTH]], %c2_i32
// CHECK-COUNT-2: scf.for %{{.*}} = %c0_i32{{.*}} to %c8_i32
// CHECK-NOT: scf.for %{{.*}} to %c8_i32
func.func @forward(%x: !eft.ptr<f32>, %v: f32) {
  %ps = eft.splat %x : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>, #block>
  %vs = eft.splat %v : f32 -> tensor<64xf32, #block>
  %s = eft.scan %vs axis 0 : (tensor<64xf32, #block>) -> tensor<64xf32, #block> {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    eft.yield %sum : f32
  }
  eft.store %ps, %s : tensor<64x!eft.ptr<f32>, #block>
  return
}

// Two sources are scanned in reverse along an axis whose highest bit is a bit of the step.
// CHECK-LABEL: func private @backward
// CHECK: scf.for %{{.*}} to %c16_i32
// CHECK: vector.shuffle %{{.*}} [1, 1, 3, 3]
// CHECK: vector.shuffle %{{.*}} [2, 2, 2, 2]
// CHECK: scf.for %[[COUNT:.*]] = %c0_i32{{.*}} to %c8_i32
// CHECK: %[[TWICE:.*]] = arith.addi
// CHECK-NEXT: %[[AT:.*]] = arith.addi %[[TWICE]], %{{.*}}
// CHECK-NEXT: arith.ori %[[AT]], %c8_i32
// CHECK: vector.shuffle %{{.*}} [0, 0, 0, 0]
func.func @backward(%x: !eft.ptr<f32>, %v: f32, %w: i32) {
  %ps = eft.splat %x : !eft.ptr<f32> -> tensor<8x8x!eft.ptr<f32>, #across>
  %vs = eft.splat %v : f32 -> tensor<8x8xf32, #across>
  %ws = eft.splat %w : i32 -> tensor<8x8xi32, #across>
  %s:2 = eft.scan %vs, %ws axis 1 reverse : (tensor<8x8xf32, #across>, tensor<8x8xi32, #across>) -> (tensor<8x8xf32, #across>, tensor<8x8xi32, #across>) {
  ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    %sum = arith.addf %a, %b : f32
    %more = arith.addi %i, %j : i32
    eft.yield %sum, %more : f32, i32
  }
  eft.store %ps, %s#0 : tensor<8x8x!eft.ptr<f32>, #across>
  return
}
