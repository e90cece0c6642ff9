// RUN: eft-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(eft-tile-blocks{elements=2 vectors=1}))' | FileCheck %s
// RUN: eft-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(eft-tile-blocks{elements=2 vectors=1 max-bits=256}))' | FileCheck %s
// RUN: eft-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(eft-tile-blocks{elements=2 vectors=1 max-bits=128}))' | FileCheck %s --check-prefix=BUFFERS

#large = #eft.layout<register = [[1], [64], [128]], lane = [[2], [4], [8], [16], [32]], warp = []>

// CHECK-DAG: #[[SMALL:layout.*]] = #eft.layout<register = {{\[\[}}1]], lane = {{\[\[}}2], [4], [8], [16], [32]], warp = []>
// CHECK-LABEL: @copy_in_steps
func.func @copy_in_steps(%p: !eft.ptr<f32>, %q: !eft.ptr<f32>) {
  // CHECK: scf.for %[[STEP:.*]] = %c0{{.*}} to %c4{{.*}} step %c1
  // CHECK: %[[BITS:.*]] = arith.andi %[[STEP]], %c3
  // CHECK: %[[START:.*]] = arith.muli %[[BITS]], %c64
  // CHECK: %[[I:.*]] = eft.arange 0 to 64 : tensor<64xi32, #[[SMALL]]>
  // CHECK: %[[S:.*]] = eft.splat %[[START]]
  // CHECK: arith.addi %[[I]], %[[S]] overflow<nsw>
  // CHECK: eft.load {{.*}} : tensor<64x!eft.ptr<f32>, #[[SMALL]]>
  // CHECK: eft.store {{.*}} : tensor<64x!eft.ptr<f32>, #[[SMALL]]>
  // CHECK-NEXT: }
  // CHECK-NEXT: return
  %i = eft.arange 0 to 256 : tensor<256xi32, #large>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<256x!eft.ptr<f32>, #large>
  %pi = eft.addptr %ps, %i : tensor<256x!eft.ptr<f32>, #large>, tensor<256xi32, #large>
  %x = eft.load %pi : tensor<256x!eft.ptr<f32>, #large>
  %qs = eft.splat %q : !eft.ptr<f32> -> tensor<256x!eft.ptr<f32>, #large>
  %qi = eft.addptr %qs, %i : tensor<256x!eft.ptr<f32>, #large>, tensor<256xi32, #large>
  eft.store %qi, %x : tensor<256x!eft.ptr<f32>, #large>
  return
}

// -----

#large = #eft.layout<register = [[1], [64], [128]], lane = [[2], [4], [8], [16], [32]], warp = []>

// One group loads a value that another group uses, so neither group can be tiled.
// CHECK-LABEL: @loaded_value_crosses_a_barrier
func.func @loaded_value_crosses_a_barrier(%q: !eft.ptr<f32>, %r: !eft.ptr<i32>, %n: i32) {
  // CHECK-NOT: scf.for
  // CHECK: return
  %i = eft.arange 0 to 256 : tensor<256xi32, #large>
  %qs = eft.splat %q : !eft.ptr<f32> -> tensor<256x!eft.ptr<f32>, #large>
  %x = eft.load %qs : tensor<256x!eft.ptr<f32>, #large>
  eft.store %r, %n : !eft.ptr<i32>
  %qi = eft.addptr %qs, %i : tensor<256x!eft.ptr<f32>, #large>, tensor<256xi32, #large>
  eft.store %qi, %x : tensor<256x!eft.ptr<f32>, #large>
  return
}

// -----

#rows = #eft.layout<register = [[0], [4], [8]], lane = [[0], [0], [0], [1], [2]], warp = []>
#plane = #eft.layout<register = [[0, 1], [4, 0], [8, 0]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = []>
#column = #eft.layout<register = [[0, 0], [4, 0], [8, 0]], lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = []>

