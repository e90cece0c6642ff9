// RUN: eft-opt %s -pass-pipeline='builtin.module(eft-place{target=sm_80 num-warps=4}, func.func(eft-pipeline-copies{num-stages=2}))' | FileCheck %s

// The row numbers of the second factor are in a table. They are loaded one iteration before their copies
// begin, if that iteration exists. The copies use the numbers that the previous iteration has loaded.
// CHECK-LABEL: @rows_of_a_table
// CHECK: eft.load {{.*}}, mask %{{.*}} {{.*}}uniformRuns
// CHECK: eft.copy_async {{.*}} if
// CHECK: scf.for
// CHECK: eft.wait_copies
// CHECK: %[[DOWN:.*]] = eft.expand_dims %[[ROWS:arg[0-9]+]] axis 1
// CHECK: %[[BELOW:.*]] = eft.broadcast %[[DOWN]]
// CHECK: %[[SKIPPED:.*]] = arith.muli %[[BELOW]],
// CHECK: %[[OFFSET:.*]] = arith.addi %[[SKIPPED]],
// CHECK: %[[PLACE:.*]] = eft.addptr %{{.*}}, %[[OFFSET]]
// CHECK: eft.copy_async %[[PLACE]],
// CHECK: eft.commit_copies
// CHECK: %[[LEFT:.*]] = eft.splat %{{.*}} : i1 -> tensor<32xi1
// CHECK: %[[NEXT:.*]] = eft.load %{{.*}}, mask %[[LEFT]] {{.*}}uniformRuns{{.*}} : tensor<32x!eft.ptr<i32>
// CHECK: eft.dot
// CHECK: scf.yield {{.*}}%[[NEXT]]
func.func @rows_of_a_table(%p: !eft.ptr<f16> {eft.divisibility = 16 : i32}, %table: !eft.ptr<i32> {eft.divisibility = 16 : i32}, %out: !eft.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %none = arith.constant dense<0.0> : tensor<16x64xf32>
  %ones = arith.constant dense<1.0> : tensor<16x32xf16>
  %i = eft.arange 0 to 32 : tensor<32xi32>
  %j = eft.arange 0 to 64 : tensor<64xi32>
  %across = eft.expand_dims %j axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %columns = eft.broadcast %across : tensor<1x64xi32> -> tensor<32x64xi32>
  %width = arith.constant dense<64> : tensor<32x64xi32>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<32x64x!eft.ptr<f16>>
  %tables = eft.splat %table : !eft.ptr<i32> -> tensor<32x!eft.ptr<i32>>
  %r = scf.for %t = %zero to %n step %one iter_args(%acc = %none) -> (tensor<16x64xf32>) : i32 {
    %start = arith.muli %t, %c32 : i32
    %starts = eft.splat %start : i32 -> tensor<32xi32>
    %at = arith.addi %starts, %i : tensor<32xi32>
    %entries = eft.addptr %tables, %at : tensor<32x!eft.ptr<i32>>, tensor<32xi32>
    %rows = eft.load %entries : tensor<32x!eft.ptr<i32>>
    %down = eft.expand_dims %rows axis 1 : tensor<32xi32> -> tensor<32x1xi32>
    %below = eft.broadcast %down : tensor<32x1xi32> -> tensor<32x64xi32>
    %skipped = arith.muli %below, %width : tensor<32x64xi32>
    %offset = arith.addi %skipped, %columns : tensor<32x64xi32>
    %pb = eft.addptr %ps, %offset : tensor<32x64x!eft.ptr<f16>>, tensor<32x64xi32>
    %b = eft.load %pb : tensor<32x64x!eft.ptr<f16>>
    %d = eft.dot %ones, %b, %acc precision ieee : tensor<16x32xf16>, tensor<32x64xf16> -> tensor<16x64xf32>
    scf.yield %d : tensor<16x64xf32>
  }
  %outs = eft.splat %out : !eft.ptr<f32> -> tensor<16x64x!eft.ptr<f32>>
  eft.store %outs, %r : tensor<16x64x!eft.ptr<f32>>
  return
}

