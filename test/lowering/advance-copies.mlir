// RUN: eft-opt %s -split-input-file -pass-pipeline="builtin.module(func.func(eft-advance-copies{max-bytes=40960}))" | FileCheck %s

#a = #eft.layout<register=[[0, 1], [0, 2], [0, 4], [8, 0], [16, 0], [32, 0], [0, 8], [0, 16], [0, 32]], lane=[[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp=[]>
#o = #eft.layout<offset=[[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]>

// The first copies for a tile begin after the products of the previous tile.
// CHECK-LABEL: @tiles(
// CHECK-SAME: %[[TILES:[a-z0-9]+]]: i32, %[[K:[a-z0-9]+]]: i32
func.func @tiles(%base: tensor<64x64x!eft.ptr<f16>, #a>, %tiles: i32, %k: i32, %q: !eft.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %zero = arith.constant 0.0 : f32
  // CHECK: %[[SLOTS:.*]] = eft.alloc_shared
  // CHECK: %[[ANY:.*]] = arith.cmpi slt, %{{.*}}, %[[TILES]]
  // CHECK: %[[SOME:.*]] = arith.cmpi slt, %c0{{.*}}, %[[K]]
  // CHECK: %[[P:.*]] = eft.addptr
  // CHECK: %[[BOTH:.*]] = arith.andi %[[SOME]], %[[ANY]]
  // CHECK: eft.copy_async %[[P]], %[[SLOTS]][%{{.*}}] if %[[BOTH]]
  // CHECK: eft.commit_copies
  // CHECK: scf.for %[[TILE:.*]] = %{{.*}} to %[[TILES]] step %[[ONE:.*]] iter_args(%[[PLACE:.*]] = %c7
  scf.for %tile = %c0 to %tiles step %c1 iter_args(%place = %c7) -> (i32) : i32 {
    %moved = arith.addi %tile, %place : i32
    %some = arith.cmpi slt, %c0, %k : i32
    %s = eft.alloc_shared : !eft.shared<2, tensor<64x64xf16, #o>>
    %offsets = eft.splat %moved : i32 -> tensor<64x64xi32, #a>
    %p = eft.addptr %base, %offsets : tensor<64x64x!eft.ptr<f16>, #a>, tensor<64x64xi32, #a>
    // CHECK-NOT: eft.copy_async
    eft.copy_async %p, %s[%c0] if %some {run = 8 : i32} : tensor<64x64x!eft.ptr<f16>, #a>, !eft.shared<2, tensor<64x64xf16, #o>>
    eft.commit_copies
    // CHECK: %[[R:.*]] = scf.for
    // CHECK-NEXT: eft.wait_copies pending 0
    %r = scf.for %i = %c0 to %k step %c1 iter_args(%t = %zero) -> (f32) : i32 {
      eft.wait_copies pending 0
      %sum = arith.addf %t, %t : f32
      scf.yield %sum : f32
    }
    // CHECK: eft.wait_copies pending 0
    eft.wait_copies pending 0
    eft.dealloc_shared %s : !eft.shared<2, tensor<64x64xf16, #o>>
    // CHECK-NEXT: %[[NEXT_PLACE:.*]] = arith.muli %[[PLACE]]
    // CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[TILE]], %[[ONE]]
    // CHECK-NEXT: %[[LEFT:.*]] = arith.subi %[[TILES]], %[[TILE]]
    // CHECK-NEXT: %[[MORE:.*]] = arith.cmpi ugt, %[[LEFT]], %[[ONE]]
    // CHECK-NEXT: arith.addi %[[NEXT]], %[[NEXT_PLACE]]
    // CHECK: %[[BOTH:.*]] = arith.andi %{{.*}}, %[[MORE]]
    // CHECK-NEXT: eft.copy_async %{{.*}}, %[[SLOTS]][%{{.*}}] if %[[BOTH]]
    // CHECK-NEXT: eft.commit_copies
    // CHECK: eft.store %{{.*}}, %[[R]]
    %next = arith.muli %place, %c7 : i32
    eft.store %q, %r : !eft.ptr<f32>
    // CHECK: scf.yield
    scf.yield %next : i32
  } {eft.flatten}
  // CHECK: eft.wait_copies pending 0
  // CHECK-NEXT: eft.dealloc_shared %[[SLOTS]]
  return
}

