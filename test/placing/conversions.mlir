// RUN: eft-opt %s -eft-place='target=gpu num-warps=1' | FileCheck %s
// RUN: eft-opt %s -eft-place='target=cpu num-warps=1' | FileCheck %s --check-prefix=CPU

// A loop carries a block that it stores, and uses as a row, in the layout of the row. Before the store,
// threads only drop copies of elements.
// CHECK-LABEL: @carried_block_is_used_in_two_layouts
// CHECK: scf.for {{.*}} iter_args(%[[K:.*]] = %{{.*}}) -> (tensor<32xi32, #[[ROW:layout[0-9]*]]>)
// CHECK: eft.expand_dims %[[K]]
// CHECK: %[[C:.*]] = eft.convert_layout %[[K]] : tensor<32xi32, #[[ROW]]> -> tensor<32xi32, #[[L:layout[0-9]*]]>
// CHECK: eft.store %{{.*}}, %[[C]] {{.*}} : tensor<32x!eft.ptr<i32>, #[[L]]>
//
// On a CPU, the loop does not carry a copy of each vector for each row.
// CPU-DAG: #[[ONCE:.*]] = #eft.layout<lane = {{\[\[}}1], [2], [4]], step = {{\[\[}}8], [16]]>
// CPU-DAG: #[[ROWS:.*]] = #eft.layout<lane = {{\[\[}}1], [2], [4]], step = {{\[\[}}8], [16], [0], [0]]>
// CPU-LABEL: @carried_block_is_used_in_two_layouts
// CPU: scf.for {{.*}} iter_args(%[[K:.*]] = %{{.*}}) -> (tensor<32xi32, #[[ONCE]]>)
// CPU: eft.convert_layout %[[K]] : tensor<32xi32, #[[ONCE]]> -> tensor<32xi32, #[[ROWS]]>
// CPU-NOT: eft.convert_layout
// CPU: return
func.func @carried_block_is_used_in_two_layouts(%x: !eft.ptr<i32>, %y: !eft.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = eft.arange 0 to 32 : tensor<32xi32>
  %xs = eft.splat %x : !eft.ptr<i32> -> tensor<32x!eft.ptr<i32>>
  %ys = eft.splat %y : !eft.ptr<i32> -> tensor<4x32x!eft.ptr<i32>>
  %last = scf.for %i = %zero to %n step %one iter_args(%k = %c) -> (tensor<32xi32>) : i32 {
    %k2 = eft.expand_dims %k axis 0 : tensor<32xi32> -> tensor<1x32xi32>
    %k3 = eft.broadcast %k2 : tensor<1x32xi32> -> tensor<4x32xi32>
    eft.store %ys, %k3 : tensor<4x32x!eft.ptr<i32>>
    eft.store %xs, %k : tensor<32x!eft.ptr<i32>>
    scf.yield %k : tensor<32xi32>
  }
  return
}

// Only the thread that has stored an element is sure to load the new value.
// CHECK-LABEL: @load_after_a_store_in_another_layout
// CHECK: eft.store %[[P:.*]], %{{.*}} : tensor<32x!eft.ptr<i32>, #[[L:layout[0-9]*]]>
// CHECK: %[[V:.*]] = eft.load %[[P]]
// CHECK: eft.convert_layout %[[V]] : tensor<32xi32, #[[L]]> ->
func.func @load_after_a_store_in_another_layout(%x: !eft.ptr<i32>, %y: !eft.ptr<i32>) {
  %c = eft.arange 0 to 32 : tensor<32xi32>
  %xs = eft.splat %x : !eft.ptr<i32> -> tensor<32x!eft.ptr<i32>>
  %p = eft.addptr %xs, %c : tensor<32x!eft.ptr<i32>>, tensor<32xi32>
  eft.store %p, %c : tensor<32x!eft.ptr<i32>>
  %v = eft.load %p : tensor<32x!eft.ptr<i32>>
  %v2 = eft.expand_dims %v axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %v3 = eft.broadcast %v2 : tensor<1x32xi32> -> tensor<4x32xi32>
  %ys = eft.splat %y : !eft.ptr<i32> -> tensor<4x32x!eft.ptr<i32>>
  eft.store %ys, %v3 : tensor<4x32x!eft.ptr<i32>>
  return
}

