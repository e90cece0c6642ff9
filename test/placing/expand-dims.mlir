// RUN: eft-opt %s -eft-place='target=gpu num-warps=1' | FileCheck %s

// CHECK: #[[R1:.*]] = #eft.layout<register = {{\[\[}}0], [0], [4]], lane = {{\[\[}}0], [0], [0], [1], [2]], warp = []>
// CHECK: #[[R2:.*]] = #eft.layout<register = {{\[\[}}0, 0], [0, 0], [4, 0]], lane = {{\[\[}}0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = []>
// CHECK: #[[RC:.*]] = #eft.layout<register = {{\[\[}}0, 1], [0, 2], [4, 0]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = []>
// CHECK: #[[C1:.*]] = #eft.layout<register = {{\[\[}}1], [2], [0]], lane = {{\[\[}}4], [8], [16], [0], [0]], warp = []>
// CHECK: #[[C2:.*]] = #eft.layout<register = {{\[\[}}0, 1], [0, 2], [0, 0]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 0], [0, 0]], warp = []>

// The high lane bits tell the row, the register bits and the low lane bits tell the column.
// CHECK-LABEL: @sources_have_slices
// CHECK: eft.expand_dims {{.*}} axis 1 : tensor<8xi32, #[[R1]]> -> tensor<8x1xi32, #[[R2]]>
// CHECK: eft.broadcast {{.*}} : tensor<8x1xi32, #[[R2]]> -> tensor<8x32xi32, #[[RC]]>
// CHECK: eft.expand_dims {{.*}} axis 0 : tensor<32xi32, #[[C1]]> -> tensor<1x32xi32, #[[C2]]>
// CHECK: eft.store {{.*}} {run = 4 : i32} : tensor<8x32x!eft.ptr<i32>, #[[RC]]>
func.func @sources_have_slices(%x: !eft.ptr<i32> {eft.divisibility = 16 : i32}) {
  %r = eft.arange 0 to 8 : tensor<8xi32>
  %stride = arith.constant dense<64> : tensor<8xi32>
  %rs = arith.muli %r, %stride : tensor<8xi32>
  %r2 = eft.expand_dims %rs axis 1 : tensor<8xi32> -> tensor<8x1xi32>
  %r3 = eft.broadcast %r2 : tensor<8x1xi32> -> tensor<8x32xi32>
  %c = eft.arange 0 to 32 : tensor<32xi32>
  %c2 = eft.expand_dims %c axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %c3 = eft.broadcast %c2 : tensor<1x32xi32> -> tensor<8x32xi32>
  %offsets = arith.addi %r3, %c3 : tensor<8x32xi32>
  %xs = eft.splat %x : !eft.ptr<i32> -> tensor<8x32x!eft.ptr<i32>>
  %p = eft.addptr %xs, %offsets : tensor<8x32x!eft.ptr<i32>>, tensor<8x32xi32>
  eft.store %p, %offsets : tensor<8x32x!eft.ptr<i32>>
  return
}

// A range is used as rows and as columns of a square. It, and what is computed from it, is made twice.
// CHECK-LABEL: @range_is_made_twice
// CHECK: %[[A:.*]] = eft.arange 0 to 16 : tensor<16xi32, #[[LA:layout[0-9]*]]>
// CHECK: %[[B:.*]] = eft.arange 0 to 16 : tensor<16xi32, #[[LB:layout[0-9]*]]>
// CHECK: %[[AA:.*]] = arith.addi %[[A]], %[[A]]
// CHECK: %[[BB:.*]] = arith.addi %[[B]], %[[B]]
// CHECK-DAG: eft.expand_dims %[[AA]] axis {{[01]}} : tensor<16xi32, #[[LA]]>
// CHECK-DAG: eft.expand_dims %[[BB]] axis {{[01]}} : tensor<16xi32, #[[LB]]>
func.func @range_is_made_twice(%x: !eft.ptr<i32>) {
  %r = eft.arange 0 to 16 : tensor<16xi32>
  %rr = arith.addi %r, %r : tensor<16xi32>
  %r2 = eft.expand_dims %rr axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %r3 = eft.broadcast %r2 : tensor<16x1xi32> -> tensor<16x16xi32>
  %c2 = eft.expand_dims %rr axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %c3 = eft.broadcast %c2 : tensor<1x16xi32> -> tensor<16x16xi32>
  %offsets = arith.addi %r3, %c3 : tensor<16x16xi32>
  %xs = eft.splat %x : !eft.ptr<i32> -> tensor<16x16x!eft.ptr<i32>>
  eft.store %xs, %offsets : tensor<16x16x!eft.ptr<i32>>
  return
}

