// RUN: eft-opt %s -split-input-file -eft-lower-to-cpu=vector-bits=256 -cse | FileCheck %s

#rows = #eft.layout<lane = [[0, 1], [0, 2], [0, 4]], step = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#columns = #eft.layout<lane = [[1, 0], [2, 0], [4, 0]], step = [[8, 0], [0, 1], [0, 2], [0, 4], [0, 8]]>

// A tile of six rows and two vectors stays in registers for all of k, then a tile of one row for each of
// the remaining four rows. The first factor is stored in the order of its lanes, the second one row by
// row.
// CHECK-LABEL: @tile
func.func @tile(%p: !eft.ptr<f32>, %x: f32, %y: f32, %z: f32) {
  // CHECK-DAG: %[[X:.*]] = vector.splat %arg1 : vector<8xf32>
  // CHECK-DAG: %[[Y:.*]] = vector.splat %arg2 : vector<8xf32>
  // CHECK-DAG: %[[A:.*]] = llvm.alloca %c256_i64{{.*}} x f32 {alignment = 64 : i64}
  // CHECK: llvm.store %[[X]], %{{.*}} {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
  // CHECK: %[[ONE:.*]] = vector.shuffle %[[Y]], %[[Y]] [0] : vector<8xf32>, vector<8xf32>
  // CHECK: llvm.store %[[ONE]], %{{.*}} : vector<1xf32>, !llvm.ptr
  // CHECK: scf.for %[[COLUMN:.*]] = %c0_i64 to %c16_i64 step %c16_i64
  // CHECK: scf.for %[[ROW:.*]] = %c0_i64 to %c12_i64 step %c6_i64
  // CHECK-COUNT-12: llvm.load %{{.*}} : !llvm.ptr -> vector<8xf32>
  // CHECK: %{{.*}}:12 = scf.for %[[K:.*]] = %c0_i64 to %c16_i64 step %c1_i64{{.*}} iter_args(
  // CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr -> vector<8xf32>
  // CHECK: %[[S:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
  // CHECK: %[[F:.*]] = vector.splat %[[S]] : vector<8xf32>
  // CHECK: math.fma %[[F]], %{{.*}}, %{{.*}} : vector<8xf32>
  // CHECK-COUNT-11: math.fma
  // CHECK-NOT: math.fma
  // CHECK-COUNT-12: llvm.store
  // CHECK: }
  // CHECK: %{{.*}}:8 = scf.for %{{.*}} = %c0_i64 to %c16_i64 step %c1_i64{{.*}} iter_args(
  // CHECK-COUNT-8: math.fma
  // CHECK-NOT: math.fma
  // CHECK-COUNT-8: llvm.store
  %a = eft.splat %x : f32 -> tensor<16x16xf32, #rows>
  %b = eft.splat %y : f32 -> tensor<16x16xf32, #columns>
  %c = eft.splat %z : f32 -> tensor<16x16xf32, #rows>
  %d = eft.dot %a, %b, %c precision ieee : tensor<16x16xf32, #rows>, tensor<16x16xf32, #columns> -> tensor<16x16xf32, #rows>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>, #rows>
  eft.store %ps, %d : tensor<16x16x!eft.ptr<f32>, #rows>
  return
}

// -----

#rows = #eft.layout<lane = [[0, 1], [0, 2], [0, 4]], step = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>

// CHECK-LABEL: @integers
func.func @integers(%p: !eft.ptr<i32>, %x: i32) {
  // CHECK: %[[P:.*]] = arith.muli %{{.*}} : vector<8xi32>
  // CHECK: arith.addi %[[P]], %{{.*}} : vector<8xi32>
  %a = eft.splat %x : i32 -> tensor<16x16xi32, #rows>
  %d = eft.dot %a, %a, %a precision ieee : tensor<16x16xi32, #rows>, tensor<16x16xi32, #rows> -> tensor<16x16xi32, #rows>
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<16x16x!eft.ptr<i32>, #rows>
  eft.store %ps, %d : tensor<16x16x!eft.ptr<i32>, #rows>
  return
}

// -----

#rows = #eft.layout<lane = [[0, 1], [0, 2], [0, 4]], step = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#columns = #eft.layout<lane = [[1, 0], [2, 0], [4, 0]], step = [[8, 0], [0, 1], [0, 2], [0, 4], [0, 8]]>