// In the next iteration of the loop, the load comes after the store.
// CHECK-LABEL: @load_before_a_store_in_a_loop
// CHECK: scf.for
// CHECK: %[[V:.*]] = eft.load
// CHECK: eft.convert_layout %[[V]]
func.func @load_before_a_store_in_a_loop(%x: !eft.ptr<i32>, %y: !eft.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = eft.arange 0 to 32 : tensor<32xi32>
  %xs = eft.splat %x : !eft.ptr<i32> -> tensor<32x!eft.ptr<i32>>
  %p = eft.addptr %xs, %c : tensor<32x!eft.ptr<i32>>, tensor<32xi32>
  %ys = eft.splat %y : !eft.ptr<i32> -> tensor<4x32x!eft.ptr<i32>>
  scf.for %i = %zero to %n step %one : i32 {
    %v = eft.load %p : tensor<32x!eft.ptr<i32>>
    %v2 = eft.expand_dims %v axis 0 : tensor<32xi32> -> tensor<1x32xi32>
    %v3 = eft.broadcast %v2 : tensor<1x32xi32> -> tensor<4x32xi32>
    eft.store %ys, %v3 : tensor<4x32x!eft.ptr<i32>>
    eft.store %p, %c : tensor<32x!eft.ptr<i32>>
  }
  return
}

