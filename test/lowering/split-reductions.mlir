// RUN: eft-opt %s -pass-pipeline='builtin.module(func.func(eft-tile-blocks{dimension=step elements=32 vectors=1 use-buffers}))' | FileCheck %s

#row = #eft.layout<lane = [[1], [2], [4], [8]], step = [[16], [32], [64], [128], [256], [512], [1024], [2048]]>
#square = #eft.layout<lane = [[0, 1], [0, 2], [0, 4], [0, 8]], step = [[0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]>
#rows = #eft.layout<lane = [[0], [0], [0], [0]], step = [[0], [0], [1], [2], [4], [8], [16], [32]]>
#column = #eft.layout<lane = [[0, 0], [0, 0], [0, 0], [0, 0]], step = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]>

// The inner loop combines the 8 parts of 512 elements of a long row, 32 elements at a time. The 512 sums
// that remain, in 32 vectors, are folded after the loops: 8 vectors become one, then 4.
// CHECK-LABEL: @sum_of_a_long_row
// CHECK: %[[ONE:.*]] = eft.buffer : <tensor<1x1xf32, #{{.*}}>>
// CHECK: %[[FOUR:.*]] = eft.buffer : <tensor<4x1xf32, #{{.*}}>>
// CHECK: %[[SUMS:.*]] = eft.buffer : <tensor<512xf32, #{{.*}}>>
// CHECK: scf.for %[[POSITION:.*]] = %c0{{.*}} to %c16
// CHECK: %[[SUM:.*]] = scf.for %[[PART:.*]] = %c0{{.*}} to %c8{{.*}} iter_args(%[[CARRIED:.*]] = %cst{{.*}}) -> (tensor<32xf32, #{{.*}}>)
// CHECK: %[[X:.*]] = eft.load {{.*}} tensor<32x!eft.ptr<f32>
// CHECK: %[[NEXT:.*]] = eft.combine %[[CARRIED]], %[[X]]
// CHECK: scf.yield %[[NEXT]]
// CHECK: eft.buffer_write %[[SUM]], %[[SUMS]][%[[POSITION]]]
// CHECK: scf.for %[[FOURTH:.*]] = %c0{{.*}} to %c4
// CHECK-COUNT-8: eft.buffer_read %[[SUMS]][{{.*}} -> tensor<16xf32
// CHECK-COUNT-32: eft.reduce {{.*}} steps 1 tree [1]
// CHECK-COUNT-7: eft.combine
// CHECK: eft.buffer_write %{{.*}}, %[[FOUR]][%[[FOURTH]]]
// CHECK-COUNT-4: eft.buffer_read %[[FOUR]]
// CHECK-COUNT-3: eft.combine
// CHECK: eft.buffer_write %{{.*}}, %[[ONE]]
// CHECK: %[[TOTAL:.*]] = eft.reduce %{{.*}} axis 0 steps 1 tree [] : (tensor<1xf32, #{{.*}}>) -> f32
// CHECK-NOT: tensor<4096x
// CHECK: eft.store %{{.*}}, %[[TOTAL]] : !eft.ptr<f32>
func.func @sum_of_a_long_row(%x: !eft.ptr<f32>, %y: !eft.ptr<f32>) {
  %i = eft.arange 0 to 4096 : tensor<4096xi32, #row>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<4096x!eft.ptr<f32>, #row>
  %ps = eft.addptr %xs, %i : tensor<4096x!eft.ptr<f32>, #row>, tensor<4096xi32, #row>
  %v = eft.load %ps {run = 16 : i32} : tensor<4096x!eft.ptr<f32>, #row>
  %s = eft.reduce %v axis 0 steps 8 tree [1, 2, 4, 8, 16, 32, 64, 128, 256] : (tensor<4096xf32, #row>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    eft.yield %sum : f32
  }
  eft.store %y, %s : !eft.ptr<f32>
  return
}

