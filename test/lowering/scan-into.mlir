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

// A loop over tiles of eight vectors does the levels inside of vectors, and those between the vectors of a
// tile. Then there is a loop for each further level: the vectors of each upper half combine with the last
// element of the last vector of the lower half.
// KEEP-LABEL: @forward
// KEEP: eft.buffer_write %{{.*}}, %[[BUFFER:.*]][
// KEEP-NEXT: eft.scan_into %[[BUFFER]] axis 0 : (!eft.buffer<tensor<64xf32
// KEEP: eft.buffer_read %[[BUFFER]]
// CHECK-LABEL: func private @forward
// CHECK: scf.for %[[TILE:.*]] = %c0_i32{{.*}} to %c2_i32
// CHECK-NEXT: %[[FIRST:.*]] = arith.shli %[[TILE]], %c3_i32
// CHECK-NEXT: llvm.getelementptr %{{.*}}[%[[FIRST]]] : (!llvm.ptr, i32) -> !llvm.ptr, vector<4xf32>
// CHECK-NEXT: %[[V:.*]] = llvm.load
// CHECK-NEXT: %[[L:.*]] = vector.shuffle %[[V]], %[[V]] [0, 0, 2, 2]
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[L]], %[[V]]
// CHECK: %[[R:.*]] = arith.select %{{.*}}, %[[S]], %[[V]]
// CHECK-NEXT: vector.shuffle %[[R]], %[[R]] [1, 1, 1, 1]
// CHECK: %[[V0:.*]] = arith.select
// CHECK: arith.addi %[[FIRST]], %c1_i32
// CHECK: llvm.load
// CHECK-COUNT-6: llvm.load
// CHECK: %[[L0:.*]] = vector.shuffle %[[V0]], %[[V0]] [3, 3, 3, 3]
// CHECK-NEXT: %[[V1:.*]] = arith.addf %[[L0]]
// CHECK-COUNT-3: vector.shuffle %{{.*}} [3, 3, 3, 3]
// CHECK: %[[L1:.*]] = vector.shuffle %[[V1]], %[[V1]] [3, 3, 3, 3]
// CHECK-NEXT: arith.addf %[[L1]]
// CHECK-NEXT: %[[V3:.*]] = arith.addf %[[L1]]
// CHECK: vector.shuffle %{{.*}} [3, 3, 3, 3]
// CHECK: %[[L3:.*]] = vector.shuffle %[[V3]], %[[V3]] [3, 3, 3, 3]
// CHECK-NEXT: arith.addf %[[L3]]
// CHECK-COUNT-3: arith.addf %[[L3]]
// CHECK-COUNT-8: llvm.store
// CHECK-NEXT: }
// CHECK-NEXT: scf.for %{{.*}} = %c0_i32{{.*}} to %c1_i32
// CHECK: %[[FROM:.*]] = llvm.load
// CHECK-NEXT: %[[LAST:.*]] = vector.shuffle %[[FROM]], %[[FROM]] [3, 3, 3, 3]
// CHECK-NEXT: scf.for %[[COUNT:.*]] = %c0_i32{{.*}} to %c8_i32
// CHECK: arith.addi %{{.*}}, %[[COUNT]]
// CHECK: %[[OWN:.*]] = llvm.load
// CHECK-NEXT: arith.addf %[[LAST]], %[[OWN]]
// CHECK-NEXT: llvm.store
// CHECK-NOT: scf.for
// CHECK: return
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

// Two sources are scanned in reverse along an axis whose highest bit is the highest bit of the step. So the
// vectors of a tile are eight steps apart.
// CHECK-LABEL: func private @backward
// CHECK: scf.for %[[STEP:.*]] = %c0_i32{{.*}} to %c8_i32
// CHECK-NEXT: llvm.getelementptr %{{.*}}[%[[STEP]]]
// CHECK: vector.shuffle %{{.*}} [1, 1, 3, 3]
// CHECK: vector.shuffle %{{.*}} [2, 2, 2, 2]
// CHECK: arith.addi %[[STEP]], %c8_i32
// CHECK: %[[V1:.*]] = arith.select %{{.*}} : vector<4xi1>, vector<4xf32>
// CHECK-NEXT: arith.select %{{.*}} : vector<4xi1>, vector<4xi32>
// CHECK: %[[V1:.*]] = arith.select %{{.*}} : vector<4xi1>, vector<4xf32>
// CHECK-NEXT: arith.select %{{.*}} : vector<4xi1>, vector<4xi32>
// CHECK-NEXT: %[[FIRST:.*]] = vector.shuffle %[[V1]], %[[V1]] [0, 0, 0, 0]
// CHECK-NEXT: vector.shuffle %{{.*}} [0, 0, 0, 0] : vector<4xi32>
// CHECK-NEXT: arith.addf %[[FIRST]]
// CHECK-NEXT: arith.addi
// CHECK-COUNT-4: llvm.store
// CHECK-NEXT: }
// CHECK-NOT: scf.for
// CHECK: return
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