// Buffers are read in place; the first factor may have any order. If the second factor is stored by
// columns, loops first copy its rows.
// CHECK-LABEL: @buffers
func.func @buffers() {
  // CHECK-COUNT-4: llvm.alloca
  // CHECK: scf.for %{{.*}} = %c0_i64 to %c16_i64 step %c8_i64
  // CHECK: scf.for %{{.*}} = %c0_i64 to %c16_i64 step %c8_i64
  // CHECK: %[[FIRST:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
  // CHECK: %[[SECOND:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
  // CHECK-COUNT-6: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
  // CHECK: vector.shuffle %[[FIRST]], %[[SECOND]] [0, 8, 2, 10, 4, 12, 6, 14]
  // CHECK-NEXT: vector.shuffle %[[FIRST]], %[[SECOND]] [1, 9, 3, 11, 5, 13, 7, 15]
  // CHECK-COUNT-22: vector.shuffle
  // CHECK-NOT: vector.shuffle
  // CHECK: %{{.*}}:12 = scf.for %[[K:.*]] = %c0_i64 to %c16_i64 step %c1_i64{{.*}} iter_args(
  %a = eft.buffer : <tensor<16x16xf32, #columns>>
  %b = eft.buffer : <tensor<16x16xf32, #columns>>
  %c = eft.buffer : <tensor<16x16xf32, #rows>>
  eft.dot_into %a, %b, %c : <tensor<16x16xf32, #columns>>, <tensor<16x16xf32, #columns>>, <tensor<16x16xf32, #rows>>
  return
}

// -----

#rows = #eft.layout<lane = [[0, 1], [0, 2], [0, 4]], step = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]]>
#columns = #eft.layout<lane = [[1, 0], [2, 0], [4, 0]], step = [[8, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]>
#tall = #eft.layout<lane = [[0, 1], [0, 2], [0, 4]], step = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]>

// A product with an accumulator that is stored by columns is computed as the transposed product, whose
// accumulator is stored by rows. The factors change places, and the rows of the first one are copied.
// CHECK-LABEL: @by_columns
func.func @by_columns() {
  // CHECK: scf.for %{{.*}} = %c0_i64 to %c16_i64 step %c8_i64
  // CHECK: scf.for %{{.*}} = %c0_i64 to %c32_i64 step %c8_i64
  // CHECK-COUNT-24: vector.shuffle
  // CHECK: scf.for %{{.*}} = %c0_i64 to %c16_i64 step %c16_i64
  // CHECK: scf.for %{{.*}} = %c0_i64 to %c30_i64 step %c6_i64
  // CHECK: %{{.*}}:12 = scf.for %[[K:.*]] = %c0_i64 to %c32_i64{{.*}} step %c1_i64{{.*}} iter_args(
  %a = eft.buffer : <tensor<16x32xf32, #rows>>
  %b = eft.buffer : <tensor<32x32xf32, #tall>>
  %c = eft.buffer : <tensor<16x32xf32, #columns>>
  eft.dot_into %a, %b, %c : <tensor<16x32xf32, #rows>>, <tensor<32x32xf32, #tall>>, <tensor<16x32xf32, #columns>>
  return
}

// -----

#rows = #eft.layout<lane = [[0, 1], [0, 2], [0, 4]], step = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]>

// If there are many rows, the columns of a tile are copied first, and all rows of the tile read the
// copy.
// CHECK-LABEL: @panel
func.func @panel() {
  // CHECK: %[[PANEL:.*]] = llvm.alloca %c512_i64
  // CHECK: scf.for %[[COLUMN:.*]] = %c0_i64 to %c32_i64 step %c16_i64
  // CHECK: scf.for %{{.*}} = %c0_i64 to %c32_i64 step %c1_i64
  // CHECK: %[[TO:.*]] = llvm.getelementptr %[[PANEL]]
  // CHECK: llvm.store %{{.*}}, %[[TO]] {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
  // CHECK: scf.for %{{.*}} = %c0_i64 to %c30_i64 step %c6_i64
  // CHECK: %{{.*}}:12 = scf.for %{{.*}} = %c0_i64 to %c32_i64{{.*}} step %c1_i64{{.*}} iter_args(
  // CHECK: %[[FROM:.*]] = llvm.getelementptr %[[PANEL]]
  // CHECK: llvm.load %[[FROM]] {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
  %a = eft.buffer : <tensor<32x32xf32, #rows>>
  %b = eft.buffer : <tensor<32x32xf32, #rows>>
  %c = eft.buffer : <tensor<32x32xf32, #rows>>
  eft.dot_into %a, %b, %c : <tensor<32x32xf32, #rows>>, <tensor<32x32xf32, #rows>>, <tensor<32x32xf32, #rows>>
  return
}
