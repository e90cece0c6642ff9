// RUN: eft-opt %s -eft-tile-scans='max-fragments=2 tile-fragments=2' | FileCheck %s
// RUN: eft-opt %s -eft-tile-scans | FileCheck %s --check-prefix=SMALL

// A thread has 8 elements: 4 tiles of 64 elements. Bits 6 and 7 of the index are the tile's number.
#block = #eft.layout<register = [[1], [64], [128]], lane = [[2], [4], [8], [16], [32]], warp = []>
// The lowest bit of the tile's number is a bit of the row.
#rows = #eft.layout<register = [[0, 1], [1, 0], [0, 64]],
                    lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], warp = []>
// The second register bit adds 192 = 128 + 64, so the bits of the tile's number are mixed.
#mixed = #eft.layout<register = [[1], [192], [128]], lane = [[2], [4], [8], [16], [32]], warp = []>

// CHECK-LABEL: @scan
// CHECK: %[[BUFFER:.*]] = eft.buffer
// CHECK: eft.buffer_write %arg0, %[[BUFFER]]
// The loop carries one block for each of the two levels of the scan over tiles.
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %c4_i32{{.*}} iter_args(%[[ONE:.*]] = %{{.*}}, %[[TWO:.*]] = %{{.*}}) -> (tensor<1xf32
// CHECK: %[[TILE:.*]] = eft.buffer_read %[[BUFFER]]
// CHECK-SAME: -> tensor<64xf32
// CHECK: %[[SCANNED:.*]] = eft.scan %[[TILE]] axis 0
// The loop reduces a tile to its last element, and tests whether the tile's number is even or odd.
// CHECK: %[[LAST:.*]] = eft.reduce %[[SCANNED]] axis 0
// CHECK: ^bb0(%{{.*}}: f32, %[[LATER:.*]]: f32):
// CHECK-NEXT: eft.yield %[[LATER]]
// CHECK: %[[ODD:.*]] = arith.cmpi eq, %{{.*}}, %c1_i32
// CHECK: %[[EVEN:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32
// CHECK: %[[CARRY:.*]] = arith.select %[[EVEN]], %{{.*}}, %[[ONE]]
// CHECK: %[[LEVEL:.*]]:2 = scf.if %[[ODD]]
// CHECK: eft.combine
// CHECK: else
// CHECK: scf.yield %[[SCANNED]]
// CHECK: arith.select %{{.*}}, %[[LEVEL]]#1, %[[TWO]]
// CHECK: scf.if
// CHECK: eft.buffer_write
// CHECK: scf.yield %[[CARRY]]
// CHECK: eft.buffer_read
// CHECK-SAME: -> tensor<256xf32
// SMALL-LABEL: @scan
// SMALL-NOT: eft.buffer
// SMALL: return
func.func @scan(%x: tensor<256xf32, #block>) -> tensor<256xf32, #block> {
  %0 = eft.scan %x axis 0 : (tensor<256xf32, #block>) -> tensor<256xf32, #block> {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    eft.yield %sum : f32
  }
  return %0 : tensor<256xf32, #block>
}

// In reverse the loop starts with the last tile, and the result of a tile is in its first element.
// CHECK-LABEL: @reverse
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %c4
// CHECK: arith.subi %c3_i32{{.*}}, %[[I]]
// CHECK: eft.scan %{{.*}} axis 0 reverse
// CHECK: eft.reduce
// CHECK: ^bb0(%[[FIRST:.*]]: i32, %{{.*}}: i32):
// CHECK-NEXT: eft.yield %[[FIRST]]
func.func @reverse(%x: tensor<256xi32, #block>) -> tensor<256xi32, #block> {
  %0 = eft.scan %x axis 0 reverse : (tensor<256xi32, #block>) -> tensor<256xi32, #block> {
  ^bb0(%a: i32, %b: i32):
    %sum = arith.addi %a, %b : i32
    eft.yield %sum : i32
  }
  return %0 : tensor<256xi32, #block>
}

// Each row has tiles of its own.
// CHECK-LABEL: @rows
// CHECK: scf.for %{{.*}} = %{{.*}} to %c2
// CHECK: scf.for %{{.*}} = %{{.*}} to %c2{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<1x1xf32
// CHECK: eft.scan %{{.*}} axis 1
// CHECK: eft.reduce
// CHECK: eft.expand_dims %{{.*}} axis 1
func.func @rows(%x: tensor<2x128xf32, #rows>) -> tensor<2x128xf32, #rows> {
  %0 = eft.scan %x axis 1 : (tensor<2x128xf32, #rows>) -> tensor<2x128xf32, #rows> {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    eft.yield %sum : f32
  }
  return %0 : tensor<2x128xf32, #rows>
}

// Blocks without such tiles stay in registers.
// CHECK-LABEL: @mixed
// CHECK-NOT: eft.buffer
// CHECK: eft.exchange
// CHECK-NOT: eft.sort
func.func @mixed(%x: tensor<256xi32, #mixed>) -> tensor<256xi32, #mixed> {
  %0 = eft.sort %x axis 0 stages 8 to 8 : tensor<256xi32, #mixed>
  return %0 : tensor<256xi32, #mixed>
}

// Both sorts use one buffer. Stage 8 handles both bits of the tile's number, and then each tile.
// CHECK-LABEL: @sorts
// CHECK: %[[BUFFER:.*]] = eft.buffer
// CHECK-NOT: eft.buffer :
// CHECK: eft.buffer_write %arg0, %[[BUFFER]]
// CHECK-COUNT-4: eft.buffer_read
// CHECK-COUNT-4: arith.minsi
// CHECK-COUNT-4: eft.buffer_write
// CHECK: scf.for %{{.*}} = %{{.*}} to %c4
// CHECK: eft.buffer_read
// CHECK: eft.exchange %{{.*}} axis 0 mask 32
// CHECK: eft.exchange %{{.*}} axis 0 mask 1
// CHECK: eft.buffer_write
// Stage 6 is the last stage inside a tile; every second tile is sorted in descending order.
// CHECK: eft.buffer_write %{{.*}}, %[[BUFFER]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %c4
// CHECK: %[[FALLS:.*]] = arith.cmpi ne
// CHECK: %[[BITS:.*]] = arith.extsi %[[FALLS]]
// CHECK: %[[ALL:.*]] = eft.splat %[[BITS]]
// CHECK: arith.xori %{{.*}}, %[[ALL]]
// CHECK: eft.exchange %{{.*}} axis 0 mask 32
// CHECK: arith.xori %{{.*}}, %[[ALL]]
// CHECK-NOT: eft.sort
// CHECK: return
func.func @sorts(%x: tensor<256xi32, #block>) -> tensor<256xi32, #block> {
  %0 = eft.sort %x axis 0 stages 8 to 8 : tensor<256xi32, #block>
  %1 = eft.sort %0 axis 0 stages 6 to 6 unsigned : tensor<256xi32, #block>
  return %1 : tensor<256xi32, #block>
}

// Blocks without a layout have no tiles.
// CHECK-LABEL: @unplaced
// CHECK-NOT: eft.buffer
// CHECK: eft.scan
func.func @unplaced(%x: tensor<256xf32>) -> tensor<256xf32> {
  %0 = eft.scan %x axis 0 : (tensor<256xf32>) -> tensor<256xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    eft.yield %s : f32
  }
  return %0 : tensor<256xf32>
}