// A load that is used as rows and as columns is also done twice, because nothing writes its memory.
// CHECK-LABEL: @load_is_done_twice
// CHECK: %[[P:.*]] = eft.addptr
// CHECK: %[[Q:.*]] = eft.addptr
// CHECK: eft.load %[[P]]
// CHECK: eft.load %[[Q]]
// CHECK-NOT: eft.convert_layout
func.func @load_is_done_twice(%x: !eft.ptr<i32>, %y: !eft.ptr<i32>) {
  %c = eft.arange 0 to 16 : tensor<16xi32>
  %xs = eft.splat %x : !eft.ptr<i32> -> tensor<16x!eft.ptr<i32>>
  %p = eft.addptr %xs, %c : tensor<16x!eft.ptr<i32>>, tensor<16xi32>
  %v = eft.load %p : tensor<16x!eft.ptr<i32>>
  %r2 = eft.expand_dims %v axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %r3 = eft.broadcast %r2 : tensor<16x1xi32> -> tensor<16x16xi32>
  %c2 = eft.expand_dims %v axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %c3 = eft.broadcast %c2 : tensor<1x16xi32> -> tensor<16x16xi32>
  %sums = arith.addi %r3, %c3 : tensor<16x16xi32>
  %ys = eft.splat %y : !eft.ptr<i32> -> tensor<16x16x!eft.ptr<i32>>
  eft.store %ys, %sums : tensor<16x16x!eft.ptr<i32>>
  return
}

// If a loop only uses a carried block as a row, it carries the block in the layout of the row.
// CHECK-LABEL: @loop_carries_a_slice
// CHECK: scf.for {{.*}} -> (tensor<32xi32, #[[L:layout[0-9]*]]>)
// CHECK: eft.expand_dims {{.*}} axis 0 : tensor<32xi32, #[[L]]>
func.func @loop_carries_a_slice(%x: !eft.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %steps = arith.constant dense<32> : tensor<32xi32>
  %c = eft.arange 0 to 32 : tensor<32xi32>
  %xs = eft.splat %x : !eft.ptr<i32> -> tensor<4x32x!eft.ptr<i32>>
  %last = scf.for %i = %zero to %n step %one iter_args(%k = %c) -> (tensor<32xi32>) : i32 {
    %k2 = eft.expand_dims %k axis 0 : tensor<32xi32> -> tensor<1x32xi32>
    %k3 = eft.broadcast %k2 : tensor<1x32xi32> -> tensor<4x32xi32>
    eft.store %xs, %k3 : tensor<4x32x!eft.ptr<i32>>
    %next = arith.addi %k, %steps : tensor<32xi32>
    scf.yield %next : tensor<32xi32>
  }
  return
}

// The blocks of a while loop's condition and of its body are not tied: each has its own layout.
// CHECK-LABEL: @while_loop
// CHECK: scf.while (%{{.*}} = %{{.*}}) : (tensor<32xi32, #[[L:layout[0-9]*]]>) -> tensor<32xi32, #[[L]]>
func.func @while_loop(%x: !eft.ptr<i32>, %more: i1) {
  %c = eft.arange 0 to 32 : tensor<32xi32>
  %xs = eft.splat %x : !eft.ptr<i32> -> tensor<32x!eft.ptr<i32>>
  %last = scf.while (%k = %c) : (tensor<32xi32>) -> (tensor<32xi32>) {
    scf.condition(%more) %k : tensor<32xi32>
  } do {
  ^bb0(%k: tensor<32xi32>):
    %next = arith.addi %k, %c : tensor<32xi32>
    scf.yield %next : tensor<32xi32>
  }
  eft.store %xs, %last : tensor<32x!eft.ptr<i32>>
  return
}