// The load from the table keeps its own mask, too.
// CHECK-LABEL: @masked_table
// CHECK: scf.for
// CHECK: %[[LEFT:.*]] = eft.splat %{{.*}} : i1 -> tensor<32xi1
// CHECK: %[[BOTH:.*]] = arith.andi %{{.*}}, %[[LEFT]] : tensor<32xi1
// CHECK: eft.load %{{.*}}, mask %[[BOTH]]
// CHECK: scf.yield
func.func @masked_table(%p: !eft.ptr<f16> {eft.divisibility = 16 : i32}, %table: !eft.ptr<i32> {eft.divisibility = 16 : i32}, %out: !eft.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %none = arith.constant dense<0.0> : tensor<16x64xf32>
  %ones = arith.constant dense<1.0> : tensor<16x32xf16>
  %i = eft.arange 0 to 32 : tensor<32xi32>
  %j = eft.arange 0 to 64 : tensor<64xi32>
  %across = eft.expand_dims %j axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %columns = eft.broadcast %across : tensor<1x64xi32> -> tensor<32x64xi32>
  %width = arith.constant dense<64> : tensor<32x64xi32>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<32x64x!eft.ptr<f16>>
  %tables = eft.splat %table : !eft.ptr<i32> -> tensor<32x!eft.ptr<i32>>
  %r = scf.for %t = %zero to %n step %one iter_args(%acc = %none) -> (tensor<16x64xf32>) : i32 {
    %start = arith.muli %t, %c32 : i32
    %starts = eft.splat %start : i32 -> tensor<32xi32>
    %at = arith.addi %starts, %i : tensor<32xi32>
    %count = eft.splat %n : i32 -> tensor<32xi32>
    %inside = arith.cmpi slt, %at, %count : tensor<32xi32>
    %entries = eft.addptr %tables, %at : tensor<32x!eft.ptr<i32>>, tensor<32xi32>
    %rows = eft.load %entries, mask %inside : tensor<32x!eft.ptr<i32>>
    %down = eft.expand_dims %rows axis 1 : tensor<32xi32> -> tensor<32x1xi32>
    %below = eft.broadcast %down : tensor<32x1xi32> -> tensor<32x64xi32>
    %skipped = arith.muli %below, %width : tensor<32x64xi32>
    %offset = arith.addi %skipped, %columns : tensor<32x64xi32>
    %pb = eft.addptr %ps, %offset : tensor<32x64x!eft.ptr<f16>>, tensor<32x64xi32>
    %b = eft.load %pb : tensor<32x64x!eft.ptr<f16>>
    %d = eft.dot %ones, %b, %acc precision ieee : tensor<16x32xf16>, tensor<32x64xf16> -> tensor<16x64xf32>
    scf.yield %d : tensor<16x64xf32>
  }
  %outs = eft.splat %out : !eft.ptr<f32> -> tensor<16x64x!eft.ptr<f32>>
  eft.store %outs, %r : tensor<16x64x!eft.ptr<f32>>
  return
}

