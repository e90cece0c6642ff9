// RUN: eft-opt %s -eft-place='target=gpu num-warps=1' | FileCheck %s

// The factor and the result have one shape. The memory of the factor runs along one dimension, that of
// the result along the other. The store comes after the loop that loads the factor. So the factor is
// loaded in the layout that suits its own memory, and is converted directly after the load.
// CHECK-DAG: #[[UNALIGNED:layout[0-9]*]] = #eft.layout<register = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>
// CHECK-DAG: #[[DOWN:layout[0-9]*]] = #eft.layout<register = {{\[\[}}1, 0], [2, 0], [4, 0]], lane = {{\[\[}}8, 0], [0, 1], [0, 2]
// CHECK-LABEL: @store_behind_the_loop
// CHECK: scf.for
// CHECK: %[[V:.*]] = eft.load %{{.*}} {run = 8 : i32} : tensor<16x16x!eft.ptr<f16>, #[[DOWN]]>
// CHECK-NEXT: eft.convert_layout %[[V]]
func.func @store_behind_the_loop(%p: !eft.ptr<f16> {eft.divisibility = 16 : i32}, %q: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<16x16xf32>
  %ones = arith.constant dense<1.0> : tensor<16x16xf16>
  %i = eft.arange 0 to 16 : tensor<16xi32>
  %down = eft.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %across = eft.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %rows = eft.broadcast %down : tensor<16x1xi32> -> tensor<16x16xi32>
  %columns = eft.broadcast %across : tensor<1x16xi32> -> tensor<16x16xi32>
  %width = arith.constant dense<16> : tensor<16x16xi32>
  %far = arith.muli %columns, %width : tensor<16x16xi32>
  %turned = arith.addi %rows, %far : tensor<16x16xi32>
  %below = arith.muli %rows, %width : tensor<16x16xi32>
  %straight = arith.addi %below, %columns : tensor<16x16xi32>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<16x16x!eft.ptr<f16>>
  %pa = eft.addptr %ps, %turned : tensor<16x16x!eft.ptr<f16>>, tensor<16x16xi32>
  %qs = eft.splat %q : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
  %pc = eft.addptr %qs, %straight : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
  %r = scf.for %t = %zero to %n step %one iter_args(%acc = %none) -> (tensor<16x16xf32>) : i32 {
    %a = eft.load %pa : tensor<16x16x!eft.ptr<f16>>
    %d = eft.dot %a, %ones, %acc precision ieee : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  eft.store %pc, %r : tensor<16x16x!eft.ptr<f32>>
  return
}

// The store may write what a later iteration loads, so the load has the layout of the store. In this
// layout no two elements of a thread are neighbours in the memory that is loaded.
// CHECK-LABEL: @store_in_the_loop
// CHECK: scf.for
// CHECK: eft.store %{{.*}} {run = 4 : i32} : tensor<16x16x!eft.ptr<f32>, #[[ACROSS:.*]]>
// CHECK-NEXT: eft.load %{{.*}} {run = 1 : i32} : tensor<16x16x!eft.ptr<f16>, #[[ACROSS]]>
func.func @store_in_the_loop(%p: !eft.ptr<f16> {eft.divisibility = 16 : i32}, %q: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<16x16xf32>
  %ones = arith.constant dense<1.0> : tensor<16x16xf16>
  %i = eft.arange 0 to 16 : tensor<16xi32>
  %down = eft.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %across = eft.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %rows = eft.broadcast %down : tensor<16x1xi32> -> tensor<16x16xi32>
  %columns = eft.broadcast %across : tensor<1x16xi32> -> tensor<16x16xi32>
  %width = arith.constant dense<16> : tensor<16x16xi32>
  %far = arith.muli %columns, %width : tensor<16x16xi32>
  %turned = arith.addi %rows, %far : tensor<16x16xi32>
  %below = arith.muli %rows, %width : tensor<16x16xi32>
  %straight = arith.addi %below, %columns : tensor<16x16xi32>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<16x16x!eft.ptr<f16>>
  %pa = eft.addptr %ps, %turned : tensor<16x16x!eft.ptr<f16>>, tensor<16x16xi32>
  %qs = eft.splat %q : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
  %pc = eft.addptr %qs, %straight : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
  %r = scf.for %t = %zero to %n step %one iter_args(%acc = %none) -> (tensor<16x16xf32>) : i32 {
    eft.store %pc, %acc : tensor<16x16x!eft.ptr<f32>>
    %a = eft.load %pa : tensor<16x16x!eft.ptr<f16>>
    %d = eft.dot %a, %ones, %acc precision ieee : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  return
}

// The loop stores nothing that it loads, so the load has the layout that suits its memory, and no barrier
// is needed.
// CHECK-LABEL: @store_in_the_loop_apart
// CHECK-NOT: eft.barrier
// CHECK: scf.for
// CHECK: eft.load %{{.*}} {run = 8 : i32} : tensor<16x16x!eft.ptr<f16>, #[[DOWN]]>
// CHECK-NOT: eft.barrier
// CHECK: return
func.func @store_in_the_loop_apart(%p: !eft.ptr<f16> {eft.divisibility = 16 : i32}, %q: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<16x16xf32>
  %ones = arith.constant dense<1.0> : tensor<16x16xf16>
  %i = eft.arange 0 to 16 : tensor<16xi32>
  %down = eft.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %across = eft.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %rows = eft.broadcast %down : tensor<16x1xi32> -> tensor<16x16xi32>
  %columns = eft.broadcast %across : tensor<1x16xi32> -> tensor<16x16xi32>
  %width = arith.constant dense<16> : tensor<16x16xi32>
  %far = arith.muli %columns, %width : tensor<16x16xi32>
  %turned = arith.addi %rows, %far : tensor<16x16xi32>
  %below = arith.muli %rows, %width : tensor<16x16xi32>
  %straight = arith.addi %below, %columns : tensor<16x16xi32>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<16x16x!eft.ptr<f16>>
  %pa = eft.addptr %ps, %turned : tensor<16x16x!eft.ptr<f16>>, tensor<16x16xi32>
  %qs = eft.splat %q : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
  %pc = eft.addptr %qs, %straight : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
  %r = scf.for %t = %zero to %n step %one iter_args(%acc = %none) -> (tensor<16x16xf32>) : i32 {
    eft.store %pc, %acc : tensor<16x16x!eft.ptr<f32>>
    %a = eft.load %pa : tensor<16x16x!eft.ptr<f16>>
    %d = eft.dot %a, %ones, %acc precision ieee : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  } {eft.stores_apart}
  return
}

// In the next iteration of the outer loop, the load may read what the store has written. A barrier
// makes all threads wait before the load.
// CHECK-LABEL: @store_in_a_loop_around
// CHECK: scf.for
// CHECK: eft.barrier
// CHECK-NEXT: scf.for
// CHECK-NEXT: eft.load %{{.*}} {run = 8 : i32} : tensor<16x16x!eft.ptr<f16>, #[[DOWN]]>
func.func @store_in_a_loop_around(%p: !eft.ptr<f16> {eft.divisibility = 16 : i32}, %q: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<16x16xf32>
  %ones = arith.constant dense<1.0> : tensor<16x16xf16>
  %i = eft.arange 0 to 16 : tensor<16xi32>
  %down = eft.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %across = eft.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %rows = eft.broadcast %down : tensor<16x1xi32> -> tensor<16x16xi32>
  %columns = eft.broadcast %across : tensor<1x16xi32> -> tensor<16x16xi32>
  %width = arith.constant dense<16> : tensor<16x16xi32>
  %far = arith.muli %columns, %width : tensor<16x16xi32>
  %turned = arith.addi %rows, %far : tensor<16x16xi32>
  %below = arith.muli %rows, %width : tensor<16x16xi32>
  %straight = arith.addi %below, %columns : tensor<16x16xi32>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<16x16x!eft.ptr<f16>>
  %pa = eft.addptr %ps, %turned : tensor<16x16x!eft.ptr<f16>>, tensor<16x16xi32>
  %qs = eft.splat %q : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
  %pc = eft.addptr %qs, %straight : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
  scf.for %u = %zero to %n step %one : i32 {
    %r = scf.for %t = %zero to %n step %one iter_args(%acc = %none) -> (tensor<16x16xf32>) : i32 {
      %a = eft.load %pa : tensor<16x16x!eft.ptr<f16>>
      %d = eft.dot %a, %ones, %acc precision ieee : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
      scf.yield %d : tensor<16x16xf32>
    }
    eft.store %pc, %r : tensor<16x16x!eft.ptr<f32>>
  }
  return
}

// The pointer's alignment is not known, so a run has one element. The lanes still lie along the
// dimension in which the offsets are consecutive.
// CHECK-LABEL: @unaligned
// CHECK: eft.load %{{.*}} {run = 1 : i32} : tensor<32x16x!eft.ptr<f16>, #[[UNALIGNED]]>
func.func @unaligned(%p: !eft.ptr<f16>, %q: !eft.ptr<f16>, %n: i32) {
  %i = eft.arange 0 to 32 : tensor<32xi32>
  %j = eft.arange 0 to 16 : tensor<16xi32>
  %down = eft.expand_dims %i axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %across = eft.expand_dims %j axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %rows = eft.broadcast %down : tensor<32x1xi32> -> tensor<32x16xi32>
  %columns = eft.broadcast %across : tensor<1x16xi32> -> tensor<32x16xi32>
  %ns = eft.splat %n : i32 -> tensor<32x16xi32>
  %far = arith.muli %columns, %ns : tensor<32x16xi32>
  %turned = arith.addi %rows, %far : tensor<32x16xi32>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<32x16x!eft.ptr<f16>>
  %pa = eft.addptr %ps, %turned : tensor<32x16x!eft.ptr<f16>>, tensor<32x16xi32>
  %qs = eft.splat %q : !eft.ptr<f16> -> tensor<32x16x!eft.ptr<f16>>
  %pb = eft.addptr %qs, %turned : tensor<32x16x!eft.ptr<f16>>, tensor<32x16xi32>
  %a = eft.load %pa : tensor<32x16x!eft.ptr<f16>>
  eft.store %pb, %a : tensor<32x16x!eft.ptr<f16>>
  return
}
