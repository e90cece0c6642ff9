// RUN: eft-opt %s -eft-place='target=gpu num-warps=2' | FileCheck %s
// RUN: eft-opt %s -eft-place='target=cpu num-warps=2' | FileCheck %s --check-prefix=CPU

// The maximum of each row is subtracted from the row. Rows are reduced in the layout in which they are
// loaded, and the maxima are needed in a slice of this layout: nothing is converted.
// CHECK-LABEL: @row_minus_its_maximum
// CHECK: eft.load %{{.*}} {run = 4 : i32} : tensor<8x128x!eft.ptr<f32>, #[[L:layout[0-9]*]]>
// CHECK: eft.reduce %{{.*}} axis 1 steps 1 tree [2, 1, 64, 32, 16, 8, 4] : (tensor<8x128xf32, #[[L]]>) -> tensor<8xf32, #[[S:layout[0-9]*]]>
// CHECK-NOT: eft.convert_layout
// CHECK: eft.broadcast {{.*}} -> tensor<8x128xf32, #[[L]]>
// The order is the same on a CPU, although the layouts differ.
// CPU-LABEL: @row_minus_its_maximum
// CPU: eft.reduce %{{.*}} axis 1 steps 1 tree [2, 1, 64, 32, 16, 8, 4]
func.func @row_minus_its_maximum(%x: !eft.ptr<f32> {eft.divisibility = 16 : i32}) {
  %i = eft.arange 0 to 8 : tensor<8xi32>
  %c128 = arith.constant dense<128> : tensor<8xi32>
  %r = arith.muli %i, %c128 : tensor<8xi32>
  %r2 = eft.expand_dims %r axis 1 : tensor<8xi32> -> tensor<8x1xi32>
  %r3 = eft.broadcast %r2 : tensor<8x1xi32> -> tensor<8x128xi32>
  %j = eft.arange 0 to 128 : tensor<128xi32>
  %c2 = eft.expand_dims %j axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %c3 = eft.broadcast %c2 : tensor<1x128xi32> -> tensor<8x128xi32>
  %o = arith.addi %r3, %c3 : tensor<8x128xi32>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<8x128x!eft.ptr<f32>>
  %ps = eft.addptr %xs, %o : tensor<8x128x!eft.ptr<f32>>, tensor<8x128xi32>
  %v = eft.load %ps : tensor<8x128x!eft.ptr<f32>>
  %m = eft.reduce %v axis 1 : (tensor<8x128xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    %max = arith.maximumf %a, %b : f32
    eft.yield %max : f32
  }
  %m2 = eft.expand_dims %m axis 1 : tensor<8xf32> -> tensor<8x1xf32>
  %m3 = eft.broadcast %m2 : tensor<8x1xf32> -> tensor<8x128xf32>
  %d = arith.subf %v, %m3 : tensor<8x128xf32>
  eft.store %ps, %d : tensor<8x128x!eft.ptr<f32>>
  return
}

// If a row has more than one vector for each thread, the vectors are combined in steps.
// CHECK-LABEL: @long_row
// CHECK: eft.reduce %{{.*}} axis 0 steps 4 tree [2, 1, 64, 32, 16, 8, 4, 128] : (tensor<1024xf32, #{{.*}}>) -> f32
// CPU-LABEL: @long_row
// CPU: eft.reduce %{{.*}} axis 0 steps 4 tree [2, 1, 64, 32, 16, 8, 4, 128] : (tensor<1024xf32, #{{.*}}>) -> f32
func.func @long_row(%x: f32, %p: !eft.ptr<f32>) {
  %v = eft.splat %x : f32 -> tensor<1024xf32>
  %sum = eft.reduce %v axis 0 : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    eft.yield %s : f32
  }
  eft.store %p, %sum : !eft.ptr<f32>
  return
}

// Memory runs along the columns: the block is loaded along them, and converted for the reduction.
// CHECK-LABEL: @columns
// CHECK: %[[V:.*]] = eft.load %{{.*}} {run = 4 : i32}
// CHECK: %[[C:.*]] = eft.convert_layout %[[V]]
// CHECK: eft.reduce %[[C]] axis 1
func.func @columns(%x: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %y: !eft.ptr<f32>) {
  %i = eft.arange 0 to 64 : tensor<64xi32>
  %c64 = arith.constant dense<64> : tensor<64xi32>
  %r = arith.muli %i, %c64 : tensor<64xi32>
  %r2 = eft.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %r3 = eft.broadcast %r2 : tensor<64x1xi32> -> tensor<64x64xi32>
  %c2 = eft.expand_dims %r axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %c3 = eft.broadcast %c2 : tensor<1x64xi32> -> tensor<64x64xi32>
  %o = arith.addi %r3, %c3 : tensor<64x64xi32>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<64x64x!eft.ptr<f32>>
  %ps = eft.addptr %xs, %o : tensor<64x64x!eft.ptr<f32>>, tensor<64x64xi32>
  %v = eft.load %ps : tensor<64x64x!eft.ptr<f32>>
  %m = eft.reduce %v axis 1 : (tensor<64x64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    eft.yield %s : f32
  }
  %ys = eft.splat %y : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>>
  %qs = eft.addptr %ys, %i : tensor<64x!eft.ptr<f32>>, tensor<64xi32>
  eft.store %qs, %m : tensor<64x!eft.ptr<f32>>
  return
}