// Nothing is written between the two uses of the row, so the row is loaded again, not kept.
// CHECK-LABEL: @row_minus_its_sum
// CHECK-COUNT-2: eft.load
// CHECK: arith.subf
// CHECK-NEXT: eft.store
func.func @row_minus_its_sum(%x: !eft.ptr<f32>) {
  %i = eft.arange 0 to 4096 : tensor<4096xi32, #row>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<4096x!eft.ptr<f32>, #row>
  %ps = eft.addptr %xs, %i : tensor<4096x!eft.ptr<f32>, #row>, tensor<4096xi32, #row>
  %v = eft.load %ps {run = 16 : i32} : tensor<4096x!eft.ptr<f32>, #row>
  %s = eft.reduce %v axis 0 steps 8 tree [1, 2, 4, 8, 16, 32, 64, 128, 256] : (tensor<4096xf32, #row>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    eft.yield %sum : f32
  }
  %ss = eft.splat %s : f32 -> tensor<4096xf32, #row>
  %d = arith.subf %v, %ss : tensor<4096xf32, #row>
  eft.store %ps, %d {run = 16 : i32} : tensor<4096x!eft.ptr<f32>, #row>
  return
}

// Memory is written between the two uses of the row, so the row is kept in a buffer.
// CHECK-LABEL: @row_is_kept
// CHECK: %[[ROW:.*]] = eft.buffer : <tensor<4096xf32
// CHECK: eft.buffer_write %{{.*}}, %[[ROW]]
// CHECK: eft.store %{{.*}} : !eft.ptr<f32>
// CHECK: scf.for
// CHECK-NOT: eft.load
// CHECK: eft.buffer_read %[[ROW]]
// CHECK: eft.store
func.func @row_is_kept(%x: !eft.ptr<f32>, %y: !eft.ptr<f32>) {
  %i = eft.arange 0 to 4096 : tensor<4096xi32, #row>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<4096x!eft.ptr<f32>, #row>
  %ps = eft.addptr %xs, %i : tensor<4096x!eft.ptr<f32>, #row>, tensor<4096xi32, #row>
  %v = eft.load %ps {run = 16 : i32} : tensor<4096x!eft.ptr<f32>, #row>
  %s = eft.reduce %v axis 0 steps 8 tree [1, 2, 4, 8, 16, 32, 64, 128, 256] : (tensor<4096xf32, #row>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    eft.yield %sum : f32
  }
  eft.store %y, %s : !eft.ptr<f32>
  %ss = eft.splat %s : f32 -> tensor<4096xf32, #row>
  %d = arith.subf %v, %ss : tensor<4096xf32, #row>
  eft.store %ps, %d {run = 16 : i32} : tensor<4096x!eft.ptr<f32>, #row>
  return
}

// A volatile load may wait for a write by another program. So the row that is loaded before it must not
// be loaded again after it.
// CHECK-LABEL: @row_is_kept_over_a_volatile_load
// CHECK: %[[ROW:.*]] = eft.buffer : <tensor<4096xf32
// CHECK: eft.buffer_write %{{.*}}, %[[ROW]]
// CHECK: eft.load %{{.*}} volatile : !eft.ptr<f32>
// CHECK: scf.for
// CHECK-NOT: eft.load
// CHECK: eft.buffer_read %[[ROW]]
// CHECK: eft.store
func.func @row_is_kept_over_a_volatile_load(%x: !eft.ptr<f32>, %y: !eft.ptr<f32>) {
  %i = eft.arange 0 to 4096 : tensor<4096xi32, #row>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<4096x!eft.ptr<f32>, #row>
  %ps = eft.addptr %xs, %i : tensor<4096x!eft.ptr<f32>, #row>, tensor<4096xi32, #row>
  %v = eft.load %ps {run = 16 : i32} : tensor<4096x!eft.ptr<f32>, #row>
  %s = eft.reduce %v axis 0 steps 8 tree [1, 2, 4, 8, 16, 32, 64, 128, 256] : (tensor<4096xf32, #row>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    eft.yield %sum : f32
  }
  %w = eft.load %y volatile : !eft.ptr<f32>
  %t = arith.addf %s, %w : f32
  %ts = eft.splat %t : f32 -> tensor<4096xf32, #row>
  %d = arith.subf %v, %ts : tensor<4096xf32, #row>
  eft.store %ps, %d {run = 16 : i32} : tensor<4096x!eft.ptr<f32>, #row>
  return
}