// -----

#a = #eft.layout<register=[[0, 1], [0, 2], [0, 4], [8, 0], [16, 0], [32, 0], [0, 8], [0, 16], [0, 32]], lane=[[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp=[]>
#b = #eft.layout<register=[[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [0, 8]], lane=[[0, 1], [0, 2], [0, 4], [0, 16], [0, 32]], warp=[]>
#o = #eft.layout<offset=[[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]>

// CHECK-LABEL: @not_asked_for
// CHECK: scf.for
// CHECK: eft.alloc_shared
func.func @not_asked_for(%p: tensor<64x64x!eft.ptr<f16>, #a>, %tiles: i32, %q: !eft.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  scf.for %tile = %c0 to %tiles step %c1 : i32 {
    %s = eft.alloc_shared : !eft.shared<2, tensor<64x64xf16, #o>>
    eft.copy_async %p, %s[%c0] {run = 8 : i32} : tensor<64x64x!eft.ptr<f16>, #a>, !eft.shared<2, tensor<64x64xf16, #o>>
    eft.commit_copies
    scf.for %i = %c0 to %tiles step %c1 : i32 {
      eft.wait_copies pending 0
    }
    eft.wait_copies pending 0
    eft.dealloc_shared %s : !eft.shared<2, tensor<64x64xf16, #o>>
    eft.store %q, %zero : !eft.ptr<f32>
  }
  return
}

// The position of the next tile is loaded from memory. This load runs early, too, if there is a next
// tile.
// CHECK-LABEL: @loaded_place
// CHECK: eft.alloc_shared
// CHECK: eft.load %{{.*}}, mask %{{.*}} : !eft.ptr<i32>
// CHECK: eft.copy_async
// CHECK: scf.for
// CHECK: scf.for
// CHECK: eft.load %{{.*}}, mask %{{.*}} : !eft.ptr<i32>
// CHECK: eft.copy_async
// CHECK: eft.store
func.func @loaded_place(%base: tensor<64x64x!eft.ptr<f16>, #a>, %table: !eft.ptr<i32>, %tiles: i32, %q: !eft.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  scf.for %tile = %c0 to %tiles step %c1 : i32 {
    %at = eft.addptr %table, %tile : !eft.ptr<i32>, i32
    %place = eft.load %at : !eft.ptr<i32>
    %offsets = eft.splat %place : i32 -> tensor<64x64xi32, #a>
    %p = eft.addptr %base, %offsets : tensor<64x64x!eft.ptr<f16>, #a>, tensor<64x64xi32, #a>
    %s = eft.alloc_shared : !eft.shared<2, tensor<64x64xf16, #o>>
    eft.copy_async %p, %s[%c0] {run = 8 : i32} : tensor<64x64x!eft.ptr<f16>, #a>, !eft.shared<2, tensor<64x64xf16, #o>>
    eft.commit_copies
    scf.for %i = %c0 to %tiles step %c1 : i32 {
      eft.wait_copies pending 0
    }
    eft.wait_copies pending 0
    eft.dealloc_shared %s : !eft.shared<2, tensor<64x64xf16, #o>>
    eft.store %q, %zero : !eft.ptr<f32>
  } {eft.flatten}
  return
}

