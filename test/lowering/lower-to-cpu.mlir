// RUN: eft-opt %s -split-input-file -eft-lower-to-cpu -cse | FileCheck %s

#layout = #eft.layout<lane = [[1], [2], [4]], step = [[8]]>

// The address of a vector is computed only for its first lane.
// CHECK-LABEL: @contiguous
func.func @contiguous(%p: !eft.ptr<f32>, %n: i32) {
  // CHECK: vector.splat %{{.*}} : vector<8xi32>
  // CHECK: %[[M0:.*]] = arith.cmpi slt, %{{.*}} : vector<8xi32>
  // CHECK: %[[M1:.*]] = arith.cmpi slt, %{{.*}} : vector<8xi32>
  // CHECK: %[[FIRST:.*]] = arith.constant 0 : i32
  // CHECK: arith.extsi %[[FIRST]] : i32 to i64
  // CHECK: llvm.intr.masked.load %{{.*}}, %[[M0]], %{{.*}} {alignment = 4 : i32}
  // CHECK: llvm.intr.masked.load %{{.*}}, %[[M1]], %{{.*}} {alignment = 4 : i32}
  // CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
  // CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
  %i = eft.arange 0 to 16 : tensor<16xi32, #layout>
  %ns = eft.splat %n : i32 -> tensor<16xi32, #layout>
  %m = arith.cmpi slt, %i, %ns : tensor<16xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<16x!eft.ptr<f32>, #layout>
  %pi = eft.addptr %ps, %i : tensor<16x!eft.ptr<f32>, #layout>, tensor<16xi32, #layout>
  %x = eft.load %pi, mask %m {run = 8 : i32, prefix} : tensor<16x!eft.ptr<f32>, #layout>
  eft.store %pi, %x {run = 8 : i32} : tensor<16x!eft.ptr<f32>, #layout>
  return
}

// -----

#layout = #eft.layout<lane = [[1], [2], [4]], step = []>

// CHECK-LABEL: @scattered
func.func @scattered(%p: !eft.ptr<f32>) {
  // CHECK: llvm.intr.masked.gather %{{.*}} {alignment = 4 : i32} : (!llvm.vec<8 x ptr>, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
  // CHECK: llvm.intr.masked.scatter %{{.*}} {alignment = 4 : i32}
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<8x!eft.ptr<f32>, #layout>
  %x = eft.load %ps : tensor<8x!eft.ptr<f32>, #layout>
  eft.store %ps, %x : tensor<8x!eft.ptr<f32>, #layout>
  return
}

// -----

// CHECK-LABEL: func.func private @programs.program
// CHECK-SAME: %{{.*}}: i64, %{{.*}}: i1, %[[X:.*]]: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %[[NZ:.*]]: i32)
// CHECK: scf.if
// CHECK: llvm.store

// CHECK-LABEL: func.func @programs
// CHECK-SAME: (%[[SLOTS:.*]]: !llvm.ptr, %[[GRID:.*]]: !llvm.ptr, %[[FIRST:.*]]: i64, %[[COUNT:.*]]: i64)
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> i8
// CHECK: arith.trunci %{{.*}} : i8 to i1
// CHECK: %[[END:.*]] = arith.addi %[[FIRST]], %[[COUNT]] : i64
// CHECK: scf.for %[[PROGRAM:.*]] = %[[FIRST]] to %[[END]]
// CHECK: arith.remui %[[PROGRAM]]
// CHECK: arith.divui %[[PROGRAM]]
// CHECK: call @programs.program
func.func @programs(%p: !eft.ptr<i32>, %c: i1) {
  %id = eft.program_id x
  %count = eft.num_programs z
  %sum = arith.addi %id, %count : i32
  eft.store %p, %sum, mask %c : !eft.ptr<i32>
  return
}

// -----

// The function of one program gets a name that is not taken.
// CHECK-LABEL: func.func private @taken.program_(
// CHECK: func.func @taken(
// CHECK: call @taken.program_(
// CHECK: func.func @taken.program(
func.func @taken() {
  return
}
func.func @taken.program() {
  return
}

// -----

// Dimensions of the layout that hold only copies, or that are in another order, change nothing.
#layout = #eft.layout<warp = [[0]], step = [[4]], lane = [[1], [2]]>