// A tile holds a whole row of the square, so an iteration yields the row's sum.
// CHECK-LABEL: @sums_of_rows
// CHECK: %[[SUMS:.*]] = eft.buffer : <tensor<64xf32, #{{.*}}>>
// CHECK: scf.for %[[ROW:.*]] = %c0{{.*}} to %c64
// CHECK: %[[S:.*]] = eft.reduce %{{.*}} axis 1 steps 1 tree [1, 2, 4, 8, 16, 32] : (tensor<1x64xf32, #{{.*}}>) -> tensor<1xf32
// CHECK: eft.buffer_write %[[S]], %[[SUMS]]
// CHECK: scf.for
// CHECK: eft.buffer_read %[[SUMS]]
// CHECK: eft.store
func.func @sums_of_rows(%x: !eft.ptr<f32>) {
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<64x64x!eft.ptr<f32>, #square>
  %v = eft.load %xs {run = 1 : i32} : tensor<64x64x!eft.ptr<f32>, #square>
  %s = eft.reduce %v axis 1 steps 1 tree [1, 2, 4, 8, 16, 32] : (tensor<64x64xf32, #square>) -> tensor<64xf32, #rows> {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    eft.yield %sum : f32
  }
  %e = eft.expand_dims %s axis 1 : tensor<64xf32, #rows> -> tensor<64x1xf32, #column>
  %b = eft.broadcast %e : tensor<64x1xf32, #column> -> tensor<64x64xf32, #square>
  %d = arith.subf %v, %b : tensor<64x64xf32, #square>
  eft.store %xs, %d {run = 1 : i32} : tensor<64x64x!eft.ptr<f32>, #square>
  return
}

// An operation between a reduction and the end of its group that uses the reduction's result moves to
// after the group.
// CHECK-LABEL: @result_is_used_before_the_group_ends
// CHECK: %[[TOTAL:.*]] = eft.reduce {{.*}} -> f32 {
// CHECK: arith.mulf %[[TOTAL]], %[[TOTAL]]
func.func @result_is_used_before_the_group_ends(%x: !eft.ptr<f32>, %y: !eft.ptr<f32>) {
  %i = eft.arange 0 to 4096 : tensor<4096xi32, #row>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<4096x!eft.ptr<f32>, #row>
  %ps = eft.addptr %xs, %i : tensor<4096x!eft.ptr<f32>, #row>, tensor<4096xi32, #row>
  %v = eft.load %ps {run = 16 : i32} : tensor<4096x!eft.ptr<f32>, #row>
  %s = eft.reduce %v axis 0 steps 8 tree [1, 2, 4, 8, 16, 32, 64, 128, 256] : (tensor<4096xf32, #row>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    eft.yield %sum : f32
  }
  %square = arith.mulf %s, %s : f32
  eft.store %ps, %v {run = 16 : i32} : tensor<4096x!eft.ptr<f32>, #row>
  eft.store %y, %square : !eft.ptr<f32>
  return
}

// A reduction whose combiner has no neutral element starts with the first part.
// CHECK-LABEL: @pairs_of_maximum_and_index
// CHECK: eft.combine
// CHECK: %[[FIRST:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<32xf32
// CHECK: %[[SECOND:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<32xi32
// CHECK: scf.yield %[[FIRST]], %[[SECOND]]
func.func @pairs_of_maximum_and_index(%x: !eft.ptr<f32>, %y: !eft.ptr<i32>) {
  %i = eft.arange 0 to 4096 : tensor<4096xi32, #row>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<4096x!eft.ptr<f32>, #row>
  %ps = eft.addptr %xs, %i : tensor<4096x!eft.ptr<f32>, #row>, tensor<4096xi32, #row>
  %v = eft.load %ps {run = 16 : i32} : tensor<4096x!eft.ptr<f32>, #row>
  %m:2 = eft.reduce %v, %i axis 0 steps 8 tree [1, 2, 4, 8, 16, 32, 64, 128, 256] : (tensor<4096xf32, #row>, tensor<4096xi32, #row>) -> (f32, i32) {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %less = arith.cmpf olt, %a, %b : f32
    %max = arith.select %less, %b, %a : f32
    %at = arith.select %less, %bi, %ai : i32
    eft.yield %max, %at : f32, i32
  }
  eft.store %y, %m#1 : !eft.ptr<i32>
  return
}