// A transposed copy reads memory along its rows, and writes memory along its rows. In between, the
// block is converted. The transposition itself moves no element.
// CHECK-LABEL: @transposed_copy
// CHECK: %[[V:.*]] = eft.load %{{.*}} {run = 4 : i32} : tensor<64x64x!eft.ptr<f32>, #[[L:layout[0-9]*]]>
// CHECK: %[[C:.*]] = eft.convert_layout %[[V]] : tensor<64x64xf32, #[[L]]> -> tensor<64x64xf32, #[[T:layout[0-9]*]]>
// CHECK: eft.trans %[[C]] order [1, 0] : tensor<64x64xf32, #[[T]]> -> tensor<64x64xf32, #[[L]]>
// CHECK: eft.store %{{.*}} {run = 4 : i32} : tensor<64x64x!eft.ptr<f32>, #[[L]]>
func.func @transposed_copy(%x: !eft.ptr<f32> {eft.divisibility = 16 : i32},
                           %y: !eft.ptr<f32> {eft.divisibility = 16 : i32}) {
  %i = eft.arange 0 to 64 : tensor<64xi32>
  %c64 = arith.constant dense<64> : tensor<64xi32>
  %r = arith.muli %i, %c64 : tensor<64xi32>
  %r2 = eft.expand_dims %r axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %r3 = eft.broadcast %r2 : tensor<64x1xi32> -> tensor<64x64xi32>
  %c2 = eft.expand_dims %i axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %c3 = eft.broadcast %c2 : tensor<1x64xi32> -> tensor<64x64xi32>
  %o = arith.addi %r3, %c3 : tensor<64x64xi32>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<64x64x!eft.ptr<f32>>
  %ps = eft.addptr %xs, %o : tensor<64x64x!eft.ptr<f32>>, tensor<64x64xi32>
  %v = eft.load %ps : tensor<64x64x!eft.ptr<f32>>
  %t = eft.trans %v order [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  %ys = eft.splat %y : !eft.ptr<f32> -> tensor<64x64x!eft.ptr<f32>>
  %qs = eft.addptr %ys, %o : tensor<64x64x!eft.ptr<f32>>, tensor<64x64xi32>
  eft.store %qs, %t : tensor<64x64x!eft.ptr<f32>>
  return
}

// The same without a transposition: the kernel reads rows and writes columns. The load and the
// stores have different layouts, so a barrier separates the load from the first store. The second
// store needs no barrier.
// CHECK-LABEL: @columns_are_stored
// CHECK: %[[V:.*]] = eft.load %{{.*}} {run = 4 : i32} : tensor<64x64x!eft.ptr<f32>, #[[L:layout[0-9]*]]>
// CHECK: %[[C:.*]] = eft.convert_layout %[[V]] : tensor<64x64xf32, #[[L]]> -> tensor<64x64xf32, #[[T:layout[0-9]*]]>
// CHECK: eft.barrier
// CHECK-NEXT: eft.store %{{.*}}, %[[C]] {run = 4 : i32} : tensor<64x64x!eft.ptr<f32>, #[[T]]>
// CHECK-NEXT: eft.store %{{.*}}, %[[C]] {run = 4 : i32} : tensor<64x64x!eft.ptr<f32>, #[[T]]>
func.func @columns_are_stored(%x: !eft.ptr<f32> {eft.divisibility = 16 : i32},
                              %y: !eft.ptr<f32> {eft.divisibility = 16 : i32},
                              %z: !eft.ptr<f32> {eft.divisibility = 16 : i32}) {
  %i = eft.arange 0 to 64 : tensor<64xi32>
  %c64 = arith.constant dense<64> : tensor<64xi32>
  %r = arith.muli %i, %c64 : tensor<64xi32>
  %r2 = eft.expand_dims %r axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %r3 = eft.broadcast %r2 : tensor<64x1xi32> -> tensor<64x64xi32>
  %c2 = eft.expand_dims %i axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %c3 = eft.broadcast %c2 : tensor<1x64xi32> -> tensor<64x64xi32>
  %o = arith.addi %r3, %c3 : tensor<64x64xi32>
  %i2 = eft.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %i3 = eft.broadcast %i2 : tensor<64x1xi32> -> tensor<64x64xi32>
  %s2 = eft.expand_dims %r axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %s3 = eft.broadcast %s2 : tensor<1x64xi32> -> tensor<64x64xi32>
  %t = arith.addi %s3, %i3 : tensor<64x64xi32>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<64x64x!eft.ptr<f32>>
  %ps = eft.addptr %xs, %o : tensor<64x64x!eft.ptr<f32>>, tensor<64x64xi32>
  %v = eft.load %ps : tensor<64x64x!eft.ptr<f32>>
  %ys = eft.splat %y : !eft.ptr<f32> -> tensor<64x64x!eft.ptr<f32>>
  %qs = eft.addptr %ys, %t : tensor<64x64x!eft.ptr<f32>>, tensor<64x64xi32>
  %zs = eft.splat %z : !eft.ptr<f32> -> tensor<64x64x!eft.ptr<f32>>
  %ws = eft.addptr %zs, %t : tensor<64x64x!eft.ptr<f32>>, tensor<64x64xi32>
  eft.store %qs, %v : tensor<64x64x!eft.ptr<f32>>
  eft.store %ws, %v : tensor<64x64x!eft.ptr<f32>>
  return
}

// The product is split in its own layout, which moves no element. Its halves are converted after they
// have been rounded to their narrow type in memory.
// CHECK-LABEL: @halves_of_a_product
// CHECK: %[[D:.*]] = eft.dot
// CHECK: %[[R:.*]] = eft.reshape %[[D]]
// CHECK-NEXT: %[[T:.*]] = eft.trans %[[R]] order [0, 2, 1]
// CHECK-NEXT: %[[LEFT:.*]], %[[RIGHT:.*]] = eft.split %[[T]] : tensor<32x16x2xf32, #{{.*}}> -> tensor<32x16xf32, #[[HALF:.*]]>
// CHECK-DAG: %[[L:.*]] = arith.truncf %[[LEFT]] : tensor<32x16xf32, #[[HALF]]>
// CHECK-DAG: %[[P:.*]] = arith.truncf %[[RIGHT]] : tensor<32x16xf32, #[[HALF]]>
// CHECK-DAG: %[[LC:.*]] = eft.convert_layout %[[L]] : tensor<32x16xf16, #[[HALF]]>
// CHECK-DAG: %[[PC:.*]] = eft.convert_layout %[[P]] : tensor<32x16xf16, #[[HALF]]>
// CHECK: eft.store %{{.*}}, %[[LC]]
// CHECK: eft.store %{{.*}}, %[[PC]]
func.func @halves_of_a_product(%x: !eft.ptr<f16>) {
  %pa = eft.splat %x : !eft.ptr<f16> -> tensor<32x16x!eft.ptr<f16>>
  %pb = eft.splat %x : !eft.ptr<f16> -> tensor<16x32x!eft.ptr<f16>>
  %a = eft.load %pa : tensor<32x16x!eft.ptr<f16>>
  %b = eft.load %pb : tensor<16x32x!eft.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = eft.dot %a, %b, %zero precision ieee
      : tensor<32x16xf16>, tensor<16x32xf16> -> tensor<32x32xf32>
  %r = eft.reshape %d : tensor<32x32xf32> -> tensor<32x2x16xf32>
  %t = eft.trans %r order [0, 2, 1] : tensor<32x2x16xf32> -> tensor<32x16x2xf32>
  %lhs, %rhs = eft.split %t : tensor<32x16x2xf32> -> tensor<32x16xf32>
  %left = arith.truncf %lhs : tensor<32x16xf32> to tensor<32x16xf16>
  %right = arith.truncf %rhs : tensor<32x16xf32> to tensor<32x16xf16>
  %n = eft.arange 0 to 16 : tensor<16xi32>
  %n2 = eft.expand_dims %n axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %offsets = eft.broadcast %n2 : tensor<1x16xi32> -> tensor<32x16xi32>
  %xs = eft.splat %x : !eft.ptr<f16> -> tensor<32x16x!eft.ptr<f16>>
  %p = eft.addptr %xs, %offsets : tensor<32x16x!eft.ptr<f16>>, tensor<32x16xi32>
  eft.store %p, %left : tensor<32x16x!eft.ptr<f16>>
  eft.store %p, %right : tensor<32x16x!eft.ptr<f16>>
  return
}

// Each row of a product is divided by a number. The block of these numbers is converted. The product
// is converted after it has been rounded to its narrow type in memory.
// CHECK-LABEL: @divided_rows_of_a_product
// CHECK: %[[D:.*]] = eft.dot
// CHECK-NOT: eft.convert_layout %[[D]]
// CHECK: eft.broadcast
// CHECK: %[[C:.*]] = eft.convert_layout %{{.*}} : tensor<32xf32, #{{.*}}> -> tensor<32xf32, #[[ROWS:.*]]>
// CHECK-NEXT: %[[E:.*]] = eft.expand_dims %[[C]] axis 1 : tensor<32xf32, #[[ROWS]]>
// CHECK-NEXT: %[[N:.*]] = eft.broadcast %[[E]] : tensor<32x1xf32, #{{.*}}> -> tensor<32x32xf32, #[[PRODUCT:.*]]>
// CHECK-NEXT: %[[Q:.*]] = arith.divf %[[D]], %[[N]] : tensor<32x32xf32, #[[PRODUCT]]>
// CHECK: %[[H:.*]] = arith.truncf %[[Q]]
// CHECK: %[[L:.*]] = eft.convert_layout %[[H]] : tensor<32x32xf16, #[[PRODUCT]]>
// CHECK: eft.store %{{.*}}, %[[L]]
func.func @divided_rows_of_a_product(%x: !eft.ptr<f16>, %y: !eft.ptr<f32>) {
  %pa = eft.splat %x : !eft.ptr<f16> -> tensor<32x16x!eft.ptr<f16>>
  %pb = eft.splat %x : !eft.ptr<f16> -> tensor<16x32x!eft.ptr<f16>>
  %a = eft.load %pa : tensor<32x16x!eft.ptr<f16>>
  %b = eft.load %pb : tensor<16x32x!eft.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = eft.dot %a, %b, %zero precision ieee
      : tensor<32x16xf16>, tensor<16x32xf16> -> tensor<32x32xf32>
  %i = eft.arange 0 to 32 : tensor<32xi32>
  %ys = eft.splat %y : !eft.ptr<f32> -> tensor<32x!eft.ptr<f32>>
  %yi = eft.addptr %ys, %i : tensor<32x!eft.ptr<f32>>, tensor<32xi32>
  %numbers = eft.load %yi : tensor<32x!eft.ptr<f32>>
  %column = eft.expand_dims %numbers axis 1 : tensor<32xf32> -> tensor<32x1xf32>
  %repeated = eft.broadcast %column : tensor<32x1xf32> -> tensor<32x32xf32>
  %q = arith.divf %d, %repeated : tensor<32x32xf32>
  %h = arith.truncf %q : tensor<32x32xf32> to tensor<32x32xf16>
  %n2 = eft.expand_dims %i axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %offsets = eft.broadcast %n2 : tensor<1x32xi32> -> tensor<32x32xi32>
  %xs = eft.splat %x : !eft.ptr<f16> -> tensor<32x32x!eft.ptr<f16>>
  %p = eft.addptr %xs, %offsets : tensor<32x32x!eft.ptr<f16>>, tensor<32x32xi32>
  eft.store %p, %h : tensor<32x32x!eft.ptr<f16>>
  return
}