// A volatile load of the position must not run early.
// CHECK-LABEL: @place_that_others_write
// CHECK: scf.for
// CHECK: eft.alloc_shared
func.func @place_that_others_write(%base: tensor<64x64x!eft.ptr<f16>, #a>, %table: !eft.ptr<i32>, %tiles: i32, %q: !eft.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  scf.for %tile = %c0 to %tiles step %c1 : i32 {
    %at = eft.addptr %table, %tile : !eft.ptr<i32>, i32
    %place = eft.load %at volatile : !eft.ptr<i32>
    %offsets = eft.splat %place : i32 -> tensor<64x64xi32, #a>
    %p = eft.addptr %base, %offsets : tensor<64x64x!eft.ptr<f16>, #a>, tensor<64x64xi32, #a>
    %s = eft.alloc_shared : !eft.shared<2, tensor<64x64xf16, #o>>
    eft.copy_async %p, %s[%c0] {run = 8 : i32} : tensor<64x64x!eft.ptr<f16>, #a>, !eft.shared<2, tensor<64x64xf16, #o>>
    eft.commit_copies
    scf.for %i = %c0 to %tiles step %c1 : i32 {
      eft.wait_copies pending 0
    }
    eft.wait_copies pending 0
    eft.dealloc_shared %s : !eft.shared<2, tensor<64x64xf16, #o>>
    eft.store %q, %zero : !eft.ptr<f32>
  } {eft.flatten}
  return
}

// The position of the next tile depends on the result of the products, so no copy begins early.
// CHECK-LABEL: @place_from_the_result
// CHECK: scf.for
// CHECK: eft.alloc_shared
func.func @place_from_the_result(%base: tensor<64x64x!eft.ptr<f16>, #a>, %tiles: i32, %q: !eft.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %tile = %c0 to %tiles step %c1 iter_args(%place = %c0) -> (i32) : i32 {
    %offsets = eft.splat %place : i32 -> tensor<64x64xi32, #a>
    %p = eft.addptr %base, %offsets : tensor<64x64x!eft.ptr<f16>, #a>, tensor<64x64xi32, #a>
    %s = eft.alloc_shared : !eft.shared<2, tensor<64x64xf16, #o>>
    eft.copy_async %p, %s[%c0] {run = 8 : i32} : tensor<64x64x!eft.ptr<f16>, #a>, !eft.shared<2, tensor<64x64xf16, #o>>
    eft.commit_copies
    %r = scf.for %i = %c0 to %tiles step %c1 iter_args(%t = %c1) -> (i32) : i32 {
      eft.wait_copies pending 0
      scf.yield %t : i32
    }
    eft.wait_copies pending 0
    eft.dealloc_shared %s : !eft.shared<2, tensor<64x64xf16, #o>>
    eft.store %q, %r : !eft.ptr<i32>
    %next = arith.addi %place, %r : i32
    scf.yield %next : i32
  } {eft.flatten}
  return
}

// Four slots take 32 KiB of the 40 KiB, and staging a block needs 16 KiB. So no copy begins early.
// CHECK-LABEL: @too_little_room
// CHECK: scf.for
// CHECK: eft.alloc_shared
func.func @too_little_room(%p: tensor<64x64x!eft.ptr<f16>, #a>, %tiles: i32, %q: !eft.ptr<f32>,
                           %block: tensor<64x64xf32, #a>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  scf.for %tile = %c0 to %tiles step %c1 : i32 {
    %s = eft.alloc_shared : !eft.shared<4, tensor<64x64xf16, #o>>
    eft.copy_async %p, %s[%c0] {run = 8 : i32} : tensor<64x64x!eft.ptr<f16>, #a>, !eft.shared<4, tensor<64x64xf16, #o>>
    eft.commit_copies
    scf.for %i = %c0 to %tiles step %c1 : i32 {
      eft.wait_copies pending 0
    }
    eft.wait_copies pending 0
    eft.dealloc_shared %s : !eft.shared<4, tensor<64x64xf16, #o>>
    %moved = eft.convert_layout %block : tensor<64x64xf32, #a> -> tensor<64x64xf32, #b>
    eft.store %q, %zero : !eft.ptr<f32>
  } {eft.flatten}
  return
}