// Another program may write this table meanwhile, so nothing runs earlier.
// CHECK-LABEL: @table_that_others_write
// CHECK-NOT: eft.copy_async
// CHECK: eft.load {{.*}} volatile
// CHECK-NOT: eft.copy_async
// CHECK: return
func.func @table_that_others_write(%p: !eft.ptr<f16> {eft.divisibility = 16 : i32}, %table: !eft.ptr<i32> {eft.divisibility = 16 : i32}, %out: !eft.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %none = arith.constant dense<0.0> : tensor<16x64xf32>
  %ones = arith.constant dense<1.0> : tensor<16x32xf16>
  %i = eft.arange 0 to 32 : tensor<32xi32>
  %j = eft.arange 0 to 64 : tensor<64xi32>
  %across = eft.expand_dims %j axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %columns = eft.broadcast %across : tensor<1x64xi32> -> tensor<32x64xi32>
  %width = arith.constant dense<64> : tensor<32x64xi32>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<32x64x!eft.ptr<f16>>
  %tables = eft.splat %table : !eft.ptr<i32> -> tensor<32x!eft.ptr<i32>>
  %r = scf.for %t = %zero to %n step %one iter_args(%acc = %none) -> (tensor<16x64xf32>) : i32 {
    %start = arith.muli %t, %c32 : i32
    %starts = eft.splat %start : i32 -> tensor<32xi32>
    %at = arith.addi %starts, %i : tensor<32xi32>
    %entries = eft.addptr %tables, %at : tensor<32x!eft.ptr<i32>>, tensor<32xi32>
    %rows = eft.load %entries volatile : tensor<32x!eft.ptr<i32>>
    %down = eft.expand_dims %rows axis 1 : tensor<32xi32> -> tensor<32x1xi32>
    %below = eft.broadcast %down : tensor<32x1xi32> -> tensor<32x64xi32>
    %skipped = arith.muli %below, %width : tensor<32x64xi32>
    %offset = arith.addi %skipped, %columns : tensor<32x64xi32>
    %pb = eft.addptr %ps, %offset : tensor<32x64x!eft.ptr<f16>>, tensor<32x64xi32>
    %b = eft.load %pb : tensor<32x64x!eft.ptr<f16>>
    %d = eft.dot %ones, %b, %acc precision ieee : tensor<16x32xf16>, tensor<32x64xf16> -> tensor<16x64xf32>
    scf.yield %d : tensor<16x64xf32>
  }
  %outs = eft.splat %out : !eft.ptr<f32> -> tensor<16x64x!eft.ptr<f32>>
  eft.store %outs, %r : tensor<16x64x!eft.ptr<f32>>
  return
}

// A scalar that each iteration needs is loaded one iteration before the copies. The loop carries it to the
// iteration that needs it.
// CHECK-LABEL: @scalar
// CHECK: %[[FIRST:.*]] = eft.load %{{.*}}, mask %{{.*}} {uniformRuns} : !eft.ptr<f32>
// CHECK: %[[SECOND:.*]] = eft.load %{{.*}}, mask %{{.*}} {uniformRuns} : !eft.ptr<f32>
// CHECK: scf.for {{.*}}%[[THIS:arg[0-9]+]] = %[[FIRST]], %[[AFTER:arg[0-9]+]] = %[[SECOND]])
// CHECK: %[[NEXT:.*]] = eft.load %{{.*}}, mask %{{.*}} {uniformRuns} : !eft.ptr<f32>
// CHECK: %[[SCALES:.*]] = eft.splat %[[THIS]] : f32
// CHECK: arith.mulf %{{.*}}, %[[SCALES]]
// CHECK: scf.yield {{.*}}, %[[AFTER]], %[[NEXT]] :
func.func @scalar(%p: !eft.ptr<f16> {eft.divisibility = 16 : i32}, %scales: !eft.ptr<f32>, %out: !eft.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c2048 = arith.constant 2048 : i32
  %none = arith.constant dense<0.0> : tensor<16x64xf32>
  %ones = arith.constant dense<1.0> : tensor<16x32xf16>
  %start = arith.constant 7.0 : f32
  %i = eft.arange 0 to 32 : tensor<32xi32>
  %j = eft.arange 0 to 64 : tensor<64xi32>
  %down = eft.expand_dims %i axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %across = eft.expand_dims %j axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %rows = eft.broadcast %down : tensor<32x1xi32> -> tensor<32x64xi32>
  %columns = eft.broadcast %across : tensor<1x64xi32> -> tensor<32x64xi32>
  %width = arith.constant dense<64> : tensor<32x64xi32>
  %skipped = arith.muli %rows, %width : tensor<32x64xi32>
  %offset = arith.addi %skipped, %columns : tensor<32x64xi32>
  %r = scf.for %t = %zero to %n step %one iter_args(%acc = %none) -> (tensor<16x64xf32>) : i32 {
    %base = arith.muli %t, %c2048 : i32
    %pt = eft.addptr %p, %base : !eft.ptr<f16>, i32
    %ps = eft.splat %pt : !eft.ptr<f16> -> tensor<32x64x!eft.ptr<f16>>
    %pb = eft.addptr %ps, %offset : tensor<32x64x!eft.ptr<f16>>, tensor<32x64xi32>
    %b = eft.load %pb : tensor<32x64x!eft.ptr<f16>>
    %at = eft.addptr %scales, %t : !eft.ptr<f32>, i32
    %scale = eft.load %at : !eft.ptr<f32>
    %ss = eft.splat %scale : f32 -> tensor<16x64xf32>
    %scaled = arith.mulf %acc, %ss : tensor<16x64xf32>
    %d = eft.dot %ones, %b, %scaled precision ieee : tensor<16x32xf16>, tensor<32x64xf16> -> tensor<16x64xf32>
    scf.yield %d : tensor<16x64xf32>
  }
  %outs = eft.splat %out : !eft.ptr<f32> -> tensor<16x64x!eft.ptr<f32>>
  eft.store %outs, %r : tensor<16x64x!eft.ptr<f32>>
  return
}