// CHECK-LABEL: func.func private @arange_beside_copies.program
func.func @arange_beside_copies(%p: !eft.ptr<i32>) {
  // CHECK: arith.constant dense<[10, 11, 12, 13]>
  // CHECK: arith.constant dense<[14, 15, 16, 17]>
  %i = eft.arange 10 to 18 : tensor<8xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<8x!eft.ptr<i32>, #layout>
  eft.store %ps, %i : tensor<8x!eft.ptr<i32>, #layout>
  return
}

// -----

#layout = #eft.layout<lane = [[0], [0], [0]], step = [[1]]>

// Each vector whose lanes all hold one element loads it once, and a mask of one element needs no branch.
// CHECK-LABEL: @one_element_for_all_lanes
func.func @one_element_for_all_lanes(%p: !eft.ptr<i64>, %n: i32) {
  // CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr -> i64
  // CHECK: %[[FIRST:.*]] = arith.constant dense<[true, false, false, false, false, false, false, false]>
  // CHECK: %[[MASK:.*]] = arith.andi %{{.*}}, %[[FIRST]] : vector<8xi1>
  // CHECK: %[[ONE:.*]] = llvm.intr.masked.load %{{.*}}, %[[MASK]], %{{.*}} {alignment = 8 : i32}
  // CHECK: %[[ELEMENT:.*]] = vector.extract %[[ONE]][0] : i64 from vector<8xi64>
  // CHECK: vector.splat %[[ELEMENT]] : vector<8xi64>
  // CHECK-NOT: gather
  %i = eft.arange 0 to 2 : tensor<2xi32, #layout>
  %ns = eft.splat %n : i32 -> tensor<2xi32, #layout>
  %m = arith.cmpi slt, %i, %ns : tensor<2xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<i64> -> tensor<2x!eft.ptr<i64>, #layout>
  %pi = eft.addptr %ps, %i : tensor<2x!eft.ptr<i64>, #layout>, tensor<2xi32, #layout>
  %x = eft.load %pi : tensor<2x!eft.ptr<i64>, #layout>
  %y = eft.load %pi, mask %m : tensor<2x!eft.ptr<i64>, #layout>
  %z = arith.addi %x, %y : tensor<2xi64, #layout>
  eft.store %pi, %z : tensor<2x!eft.ptr<i64>, #layout>
  return
}

// -----

#layout = #eft.layout<lane = [[1], [2], [4]], step = []>

// A headless run is gathered only if its elements are not neighbours.
// CHECK-LABEL: @headless
func.func @headless(%p: !eft.ptr<f32>, %q: !eft.ptr<f32>) {
  // CHECK: %[[BYTES:.*]] = arith.constant dense<[0, 4, 8, 12, 16, 20, 24, 28]> : vector<8xi64>
  // CHECK: %[[FIRST:.*]] = vector.splat %{{.*}} : vector<8xi64>
  // CHECK: %[[NEIGHBOURS:.*]] = arith.addi %[[FIRST]], %[[BYTES]] : vector<8xi64>
  // CHECK: %[[ARE:.*]] = arith.cmpi eq, %{{.*}}, %[[NEIGHBOURS]] : vector<8xi64>
  // CHECK: %[[WHOLE:.*]] = vector.reduction <and>, %[[ARE]]
  // CHECK: scf.if %[[WHOLE]] -> (vector<8xf32>) {
  // CHECK: llvm.load %{{.*}} -> vector<8xf32>
  // CHECK: } else {
  // CHECK: llvm.intr.masked.gather
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<8x!eft.ptr<f32>, #layout>
  %qs = eft.splat %q : !eft.ptr<f32> -> tensor<8x!eft.ptr<f32>, #layout>
  %i = eft.arange 0 to 8 : tensor<8xi32, #layout>
  %pi = eft.addptr %ps, %i : tensor<8x!eft.ptr<f32>, #layout>, tensor<8xi32, #layout>
  %x = eft.load %pi {run = 8 : i32, headless} : tensor<8x!eft.ptr<f32>, #layout>
  eft.store %qs, %x {run = 8 : i32} : tensor<8x!eft.ptr<f32>, #layout>
  return
}