// Only the rows' indices change from iteration to iteration.
// CHECK-LABEL: @rows_in_steps
func.func @rows_in_steps(%q: !eft.ptr<i32>) {
  // CHECK: scf.for
  // CHECK: eft.arange 0 to 4
  // CHECK: eft.broadcast %{{.*}} : tensor<4x1xi32, #{{.*}}> -> tensor<4x16xi32, #{{.*}}>
  // CHECK: eft.store %{{.*}} : tensor<4x16x!eft.ptr<i32>
  %r = eft.arange 0 to 16 : tensor<16xi32, #rows>
  %e = eft.expand_dims %r axis 1 : tensor<16xi32, #rows> -> tensor<16x1xi32, #column>
  %b = eft.broadcast %e : tensor<16x1xi32, #column> -> tensor<16x16xi32, #plane>
  %qs = eft.splat %q : !eft.ptr<i32> -> tensor<16x16x!eft.ptr<i32>, #plane>
  %qi = eft.addptr %qs, %b : tensor<16x16x!eft.ptr<i32>, #plane>, tensor<16x16xi32, #plane>
  eft.store %qi, %b : tensor<16x16x!eft.ptr<i32>, #plane>
  return
}

// -----

#large = #eft.layout<register = [[1], [64], [128]], lane = [[2], [4], [8], [16], [32]], warp = []>

// An operation that could fail for other elements is computed only for the elements of the tile, like
// all others.
// CHECK-LABEL: @divisions_in_steps
func.func @divisions_in_steps(%p: !eft.ptr<i32>) {
  // CHECK: scf.for
  // CHECK: arith.divsi {{.*}} : tensor<64xi32
  // CHECK: arith.ceildivui {{.*}} : tensor<64xi32
  // CHECK-NEXT: eft.store
  // CHECK-NEXT: }
  // CHECK-NEXT: return
  %i = eft.arange 0 to 256 : tensor<256xi32, #large>
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<256x!eft.ptr<i32>, #large>
  %pi = eft.addptr %ps, %i : tensor<256x!eft.ptr<i32>, #large>, tensor<256xi32, #large>
  %x = eft.load %pi : tensor<256x!eft.ptr<i32>, #large>
  %q = arith.divsi %x, %i : tensor<256xi32, #large>
  %c = arith.ceildivui %q, %i : tensor<256xi32, #large>
  eft.store %pi, %c : tensor<256x!eft.ptr<i32>, #large>
  return
}

// -----

#large = #eft.layout<register = [[1], [64], [128]], lane = [[2], [4], [8], [16], [32]], warp = []>

// A thread has 8 elements, 256 bits. If this is more than the limit, one loop reduces them, and another
// loop loads them again.
// CHECK-LABEL: @row(
// CHECK-NOT: scf.for
// CHECK: return
// BUFFERS-LABEL: @row(
// BUFFERS: scf.for
// BUFFERS: eft.load {{.*}} : tensor<64x!eft.ptr<f32>
// BUFFERS: %[[SUM:.*]] = eft.reduce
// BUFFERS: scf.for
// BUFFERS: eft.load {{.*}} : tensor<64x!eft.ptr<f32>
// BUFFERS: eft.splat %[[SUM]] : f32 -> tensor<64xf32
// BUFFERS: eft.store {{.*}} : tensor<64x!eft.ptr<f32>
func.func @row(%p: !eft.ptr<f32>) {
  %i = eft.arange 0 to 256 : tensor<256xi32, #large>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<256x!eft.ptr<f32>, #large>
  %pi = eft.addptr %ps, %i : tensor<256x!eft.ptr<f32>, #large>, tensor<256xi32, #large>
  %x = eft.load %pi : tensor<256x!eft.ptr<f32>, #large>
  %s = eft.reduce %x axis 0 steps 4 tree [1, 32, 16, 8, 4, 2] : (tensor<256xf32, #large>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    eft.yield %sum : f32
  }
  %ss = eft.splat %s : f32 -> tensor<256xf32, #large>
  %d = arith.subf %x, %ss : tensor<256xf32, #large>
  eft.store %pi, %d : tensor<256x!eft.ptr<f32>, #large>
  return
}