// A value that a loop carries in few vectors stays a whole block, so the block that is added to it is
// loaded whole.
// CHECK-LABEL: @carried_sums
// CHECK: scf.for
// CHECK: eft.load {{.*}} tensor<256x!eft.ptr<f32>
// CHECK-NOT: eft.buffer_write
// CHECK: scf.yield
#short = #eft.layout<lane = [[1], [2], [4], [8]], step = [[16], [32], [64], [128]]>
func.func @carried_sums(%x: !eft.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = eft.arange 0 to 256 : tensor<256xi32, #short>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<256x!eft.ptr<f32>, #short>
  %ps = eft.addptr %xs, %i : tensor<256x!eft.ptr<f32>, #short>, tensor<256xi32, #short>
  %none = arith.constant dense<0.0> : tensor<256xf32, #short>
  %sums = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %none) -> (tensor<256xf32, #short>) : i32 {
    %v = eft.load %ps {run = 16 : i32} : tensor<256x!eft.ptr<f32>, #short>
    %next = arith.addf %sum, %v : tensor<256xf32, #short>
    scf.yield %next : tensor<256xf32, #short>
  }
  eft.store %ps, %sums {run = 16 : i32} : tensor<256x!eft.ptr<f32>, #short>
  return
}

// The reduced block is also used as a whole after the reduction.
// CHECK-LABEL: @reduced_and_turned
// CHECK: eft.reduce {{.*}} -> f32 {
// CHECK-NOT: eft.reduce
// CHECK: %[[ROW:.*]] = eft.buffer_read %{{.*}} -> tensor<4096xf32
// CHECK: %[[TWICE:.*]] = arith.addf %[[ROW]], %[[ROW]]
// CHECK: eft.exchange %[[TWICE]]
func.func @reduced_and_turned(%x: !eft.ptr<f32>, %y: !eft.ptr<f32>) {
  %i = eft.arange 0 to 4096 : tensor<4096xi32, #row>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<4096x!eft.ptr<f32>, #row>
  %ps = eft.addptr %xs, %i : tensor<4096x!eft.ptr<f32>, #row>, tensor<4096xi32, #row>
  %v = eft.load %ps {run = 16 : i32} : tensor<4096x!eft.ptr<f32>, #row>
  %w = eft.load %ps {run = 16 : i32} : tensor<4096x!eft.ptr<f32>, #row>
  %twice = arith.addf %v, %v : tensor<4096xf32, #row>
  %product = arith.mulf %twice, %w : tensor<4096xf32, #row>
  %s = eft.reduce %product axis 0 steps 8 tree [1, 2, 4, 8, 16, 32, 64, 128, 256] : (tensor<4096xf32, #row>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    eft.yield %sum : f32
  }
  %turned = eft.exchange %twice axis 0 mask 4095 : tensor<4096xf32, #row>
  eft.store %y, %s : !eft.ptr<f32>
  eft.store %ps, %turned {run = 16 : i32} : tensor<4096x!eft.ptr<f32>, #row>
  return
}

#spread_row = #eft.layout<lane = [[0, 1], [0, 2], [0, 4], [0, 8]], step = [[0, 16], [0, 32], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]]>
#once = #eft.layout<lane = [[1], [2], [4], [8]], step = [[16], [32]]>
#spread = #eft.layout<lane = [[1], [2], [4], [8]], step = [[16], [32], [0], [0], [0], [0], [0], [0]]>