// A maximum is free of order. On a GPU, it is computed in the layout of the load, in the order that costs
// least in this layout. On a CPU, the columns are in separate vectors, so the usual order has no lanes' bits.
// CHECK-LABEL: @maxima_of_columns
// CHECK: %[[V:.*]] = eft.load %{{.*}} {run = 4 : i32}
// CHECK-NEXT: eft.reduce %[[V]] axis 1 order_free steps 1 tree [32, 16, 8, 4, 1, 2]
// CPU-LABEL: @maxima_of_columns
// CPU: eft.reduce %{{.*}} axis 1 order_free steps 1 tree [2, 1, 32, 16, 8, 4]
func.func @maxima_of_columns(%x: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %y: !eft.ptr<f32>) {
  %i = eft.arange 0 to 64 : tensor<64xi32>
  %c64 = arith.constant dense<64> : tensor<64xi32>
  %r = arith.muli %i, %c64 : tensor<64xi32>
  %r2 = eft.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %r3 = eft.broadcast %r2 : tensor<64x1xi32> -> tensor<64x64xi32>
  %c2 = eft.expand_dims %r axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %c3 = eft.broadcast %c2 : tensor<1x64xi32> -> tensor<64x64xi32>
  %o = arith.addi %r3, %c3 : tensor<64x64xi32>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<64x64x!eft.ptr<f32>>
  %ps = eft.addptr %xs, %o : tensor<64x64x!eft.ptr<f32>>, tensor<64x64xi32>
  %v = eft.load %ps : tensor<64x64x!eft.ptr<f32>>
  %m = eft.reduce %v axis 1 order_free : (tensor<64x64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.maximumf %a, %b : f32
    eft.yield %s : f32
  }
  %ys = eft.splat %y : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>>
  %qs = eft.addptr %ys, %i : tensor<64x!eft.ptr<f32>>, tensor<64xi32>
  eft.store %qs, %m : tensor<64x!eft.ptr<f32>>
  return
}

// A loop carries the sums in the anchor of the reduction.
// CHECK-LABEL: @carried_sums
// CHECK: scf.for {{.*}} -> (tensor<8xf32, #[[S:layout[0-9]*]]>)
// CHECK: eft.reduce {{.*}} -> tensor<8xf32, #[[S]]>
// CHECK: scf.yield
// CHECK: eft.convert_layout
func.func @carried_sums(%x: f32, %y: !eft.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<8xf32>
  %v = eft.splat %x : f32 -> tensor<8x128xf32>
  %sums = scf.for %k = %zero to %n step %one iter_args(%sum = %none) -> (tensor<8xf32>) : i32 {
    %m = eft.reduce %v axis 1 : (tensor<8x128xf32>) -> tensor<8xf32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      eft.yield %s : f32
    }
    %next = arith.addf %sum, %m : tensor<8xf32>
    scf.yield %next : tensor<8xf32>
  }
  %i = eft.arange 0 to 8 : tensor<8xi32>
  %ys = eft.splat %y : !eft.ptr<f32> -> tensor<8x!eft.ptr<f32>>
  %qs = eft.addptr %ys, %i : tensor<8x!eft.ptr<f32>>, tensor<8xi32>
  eft.store %qs, %sums : tensor<8x!eft.ptr<f32>>
  return
}

// Rows of f16, of which only the maximum is taken, in any order: a thread holds the eight elements of
// an access, and 16 lanes hold a row.
// CHECK-LABEL: @maxima_of_narrow_rows
// CHECK: eft.load %{{.*}} {run = 8 : i32}
// CHECK-NOT: eft.convert_layout
// CHECK: eft.reduce %{{.*}} axis 1 order_free steps 1 tree [4, 2, 1, 64, 32, 16, 8]
// On a CPU, the eight vectors of a row are combined before the sixteen lanes of one.
// CPU: eft.reduce %{{.*}} axis 1 order_free steps 1 tree [64, 32, 16, 2, 1, 8, 4]
func.func @maxima_of_narrow_rows(%p: !eft.ptr<f16> {eft.divisibility = 16 : i32},
                                 %q: !eft.ptr<f32>) {
  %rows = eft.arange 0 to 32 : tensor<32xi32>
  %row = eft.expand_dims %rows axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %length = arith.constant dense<128> : tensor<32x1xi32>
  %start = arith.muli %row, %length : tensor<32x1xi32>
  %starts = eft.broadcast %start : tensor<32x1xi32> -> tensor<32x128xi32>
  %columns = eft.arange 0 to 128 : tensor<128xi32>
  %column = eft.expand_dims %columns axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %all = eft.broadcast %column : tensor<1x128xi32> -> tensor<32x128xi32>
  %i = arith.addi %starts, %all : tensor<32x128xi32>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<32x128x!eft.ptr<f16>>
  %pi = eft.addptr %ps, %i : tensor<32x128x!eft.ptr<f16>>, tensor<32x128xi32>
  %narrow = eft.load %pi : tensor<32x128x!eft.ptr<f16>>
  %x = arith.extf %narrow : tensor<32x128xf16> to tensor<32x128xf32>
  %m = eft.reduce %x axis 1 order_free : (tensor<32x128xf32>) -> tensor<32xf32> {
  ^bb0(%a: f32, %b: f32):
    %max = arith.maximumf %a, %b : f32
    eft.yield %max : f32
  }
  %qs = eft.splat %q : !eft.ptr<f32> -> tensor<32x!eft.ptr<f32>>
  %qi = eft.addptr %qs, %rows : tensor<32x!eft.ptr<f32>>, tensor<32xi32>
  eft.store %qi, %m : tensor<32x!eft.ptr<f32>>
  return
}
