// RUN: eft-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(eft-tile-blocks{elements=2 vectors=1}))' | FileCheck %s
// RUN: eft-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(eft-tile-blocks{elements=2 vectors=1 max-bits=256}))' | FileCheck %s
// RUN: eft-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(eft-tile-blocks{elements=2 vectors=1 max-bits=128}))' | FileCheck %s --check-prefix=BUFFERS
// RUN: eft-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(eft-tile-blocks{elements=2 vectors=1 max-reduced-bits=128}))' | FileCheck %s --check-prefixes=BUFFERS,REDUCED
// RUN: eft-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(eft-tile-blocks{elements=2 vectors=1 max-bits=128 alternate}))' | FileCheck %s --check-prefix=ALTERNATE
// RUN: eft-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(eft-tile-blocks{elements=2 vectors=1 max-bits=128 cheap-operations=2}))' | FileCheck %s --check-prefix=KEPT

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

// -----

#large = #eft.layout<register = [[1], [64], [128]], lane = [[2], [4], [8], [16], [32]], warp = []>

// The loops of the maximum and of the store may run in any order, so they run backwards. The loop of the
// sum adds the parts in their order. The maximum begins with NaN, which loses to every number.
// ALTERNATE-LABEL: @directions(
// ALTERNATE: %[[NAN:.*]] = arith.constant dense<0x7FC00000> : tensor<64xf32,
// ALTERNATE: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %[[NAN]])
// ALTERNATE-NEXT: %[[PART:.*]] = arith.subi %c3_i32{{.*}}, %[[I]]
// ALTERNATE: arith.shli %[[PART]]
// ALTERNATE: eft.reduce
// ALTERNATE: scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args
// ALTERNATE-NOT: arith.subi {{.*}}, %[[J]]
// ALTERNATE: arith.shli %[[J]]
// ALTERNATE: eft.reduce
// ALTERNATE: scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step
// ALTERNATE-NEXT: %[[STEP:.*]] = arith.subi %c3_i32{{.*}}, %[[K]]
// ALTERNATE: arith.andi %[[STEP]]
// ALTERNATE: eft.store

// The cube takes three operations, one more than the limit, so it goes to the last loop in a buffer.
// KEPT-LABEL: @directions(
// KEPT: eft.buffer_write %{{[0-9]+}}, %[[BUFFER:[0-9]+]]
// KEPT: scf.for
// KEPT-NOT: eft.load
// KEPT: eft.buffer_read %[[BUFFER]]
// KEPT: eft.store
func.func @directions(%p: !eft.ptr<f32>) {
  %i = eft.arange 0 to 256 : tensor<256xi32, #large>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<256x!eft.ptr<f32>, #large>
  %pi = eft.addptr %ps, %i : tensor<256x!eft.ptr<f32>, #large>, tensor<256xi32, #large>
  %x = eft.load %pi : tensor<256x!eft.ptr<f32>, #large>
  %m = eft.reduce %x axis 0 order_free steps 4 tree [1, 32, 16, 8, 4, 2]
      : (tensor<256xf32, #large>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %max = eft.max_num %a, %b : f32
    eft.yield %max : f32
  }
  %ms = eft.splat %m : f32 -> tensor<256xf32, #large>
  %d = arith.subf %x, %ms : tensor<256xf32, #large>
  %e = arith.mulf %d, %d : tensor<256xf32, #large>
  %f = arith.mulf %e, %d : tensor<256xf32, #large>
  %s = eft.reduce %f axis 0 steps 4 tree [1, 32, 16, 8, 4, 2] : (tensor<256xf32, #large>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    eft.yield %sum : f32
  }
  %ss = eft.splat %s : f32 -> tensor<256xf32, #large>
  %q = arith.divf %f, %ss : tensor<256xf32, #large>
  eft.store %pi, %q : tensor<256x!eft.ptr<f32>, #large>
  return
}

// -----

#rows = #eft.layout<register = [[0, 1], [1, 0], [2, 0]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], warp = []>
#column = #eft.layout<register = [[0], [1], [2]], lane = [[0], [0], [0], [0], [0]], warp = []>
#columns = #eft.layout<register = [[0, 0], [1, 0], [2, 0]], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], warp = []>