// CHECK-LABEL: @enough_room
// CHECK: eft.alloc_shared
// CHECK: scf.for
func.func @enough_room(%p: tensor<64x64x!eft.ptr<f16>, #a>, %tiles: i32, %q: !eft.ptr<f32>,
                       %block: tensor<64x64xf32, #a>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  scf.for %tile = %c0 to %tiles step %c1 : i32 {
    %s = eft.alloc_shared : !eft.shared<3, tensor<64x64xf16, #o>>
    eft.copy_async %p, %s[%c0] {run = 8 : i32} : tensor<64x64x!eft.ptr<f16>, #a>, !eft.shared<3, tensor<64x64xf16, #o>>
    eft.commit_copies
    scf.for %i = %c0 to %tiles step %c1 : i32 {
      eft.wait_copies pending 0
    }
    eft.wait_copies pending 0
    eft.dealloc_shared %s : !eft.shared<3, tensor<64x64xf16, #o>>
    %moved = eft.convert_layout %block : tensor<64x64xf32, #a> -> tensor<64x64xf32, #b>
    eft.store %q, %zero : !eft.ptr<f32>
  } {eft.flatten}
  return
}

// A division needs no shared memory.
// CHECK-LABEL: @division_behind
// CHECK: eft.alloc_shared
// CHECK: scf.for
func.func @division_behind(%p: tensor<64x64x!eft.ptr<f16>, #a>, %tiles: i32, %q: !eft.ptr<f32>,
                           %block: tensor<64x64xf32, #a>, %y: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  scf.for %tile = %c0 to %tiles step %c1 : i32 {
    %s = eft.alloc_shared : !eft.shared<4, tensor<64x64xf16, #o>>
    eft.copy_async %p, %s[%c0] {run = 8 : i32} : tensor<64x64x!eft.ptr<f16>, #a>, !eft.shared<4, tensor<64x64xf16, #o>>
    eft.commit_copies
    scf.for %i = %c0 to %tiles step %c1 : i32 {
      eft.wait_copies pending 0
    }
    eft.wait_copies pending 0
    eft.dealloc_shared %s : !eft.shared<4, tensor<64x64xf16, #o>>
    %divided = eft.uniform_div %block, %y, %y : tensor<64x64xf32, #a>, f32
    eft.store %q, %zero : !eft.ptr<f32>
  } {eft.flatten}
  return
}

// -----

#a = #eft.layout<register=[[0, 1], [0, 2], [0, 4], [8, 0], [16, 0], [32, 0], [0, 8], [0, 16], [0, 32]], lane=[[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp=[]>
#o = #eft.layout<offset=[[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]>

// The pipelined loop has the loaded bounds for which its copies were made.
// CHECK-LABEL: @loaded_bounds
// CHECK: %[[FIRST:.*]] = eft.of_first_thread
// CHECK: eft.copy_async
// CHECK: scf.for {{.*}} iter_args(%[[BOUND:.*]] = %[[FIRST]])
// CHECK-NOT: of_first_thread
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[BOUND]]
// CHECK: eft.load %{{.*}}, mask
// CHECK: %[[NEXT:.*]] = eft.of_first_thread
// CHECK: eft.copy_async
// CHECK: eft.store
// CHECK: scf.yield %[[NEXT]] : i32
// CHECK: return
func.func @loaded_bounds(%p: tensor<64x64x!eft.ptr<f16>, #a>, %tiles: i32, %counts: !eft.ptr<i32>, %q: !eft.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  scf.for %tile = %c0 to %tiles step %c1 : i32 {
    %place = eft.addptr %counts, %tile : !eft.ptr<i32>, i32
    %mine = eft.load %place : !eft.ptr<i32>
    %k = eft.of_first_thread %mine : i32
    %some = arith.cmpi slt, %c0, %k : i32
    %s = eft.alloc_shared : !eft.shared<2, tensor<64x64xf16, #o>>
    eft.copy_async %p, %s[%c0] if %some {run = 8 : i32} : tensor<64x64x!eft.ptr<f16>, #a>, !eft.shared<2, tensor<64x64xf16, #o>>
    eft.commit_copies
    %r = scf.for %i = %c0 to %k step %c1 iter_args(%t = %zero) -> (f32) : i32 {
      eft.wait_copies pending 0
      %sum = arith.addf %t, %t : f32
      scf.yield %sum : f32
    }
    eft.wait_copies pending 0
    eft.dealloc_shared %s : !eft.shared<2, tensor<64x64xf16, #o>>
    eft.store %q, %r : !eft.ptr<f32>
  } {eft.flatten}
  return
}
