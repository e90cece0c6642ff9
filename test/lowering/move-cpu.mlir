// RUN: eft-opt %s -split-input-file -eft-lower-to-cpu -cse | FileCheck %s

#a = #eft.layout<lane = [[1], [2]], step = [[4]]>
#b = #eft.layout<lane = [[2], [1]], step = [[4]]>
#c = #eft.layout<lane = [[1], [4]], step = [[2]]>

// CHECK-LABEL: @vectors
func.func @vectors(%p: !eft.ptr<i32>) {
  // Inside a vector, the move is a permutation. Between two vectors, a bit of the lane changes places
  // with a bit of the step.
  // CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 2, 1, 3]
  // CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 2, 1, 3]
  // CHECK: %[[ODD:.*]] = arith.constant dense<[false, false, true, true]>
  // CHECK: arith.select %[[ODD]]
  // CHECK: %[[GIVEN:.*]] = arith.select %[[ODD]]
  // CHECK: %[[MOVED:.*]] = vector.shuffle %[[GIVEN]], %[[GIVEN]] [2, 3, 0, 1]
  // CHECK: arith.select %[[ODD]]
  // CHECK-NOT: vector.shuffle
  %i = eft.arange 0 to 8 : tensor<8xi32, #a>
  %j = eft.convert_layout %i : tensor<8xi32, #a> -> tensor<8xi32, #b>
  %k = eft.convert_layout %i : tensor<8xi32, #a> -> tensor<8xi32, #c>
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<8x!eft.ptr<i32>, #b>
  eft.store %ps, %j : tensor<8x!eft.ptr<i32>, #b>
  %qs = eft.splat %p : !eft.ptr<i32> -> tensor<8x!eft.ptr<i32>, #c>
  eft.store %qs, %k : tensor<8x!eft.ptr<i32>, #c>
  return
}

// -----

#wide = #eft.layout<lane = [[1], [2]], step = []>
#narrow = #eft.layout<lane = [[1]], step = [[2]]>

// CHECK-LABEL: @vectors_of_another_length
func.func @vectors_of_another_length(%p: !eft.ptr<i32>) {
  // CHECK: vector.shuffle %{{.*}} [0, 1] : vector<4xi32>, vector<4xi32>
  // CHECK: vector.shuffle %{{.*}} [2, 3] : vector<4xi32>, vector<4xi32>
  %i = eft.arange 0 to 4 : tensor<4xi32, #wide>
  %j = eft.convert_layout %i : tensor<4xi32, #wide> -> tensor<4xi32, #narrow>
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<4x!eft.ptr<i32>, #narrow>
  eft.store %ps, %j : tensor<4x!eft.ptr<i32>, #narrow>
  return
}

// -----

#v = #eft.layout<lane = [[1], [2]], step = []>
#pairs = #eft.layout<lane = [[1, 0], [2, 0]], step = [[0, 1]]>
#beside = #eft.layout<lane = [[0, 1], [1, 0]], step = []>
#small = #eft.layout<lane = [[0], [1]], step = []>

// CHECK-LABEL: @pairs
func.func @pairs(%p: !eft.ptr<f32>, %x: f32, %y: f32) {
  // CHECK-NOT: vector.shuffle
  // CHECK: %[[ODD:.*]] = arith.constant dense<[false, true, false, true]>
  // CHECK: arith.select %[[ODD]]
  // CHECK-NOT: vector.shuffle
  %xs = eft.splat %x : f32 -> tensor<4xf32, #v>
  %ys = eft.splat %y : f32 -> tensor<4xf32, #v>
  %xy = eft.join %xs, %ys : tensor<4xf32, #v> -> tensor<4x2xf32, #pairs>
  %a, %b = eft.split %xy : tensor<4x2xf32, #pairs> -> tensor<4xf32, #v>
  %us = eft.splat %x : f32 -> tensor<2xf32, #small>
  %vs = eft.splat %y : f32 -> tensor<2xf32, #small>
  %uv = eft.join %us, %vs : tensor<2xf32, #small> -> tensor<2x2xf32, #beside>
  %f = eft.reshape %uv : tensor<2x2xf32, #beside> -> tensor<4xf32, #v>
  %c = arith.addf %a, %f : tensor<4xf32, #v>
  %d = arith.addf %b, %c : tensor<4xf32, #v>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<4x!eft.ptr<f32>, #v>
  eft.store %ps, %d : tensor<4x!eft.ptr<f32>, #v>
  return
}

// -----

#a = #eft.layout<lane = [[1], [2]], step = [[4]]>

// CHECK-LABEL: @gather_booleans
func.func @gather_booleans(%p: !eft.ptr<i32>, %q: !eft.ptr<i32>, %n: i32) {
  // CHECK: %[[BUFFER:.*]] = llvm.alloca %{{.*}} x i8 {alignment = 64 : i64}
  // CHECK: %[[BYTES:.*]] = arith.extui %{{.*}} : vector<4xi1> to vector<4xi8>
  // CHECK: llvm.store %[[BYTES]], %{{.*}} {alignment = 1 : i64}
  // CHECK: %[[POINTERS:.*]] = llvm.getelementptr %[[BUFFER]][%{{.*}}] : (!llvm.ptr, vector<4xi32>)
  // CHECK: llvm.intr.masked.gather %[[POINTERS]]
  // CHECK: arith.trunci %{{.*}} : vector<4xi8> to vector<4xi1>
  %i = eft.arange 0 to 8 : tensor<8xi32, #a>
  %ns = eft.splat %n : i32 -> tensor<8xi32, #a>
  %m = arith.cmpi slt, %i, %ns : tensor<8xi32, #a>
  %j = arith.xori %i, %ns : tensor<8xi32, #a>
  %y = eft.gather %m[%j] axis 0 : tensor<8xi1, #a>, tensor<8xi32, #a> -> tensor<8xi1, #a>
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<8x!eft.ptr<i32>, #a>
  eft.store %ps, %i, mask %y : tensor<8x!eft.ptr<i32>, #a>
  return
}