// If the loop yields the scalar, it is loaded in its own iteration: after the loop, its value must be that
// of the last iteration, or 7 if there was none.
// CHECK-LABEL: @yielded_scalar
// CHECK-NOT: eft.load {{.*}} : !eft.ptr<f32>
// CHECK: scf.for
// CHECK: eft.wait_copies
// CHECK: %[[SCALE:.*]] = eft.load %{{[^,]*}} : !eft.ptr<f32>
// CHECK: scf.yield {{.*}}%[[SCALE]]
func.func @yielded_scalar(%p: !eft.ptr<f16> {eft.divisibility = 16 : i32}, %scales: !eft.ptr<f32>, %out: !eft.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c2048 = arith.constant 2048 : i32
  %none = arith.constant dense<0.0> : tensor<16x64xf32>
  %ones = arith.constant dense<1.0> : tensor<16x32xf16>
  %start = arith.constant 7.0 : f32
  %i = eft.arange 0 to 32 : tensor<32xi32>
  %j = eft.arange 0 to 64 : tensor<64xi32>
  %down = eft.expand_dims %i axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %across = eft.expand_dims %j axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %rows = eft.broadcast %down : tensor<32x1xi32> -> tensor<32x64xi32>
  %columns = eft.broadcast %across : tensor<1x64xi32> -> tensor<32x64xi32>
  %width = arith.constant dense<64> : tensor<32x64xi32>
  %skipped = arith.muli %rows, %width : tensor<32x64xi32>
  %offset = arith.addi %skipped, %columns : tensor<32x64xi32>
  %r:2 = scf.for %t = %zero to %n step %one iter_args(%acc = %none, %last = %start) -> (tensor<16x64xf32>, f32) : i32 {
    %base = arith.muli %t, %c2048 : i32
    %pt = eft.addptr %p, %base : !eft.ptr<f16>, i32
    %ps = eft.splat %pt : !eft.ptr<f16> -> tensor<32x64x!eft.ptr<f16>>
    %pb = eft.addptr %ps, %offset : tensor<32x64x!eft.ptr<f16>>, tensor<32x64xi32>
    %b = eft.load %pb : tensor<32x64x!eft.ptr<f16>>
    %at = eft.addptr %scales, %t : !eft.ptr<f32>, i32
    %scale = eft.load %at : !eft.ptr<f32>
    %ss = eft.splat %scale : f32 -> tensor<16x64xf32>
    %scaled = arith.mulf %acc, %ss : tensor<16x64xf32>
    %d = eft.dot %ones, %b, %scaled precision ieee : tensor<16x32xf16>, tensor<32x64xf16> -> tensor<16x64xf32>
    scf.yield %d, %scale : tensor<16x64xf32>, f32
  }
  eft.store %out, %r#1 : !eft.ptr<f32>
  %one64 = arith.constant 64 : i32
  %more = eft.addptr %out, %one64 : !eft.ptr<f32>, i32
  %mores = eft.splat %more : !eft.ptr<f32> -> tensor<16x64x!eft.ptr<f32>>
  eft.store %mores, %r#0 : tensor<16x64x!eft.ptr<f32>>
  return
}