// A buffer holds a small block only once, although many iterations read it.
// CHECK-LABEL: @small_block_for_many_rows
// CHECK: %[[BUFFER:.*]] = eft.buffer : <tensor<64xf32, #[[ONCE:.*]]>>
// CHECK: %[[SMALL:.*]] = eft.load
// CHECK: eft.buffer_write %[[SMALL]], %[[BUFFER]]
// CHECK-NOT: eft.convert_layout
// CHECK: scf.for %[[STEP:.*]] = %c0{{.*}} to %c128
// CHECK: %[[BITS:.*]] = arith.andi %[[STEP]], %c1_
// CHECK: %[[TILE:.*]] = arith.muli %[[BITS]], %c1_
// CHECK: eft.buffer_read %[[BUFFER]][%[[TILE]]] : <tensor<64xf32, #[[ONCE]]>> -> tensor<32xf32
func.func @small_block_for_many_rows(%p: !eft.ptr<f32>, %x: !eft.ptr<f32>, %n: i32) {
  %i = eft.arange 0 to 64 : tensor<64xi32, #once>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>, #once>
  %pi = eft.addptr %ps, %i : tensor<64x!eft.ptr<f32>, #once>, tensor<64xi32, #once>
  %small = eft.load %pi {run = 16 : i32} : tensor<64x!eft.ptr<f32>, #once>
  %spread = eft.convert_layout %small : tensor<64xf32, #once> -> tensor<64xf32, #spread>
  %row = eft.expand_dims %spread axis 0 : tensor<64xf32, #spread> -> tensor<1x64xf32, #spread_row>
  %rows = eft.broadcast %row : tensor<1x64xf32, #spread_row> -> tensor<64x64xf32, #square>
  %c = eft.arange 0 to 64 : tensor<64xi32, #spread>
  %cs = eft.expand_dims %c axis 0 : tensor<64xi32, #spread> -> tensor<1x64xi32, #spread_row>
  %columns = eft.broadcast %cs : tensor<1x64xi32, #spread_row> -> tensor<64x64xi32, #square>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<64x64x!eft.ptr<f32>, #square>
  %xi = eft.addptr %xs, %columns : tensor<64x64x!eft.ptr<f32>, #square>, tensor<64x64xi32, #square>
  eft.store %xi, %rows {run = 16 : i32} : tensor<64x64x!eft.ptr<f32>, #square>
  return
}

#rectangle = #eft.layout<lane = [[0, 1], [0, 2], [0, 4], [0, 8]], step = [[0, 16], [1, 0], [2, 0], [4, 0]]>
#columns = #eft.layout<lane = [[0, 1], [0, 2], [0, 4], [0, 8]], step = [[0, 16]]>
#copies = #eft.layout<lane = [[0, 1], [0, 2], [0, 4], [0, 8]], step = [[0, 16], [0, 0], [0, 0], [0, 0]]>

// A conditional yields one row of offsets. Tiles read it from a buffer without copies.
// CHECK-LABEL: @row_of_a_conditional
// CHECK: %[[ROW:.*]] = eft.buffer : <tensor<1x32xi64
// CHECK: %[[OFFSETS:.*]] = scf.if
// CHECK: eft.buffer_write %[[OFFSETS]], %[[ROW]]
// CHECK: scf.for
// CHECK: eft.buffer_read %[[ROW]]
// CHECK: eft.store {{.*}} : tensor<1x32x!eft.ptr<f32>
func.func @row_of_a_conditional(%x: !eft.ptr<f32>, %p: i1, %row: tensor<1x32xi64, #columns>) {
  %offsets = scf.if %p -> tensor<1x32xi64, #columns> {
    %twice = arith.addi %row, %row : tensor<1x32xi64, #columns>
    scf.yield %twice : tensor<1x32xi64, #columns>
  } else {
    scf.yield %row : tensor<1x32xi64, #columns>
  }
  %all = eft.convert_layout %offsets : tensor<1x32xi64, #columns> -> tensor<1x32xi64, #copies>
  %down = eft.broadcast %all : tensor<1x32xi64, #copies> -> tensor<8x32xi64, #rectangle>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<8x32x!eft.ptr<f32>, #rectangle>
  %ps = eft.addptr %xs, %down : tensor<8x32x!eft.ptr<f32>, #rectangle>, tensor<8x32xi64, #rectangle>
  %one = arith.constant dense<1.0> : tensor<8x32xf32, #rectangle>
  eft.store %ps, %one : tensor<8x32x!eft.ptr<f32>, #rectangle>
  return
}