// A tile has a whole row, so no order matters between tiles: the loop of the sum runs backwards.
// ALTERNATE-LABEL: @rows_in_turns(
// ALTERNATE: scf.for %[[I:.*]] = %{{.*}} to %c4_i32{{.*}} step
// ALTERNATE-NOT: arith.subi {{.*}}, %[[I]]
// ALTERNATE: eft.max_num
// ALTERNATE: scf.for %[[J:.*]] = %{{.*}} to %c4_i32{{.*}} step
// ALTERNATE: arith.subi %c3_i32{{.*}}, %[[J]] : i32
// ALTERNATE: arith.addf
// ALTERNATE: scf.for %[[K:.*]] = %{{.*}} to %c4_i32{{.*}} step
// ALTERNATE-NOT: arith.subi {{.*}}, %[[K]]
// ALTERNATE: eft.store
func.func @rows_in_turns(%p: !eft.ptr<f32>) {
  %c64 = arith.constant dense<64> : tensor<4x64xi32, #rows>
  %i = eft.arange 0 to 4 : tensor<4xi32, #column>
  %ie = eft.expand_dims %i axis 1 : tensor<4xi32, #column> -> tensor<4x1xi32, #columns>
  %ib = eft.broadcast %ie : tensor<4x1xi32, #columns> -> tensor<4x64xi32, #rows>
  %o = arith.muli %ib, %c64 : tensor<4x64xi32, #rows>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<4x64x!eft.ptr<f32>, #rows>
  %pi = eft.addptr %ps, %o : tensor<4x64x!eft.ptr<f32>, #rows>, tensor<4x64xi32, #rows>
  %x = eft.load %pi : tensor<4x64x!eft.ptr<f32>, #rows>
  %m = eft.reduce %x axis 1 order_free steps 1 tree [1, 32, 16, 8, 4, 2]
      : (tensor<4x64xf32, #rows>) -> tensor<4xf32, #column> {
  ^bb0(%a: f32, %b: f32):
    %max = eft.max_num %a, %b : f32
    eft.yield %max : f32
  }
  %me = eft.expand_dims %m axis 1 : tensor<4xf32, #column> -> tensor<4x1xf32, #columns>
  %mb = eft.broadcast %me : tensor<4x1xf32, #columns> -> tensor<4x64xf32, #rows>
  %less = arith.subf %x, %mb : tensor<4x64xf32, #rows>
  %s = eft.reduce %less axis 1 steps 1 tree [1, 32, 16, 8, 4, 2]
      : (tensor<4x64xf32, #rows>) -> tensor<4xf32, #column> {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    eft.yield %sum : f32
  }
  %se = eft.expand_dims %s axis 1 : tensor<4xf32, #column> -> tensor<4x1xf32, #columns>
  %sb = eft.broadcast %se : tensor<4x1xf32, #columns> -> tensor<4x64xf32, #rows>
  %d = arith.subf %x, %sb : tensor<4x64xf32, #rows>
  eft.store %pi, %d : tensor<4x64x!eft.ptr<f32>, #rows>
  return
}

// -----

#large = #eft.layout<register = [[1], [64], [128]], lane = [[2], [4], [8], [16], [32]], warp = []>
#small = #eft.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8]], warp = []>

// The limit of blocks that are reduced does not hold in a kernel with matrix products.
// REDUCED-LABEL: @row_beside_a_product(
// REDUCED-NOT: scf.for
// REDUCED: return
func.func @row_beside_a_product(%p: !eft.ptr<f32>, %a: tensor<16x16xf16, #small>,
                                %acc: tensor<16x16xf32, #small>) -> tensor<16x16xf32, #small> {
  %c = eft.dot %a, %a, %acc precision ieee : tensor<16x16xf16, #small>, tensor<16x16xf16, #small>
      -> tensor<16x16xf32, #small>
  %i = eft.arange 0 to 256 : tensor<256xi32, #large>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<256x!eft.ptr<f32>, #large>
  %pi = eft.addptr %ps, %i : tensor<256x!eft.ptr<f32>, #large>, tensor<256xi32, #large>
  %x = eft.load %pi : tensor<256x!eft.ptr<f32>, #large>
  %s = eft.reduce %x axis 0 steps 4 tree [1, 32, 16, 8, 4, 2] : (tensor<256xf32, #large>) -> f32 {
  ^bb0(%l: f32, %h: f32):
    %sum = arith.addf %l, %h : f32
    eft.yield %sum : f32
  }
  %ss = eft.splat %s : f32 -> tensor<256xf32, #large>
  %d = arith.subf %x, %ss : tensor<256xf32, #large>
  eft.store %pi, %d : tensor<256x!eft.ptr<f32>, #large>
  return %c : tensor<16x16xf32, #small>
}
