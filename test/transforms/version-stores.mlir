// RUN: eft-opt %s -split-input-file -eft-version-stores -canonicalize -cse | FileCheck %s

// Iteration k loads 16 rows of 16 numbers from %x on and stores as many from %y on, so all
// iterations together access n times 1024 bytes. k times 256 must not wrap around.
// CHECK-LABEL: @whole_rows
// CHECK-SAME: (%[[X:.*]]: !eft.ptr<f32>, %[[Y:.*]]: !eft.ptr<f32>, %[[N:.*]]: i32)
func.func @whole_rows(%x: !eft.ptr<f32>, %y: !eft.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c256 = arith.constant 256 : i32
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %first = arith.constant dense<0.0> : tensor<16x16xf32>
  %i = eft.arange 0 to 16 : tensor<16xi32>
  %r = eft.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c = eft.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %r16 = arith.muli %r, %c16 : tensor<16x1xi32>
  %rs = eft.broadcast %r16 : tensor<16x1xi32> -> tensor<16x16xi32>
  %cs = eft.broadcast %c : tensor<1x16xi32> -> tensor<16x16xi32>
  %offsets = arith.addi %rs, %cs : tensor<16x16xi32>
  // CHECK-DAG: %[[WIDE:.*]] = arith.extsi %[[N]] : i32 to i64
  // CHECK-DAG: %[[LAST:.*]] = arith.addi %[[WIDE]], %c-1_i64 : i64
  // CHECK-DAG: %[[DISTANCE:.*]] = arith.muli %[[LAST]], %c1024_i64 : i64
  // CHECK-DAG: %[[SUM:.*]] = arith.addi %[[DISTANCE]], %c1024_i64 : i64
  // CHECK-DAG: %[[SIZE:.*]] = arith.maxsi %[[SUM]], %c0_i64 : i64
  // CHECK-DAG: %[[XB:.*]] = eft.cast_ptr %[[X]] : !eft.ptr<f32> -> i64
  // CHECK-DAG: %[[YB:.*]] = eft.cast_ptr %[[Y]] : !eft.ptr<f32> -> i64
  // CHECK-DAG: %[[XY:.*]] = arith.subi %[[YB]], %[[XB]] : i64
  // CHECK-DAG: %[[BEFORE:.*]] = arith.cmpi uge, %[[XY]], %[[SIZE]] : i64
  // CHECK-DAG: %[[YX:.*]] = arith.subi %[[XB]], %[[YB]] : i64
  // CHECK-DAG: %[[BEHIND:.*]] = arith.cmpi uge, %[[YX]], %[[SIZE]] : i64
  // CHECK-DAG: %[[APART:.*]] = arith.andi %[[BEFORE]], %[[BEHIND]] : i1
  // CHECK-DAG: %[[MOST:.*]] = arith.muli %[[LAST]], %c256_i64 : i64
  // CHECK-DAG: %[[FITS:.*]] = arith.cmpi sle, %[[MOST]], %c2147483647_i64 : i64
  // CHECK: %[[BOTH:.*]] = arith.andi %[[APART]], %[[FITS]] : i1
  // CHECK-NEXT: scf.if %[[BOTH]] {
  // CHECK: scf.for
  // CHECK: eft.dot
  // CHECK: } {eft.stores_apart}
  // CHECK: } else {
  // CHECK: scf.for
  // CHECK: eft.dot
  // CHECK-NOT: eft.stores_apart
  // CHECK: return
  scf.for %k = %zero to %n step %one : i32 {
    %base = arith.muli %k, %c256 : i32
    %ak = eft.addptr %x, %base : !eft.ptr<f32>, i32
    %as = eft.splat %ak : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %ap = eft.addptr %as, %offsets : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    %a = eft.load %ap : tensor<16x16x!eft.ptr<f32>>
    %d = eft.dot %a, %a, %first precision tf32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %yk = eft.addptr %y, %base : !eft.ptr<f32>, i32
    %ys = eft.splat %yk : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %yp = eft.addptr %ys, %offsets : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    eft.store %yp, %d : tensor<16x16x!eft.ptr<f32>>
  }
  return
}

// -----

// The mask 16 * k + r < n bounds the rows that the last iteration loads. A row has 64 bytes. The address
// contains 16 * k + r, multiplied by 64.
// CHECK-LABEL: @masked_rows
// CHECK-SAME: (%[[X:.*]]: !eft.ptr<f32>, %[[Y:.*]]: !eft.ptr<f32>, %[[N:.*]]: i32, %[[T:.*]]: i32)
func.func @masked_rows(%x: !eft.ptr<f32>, %y: !eft.ptr<f32>, %n: i32, %t: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c256 = arith.constant 256 : i32
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %first = arith.constant dense<0.0> : tensor<16x16xf32>
  %i = eft.arange 0 to 16 : tensor<16xi32>
  %r = eft.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c = eft.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %r16 = arith.muli %r, %c16 : tensor<16x1xi32>
  %rs = eft.broadcast %r16 : tensor<16x1xi32> -> tensor<16x16xi32>
  %cs = eft.broadcast %c : tensor<1x16xi32> -> tensor<16x16xi32>
  %offsets = arith.addi %rs, %cs : tensor<16x16xi32>
  %step = arith.constant 16 : i32
  %ns = eft.splat %n : i32 -> tensor<16x1xi32>
  // CHECK-DAG: %[[ROWS:.*]] = arith.extsi %[[N]] : i32 to i64
  // CHECK-DAG: %[[LAST:.*]] = arith.addi %[[ROWS]], %c-1_i64 : i64
  // CHECK-DAG: %[[MOST:.*]] = arith.minsi %{{.*}}, %[[LAST]] : i64
  // CHECK-DAG: arith.muli %[[MOST]], %c64_i64 : i64
  // CHECK: } {eft.stores_apart}
  scf.for %k = %zero to %t step %one : i32 {
    %base = arith.muli %k, %c256 : i32
    %row = arith.muli %k, %step : i32
    %rows = eft.splat %row : i32 -> tensor<16x1xi32>
    %number = arith.addi %rows, %r : tensor<16x1xi32>
    %below = arith.cmpi slt, %number, %ns : tensor<16x1xi32>
    %mask = eft.broadcast %below : tensor<16x1xi1> -> tensor<16x16xi1>
    %ak = eft.addptr %x, %base : !eft.ptr<f32>, i32
    %as = eft.splat %ak : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %ap = eft.addptr %as, %offsets : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    %a = eft.load %ap, mask %mask other %first : tensor<16x16x!eft.ptr<f32>>
    %d = eft.dot %a, %a, %first precision tf32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %yk = eft.addptr %y, %base : !eft.ptr<f32>, i32
    %ys = eft.splat %yk : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %yp = eft.addptr %ys, %offsets : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    eft.store %yp, %d, mask %mask : tensor<16x16x!eft.ptr<f32>>
  }
  return
}

// -----

// The loop carries the address. The store is in a conditional.
// CHECK-LABEL: @carried_address
// CHECK: scf.if
// CHECK: scf.for
// CHECK: } {eft.stores_apart}
func.func @carried_address(%x: !eft.ptr<f32>, %y: !eft.ptr<f32>, %n: i32, %stride: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c256 = arith.constant 256 : i32
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %first = arith.constant dense<0.0> : tensor<16x16xf32>
  %i = eft.arange 0 to 16 : tensor<16xi32>
  %r = eft.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c = eft.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %r16 = arith.muli %r, %c16 : tensor<16x1xi32>
  %rs = eft.broadcast %r16 : tensor<16x1xi32> -> tensor<16x16xi32>
  %cs = eft.broadcast %c : tensor<1x16xi32> -> tensor<16x16xi32>
  %offsets = arith.addi %rs, %cs : tensor<16x16xi32>
  %end = scf.for %k = %zero to %n step %one iter_args(%p = %x) -> (!eft.ptr<f32>) : i32 {
    %base = arith.muli %k, %c256 : i32
    %as = eft.splat %p : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %ap = eft.addptr %as, %offsets : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    %a = eft.load %ap : tensor<16x16x!eft.ptr<f32>>
    %d = eft.dot %a, %a, %first precision tf32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %yk = eft.addptr %y, %base : !eft.ptr<f32>, i32
    %ys = eft.splat %yk : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %yp = eft.addptr %ys, %offsets : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    %odd = arith.andi %k, %one : i32
    %isOdd = arith.cmpi eq, %odd, %one : i32
    scf.if %isOdd {
      eft.store %yp, %d : tensor<16x16x!eft.ptr<f32>>
    }
    %next = eft.addptr %p, %stride : !eft.ptr<f32>, i32
    scf.yield %next : !eft.ptr<f32>
  }
  return
}

// -----

// The number of blocks before that of iteration k is k / 2, but at most m. The greatest number is that of
// the last iteration.
// CHECK-LABEL: @quotient_and_minimum
// CHECK-SAME: (%{{.*}}: !eft.ptr<f32>, %{{.*}}: !eft.ptr<f32>, %[[N:.*]]: i32, %[[M:.*]]: i32)
func.func @quotient_and_minimum(%x: !eft.ptr<f32>, %y: !eft.ptr<f32>, %n: i32, %m: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c256 = arith.constant 256 : i32
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %first = arith.constant dense<0.0> : tensor<16x16xf32>
  %i = eft.arange 0 to 16 : tensor<16xi32>
  %r = eft.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c = eft.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %r16 = arith.muli %r, %c16 : tensor<16x1xi32>
  %rs = eft.broadcast %r16 : tensor<16x1xi32> -> tensor<16x16xi32>
  %cs = eft.broadcast %c : tensor<1x16xi32> -> tensor<16x16xi32>
  %offsets = arith.addi %rs, %cs : tensor<16x16xi32>
  %two = arith.constant 2 : i32
  // CHECK-DAG: %[[WIDE:.*]] = arith.extsi %[[N]] : i32 to i64
  // CHECK-DAG: %[[LAST:.*]] = arith.addi %[[WIDE]], %c-1_i64 : i64
  // CHECK-DAG: %[[HALF:.*]] = arith.divsi %[[LAST]], %c2_i64 : i64
  // CHECK-DAG: %[[BOUND:.*]] = arith.extsi %[[M]] : i32 to i64
  // CHECK-DAG: %[[MOST:.*]] = arith.minsi %[[HALF]], %[[BOUND]] : i64
  // CHECK-DAG: %[[LEAST:.*]] = arith.minsi %[[BOUND]], %c0_i64 : i64
  // CHECK-DAG: arith.muli %[[MOST]], %c1024_i64 : i64
  // CHECK-DAG: arith.muli %[[LEAST]], %c1024_i64 : i64
  // CHECK: eft.stores_apart
  scf.for %k = %zero to %n step %one : i32 {
    %half = arith.divsi %k, %two : i32
    %number = arith.minsi %half, %m : i32
    %base = arith.muli %number, %c256 : i32
    %ak = eft.addptr %x, %base : !eft.ptr<f32>, i32
    %as = eft.splat %ak : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %ap = eft.addptr %as, %offsets : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    %a = eft.load %ap : tensor<16x16x!eft.ptr<f32>>
    %d = eft.dot %a, %a, %first precision tf32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %yk = eft.addptr %y, %base : !eft.ptr<f32>, i32
    %ys = eft.splat %yk : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %yp = eft.addptr %ys, %offsets : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    eft.store %yp, %d : tensor<16x16x!eft.ptr<f32>>
  }
  return
}

// -----

// The loop carries the address, counts from 4 in steps of 2, and moves the address by a number that may be
// negative: the bounds are the minimum and the maximum of the two ends. It loads from the next address.
// CHECK-LABEL: @next_address
// CHECK-SAME: (%{{.*}}: !eft.ptr<f32>, %{{.*}}: !eft.ptr<f32>, %[[N:.*]]: i32, %[[STRIDE:.*]]: i32)
func.func @next_address(%x: !eft.ptr<f32>, %y: !eft.ptr<f32>, %n: i32, %stride: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c256 = arith.constant 256 : i32
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %first = arith.constant dense<0.0> : tensor<16x16xf32>
  %i = eft.arange 0 to 16 : tensor<16xi32>
  %r = eft.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c = eft.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %r16 = arith.muli %r, %c16 : tensor<16x1xi32>
  %rs = eft.broadcast %r16 : tensor<16x1xi32> -> tensor<16x16xi32>
  %cs = eft.broadcast %c : tensor<1x16xi32> -> tensor<16x16xi32>
  %offsets = arith.addi %rs, %cs : tensor<16x16xi32>
  %two = arith.constant 2 : i32
  %four = arith.constant 4 : i32
  // CHECK-DAG: %[[WIDE:.*]] = arith.extsi %[[N]] : i32 to i64
  // CHECK-DAG: %[[LAST:.*]] = arith.addi %[[WIDE]], %c-1_i64 : i64
  // CHECK-DAG: %[[NUMBER:.*]] = arith.extsi %[[STRIDE]] : i32 to i64
  // CHECK-DAG: %[[AT4:.*]] = arith.muli %[[NUMBER]], %c4_i64 : i64
  // CHECK-DAG: %[[ATLAST:.*]], %[[HIGH:.*]] = arith.mulsi_extended %[[LAST]], %[[NUMBER]] : i64
  // CHECK-DAG: %[[SIGN:.*]] = arith.shrsi %[[ATLAST]], %c63_i64 : i64
  // CHECK-DAG: arith.cmpi eq, %[[HIGH]], %[[SIGN]] : i64
  // CHECK-DAG: %[[LEAST:.*]] = arith.minsi %[[AT4]], %[[ATLAST]] : i64
  // CHECK-DAG: %[[MOST:.*]] = arith.maxsi %[[AT4]], %[[ATLAST]] : i64
  // CHECK-DAG: arith.muli %[[LEAST]], %c4_i64 : i64
  // CHECK-DAG: arith.muli %[[MOST]], %c4_i64 : i64
  // CHECK-DAG: arith.muli %[[NUMBER]], %c-8_i64 : i64
  // CHECK: eft.stores_apart
  %end = scf.for %k = %four to %n step %two iter_args(%p = %x) -> (!eft.ptr<f32>) : i32 {
    %base = arith.muli %k, %c256 : i32
    %next = eft.addptr %p, %stride : !eft.ptr<f32>, i32
    %again = eft.addptr %next, %stride : !eft.ptr<f32>, i32
    %as = eft.splat %again : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %ap = eft.addptr %as, %offsets : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    %a = eft.load %ap : tensor<16x16x!eft.ptr<f32>>
    %d = eft.dot %a, %a, %first precision tf32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %yk = eft.addptr %y, %base : !eft.ptr<f32>, i32
    %ys = eft.splat %yk : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %yp = eft.addptr %ys, %offsets : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    eft.store %yp, %d : tensor<16x16x!eft.ptr<f32>>
    scf.yield %again : !eft.ptr<f32>
  }
  return
}

// -----

// An unsigned comparison bounds a number from below, too, unless the bound is negative as a signed number.
// CHECK-LABEL: @unsigned_mask
// CHECK-SAME: (%{{.*}}: !eft.ptr<f32>, %{{.*}}: !eft.ptr<f32>, %[[N:.*]]: i32, %[[ROWS:.*]]: i32, %[[FIRST:.*]]: i32)
func.func @unsigned_mask(%x: !eft.ptr<f32>, %y: !eft.ptr<f32>, %n: i32, %rows: i32, %from: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c256 = arith.constant 256 : i32
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %first = arith.constant dense<0.0> : tensor<16x16xf32>
  %i = eft.arange 0 to 16 : tensor<16xi32>
  %r = eft.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c = eft.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %r16 = arith.muli %r, %c16 : tensor<16x1xi32>
  %rs = eft.broadcast %r16 : tensor<16x1xi32> -> tensor<16x16xi32>
  %cs = eft.broadcast %c : tensor<1x16xi32> -> tensor<16x16xi32>
  %offsets = arith.addi %rs, %cs : tensor<16x16xi32>
  %step = arith.constant 16 : i32
  %bound = eft.splat %rows : i32 -> tensor<16x1xi32>
  // CHECK-DAG: %[[R:.*]] = arith.extsi %[[ROWS]] : i32 to i64
  // CHECK-DAG: %[[F:.*]] = arith.extsi %[[FIRST]] : i32 to i64
  // CHECK-DAG: %[[MINUS:.*]] = arith.muli %[[F]], %c-1_i64 : i64
  // CHECK-DAG: arith.maxsi %[[MINUS]], %c0_i64 : i64
  // CHECK-DAG: arith.cmpi sge, %[[R]], %c0_i64 : i64
  // CHECK: eft.stores_apart
  scf.for %k = %zero to %n step %one : i32 {
    %row = arith.muli %k, %step : i32
    %start = arith.addi %row, %from : i32
    %starts = eft.splat %start : i32 -> tensor<16x1xi32>
    %number = arith.addi %starts, %r : tensor<16x1xi32>
    %below = arith.cmpi ult, %number, %bound : tensor<16x1xi32>
    %mask = eft.broadcast %below : tensor<16x1xi1> -> tensor<16x16xi1>
    %columns = arith.muli %number, %c16 : tensor<16x1xi32>
    %wide = eft.broadcast %columns : tensor<16x1xi32> -> tensor<16x16xi32>
    %all = arith.addi %wide, %cs : tensor<16x16xi32>
    %as = eft.splat %x : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %ap = eft.addptr %as, %all : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    %a = eft.load %ap, mask %mask other %first : tensor<16x16x!eft.ptr<f32>>
    %d = eft.dot %a, %a, %first precision tf32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %ys = eft.splat %y : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %yp = eft.addptr %ys, %all : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    eft.store %yp, %d, mask %mask : tensor<16x16x!eft.ptr<f32>>
  }
  return
}

// -----

// The factor of the range is 2 to the power of 63, modulo 2 to the power of 64, and its range can't be
// computed. The mask has the factor -1.
// CHECK-LABEL: @least_factor
// CHECK-NOT: eft.stores_apart
// CHECK: return
func.func @least_factor(%x: !eft.ptr<f64>, %y: !eft.ptr<f32>, %z: !eft.ptr<f32>, %n: i32, %m: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c256 = arith.constant 256 : i32
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %first = arith.constant dense<0.0> : tensor<16x16xf32>
  %i = eft.arange 0 to 16 : tensor<16xi32>
  %r = eft.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c = eft.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %r16 = arith.muli %r, %c16 : tensor<16x1xi32>
  %rs = eft.broadcast %r16 : tensor<16x1xi32> -> tensor<16x16xi32>
  %cs = eft.broadcast %c : tensor<1x16xi32> -> tensor<16x16xi32>
  %offsets = arith.addi %rs, %cs : tensor<16x16xi32>
  %big = arith.constant dense<1152921504606846976> : tensor<16xi64>
  %neg = arith.constant dense<-1> : tensor<16xi32>
  %ms = eft.splat %m : i32 -> tensor<16xi32>
  %minus = arith.muli %i, %neg : tensor<16xi32>
  %mask = arith.cmpi slt, %minus, %ms : tensor<16xi32>
  %wide = arith.extsi %i : tensor<16xi32> to tensor<16xi64>
  %far = arith.muli %wide, %big : tensor<16xi64>
  %xs = eft.splat %x : !eft.ptr<f64> -> tensor<16x!eft.ptr<f64>>
  %xp = eft.addptr %xs, %far : tensor<16x!eft.ptr<f64>>, tensor<16xi64>
  scf.for %k = %zero to %n step %one : i32 {
    %base = arith.muli %k, %c256 : i32
    %v = eft.load %xp, mask %mask : tensor<16x!eft.ptr<f64>>
    %ak = eft.addptr %z, %base : !eft.ptr<f32>, i32
    %as = eft.splat %ak : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %ap = eft.addptr %as, %offsets : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    %a = eft.load %ap : tensor<16x16x!eft.ptr<f32>>
    %d = eft.dot %a, %a, %first precision tf32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %yk = eft.addptr %y, %base : !eft.ptr<f32>, i32
    %ys = eft.splat %yk : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %yp = eft.addptr %ys, %offsets : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    eft.store %yp, %d : tensor<16x16x!eft.ptr<f32>>
  }
  return
}

// -----

// Each iteration squares a number that the loop does not change. The pass looks at each square once.
// CHECK-LABEL: @squares
// CHECK: eft.stores_apart
func.func @squares(%x: !eft.ptr<f32>, %y: !eft.ptr<f32>, %n: i32, %m: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c256 = arith.constant 256 : i32
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %first = arith.constant dense<0.0> : tensor<16x16xf32>
  %i = eft.arange 0 to 16 : tensor<16xi32>
  %r = eft.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c = eft.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %r16 = arith.muli %r, %c16 : tensor<16x1xi32>
  %rs = eft.broadcast %r16 : tensor<16x1xi32> -> tensor<16x16xi32>
  %cs = eft.broadcast %c : tensor<1x16xi32> -> tensor<16x16xi32>
  %offsets = arith.addi %rs, %cs : tensor<16x16xi32>
  scf.for %k = %zero to %n step %one : i32 {
    %q0 = arith.muli %m, %m : i32
    %q1 = arith.muli %q0, %q0 : i32
    %q2 = arith.muli %q1, %q1 : i32
    %q3 = arith.muli %q2, %q2 : i32
    %q4 = arith.muli %q3, %q3 : i32
    %q5 = arith.muli %q4, %q4 : i32
    %q6 = arith.muli %q5, %q5 : i32
    %q7 = arith.muli %q6, %q6 : i32
    %q8 = arith.muli %q7, %q7 : i32
    %q9 = arith.muli %q8, %q8 : i32
    %q10 = arith.muli %q9, %q9 : i32
    %q11 = arith.muli %q10, %q10 : i32
    %q12 = arith.muli %q11, %q11 : i32
    %q13 = arith.muli %q12, %q12 : i32
    %q14 = arith.muli %q13, %q13 : i32
    %q15 = arith.muli %q14, %q14 : i32
    %q16 = arith.muli %q15, %q15 : i32
    %q17 = arith.muli %q16, %q16 : i32
    %q18 = arith.muli %q17, %q17 : i32
    %q19 = arith.muli %q18, %q18 : i32
    %q20 = arith.muli %q19, %q19 : i32
    %q21 = arith.muli %q20, %q20 : i32
    %q22 = arith.muli %q21, %q21 : i32
    %q23 = arith.muli %q22, %q22 : i32
    %q24 = arith.muli %q23, %q23 : i32
    %q25 = arith.muli %q24, %q24 : i32
    %q26 = arith.muli %q25, %q25 : i32
    %q27 = arith.muli %q26, %q26 : i32
    %q28 = arith.muli %q27, %q27 : i32
    %q29 = arith.muli %q28, %q28 : i32
    %q30 = arith.muli %q29, %q29 : i32
    %q31 = arith.muli %q30, %q30 : i32
    %q32 = arith.muli %q31, %q31 : i32
    %q33 = arith.muli %q32, %q32 : i32
    %q34 = arith.muli %q33, %q33 : i32
    %q35 = arith.muli %q34, %q34 : i32
    %q36 = arith.muli %q35, %q35 : i32
    %q37 = arith.muli %q36, %q36 : i32
    %q38 = arith.muli %q37, %q37 : i32
    %q39 = arith.muli %q38, %q38 : i32
    %q40 = arith.muli %q39, %q39 : i32
    %q41 = arith.muli %q40, %q40 : i32
    %q42 = arith.muli %q41, %q41 : i32
    %q43 = arith.muli %q42, %q42 : i32
    %q44 = arith.muli %q43, %q43 : i32
    %q45 = arith.muli %q44, %q44 : i32
    %q46 = arith.muli %q45, %q45 : i32
    %q47 = arith.muli %q46, %q46 : i32
    %base = arith.addi %k, %q47 : i32
    %ak = eft.addptr %x, %base : !eft.ptr<f32>, i32
    %as = eft.splat %ak : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %ap = eft.addptr %as, %offsets : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    %a = eft.load %ap : tensor<16x16x!eft.ptr<f32>>
    %d = eft.dot %a, %a, %first precision tf32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %yk = eft.addptr %y, %k : !eft.ptr<f32>, i32
    %ys = eft.splat %yk : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %yp = eft.addptr %ys, %offsets : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    eft.store %yp, %d : tensor<16x16x!eft.ptr<f32>>
  }
  return
}

// -----

// The range of the loads is not known, because the offset of their addresses is itself loaded.
// CHECK-LABEL: @loaded_offset
// CHECK-NOT: scf.if
// CHECK-NOT: eft.stores_apart
// CHECK: return
func.func @loaded_offset(%x: !eft.ptr<f32>, %y: !eft.ptr<f32>, %pages: !eft.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c256 = arith.constant 256 : i32
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %first = arith.constant dense<0.0> : tensor<16x16xf32>
  %i = eft.arange 0 to 16 : tensor<16xi32>
  %r = eft.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c = eft.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %r16 = arith.muli %r, %c16 : tensor<16x1xi32>
  %rs = eft.broadcast %r16 : tensor<16x1xi32> -> tensor<16x16xi32>
  %cs = eft.broadcast %c : tensor<1x16xi32> -> tensor<16x16xi32>
  %offsets = arith.addi %rs, %cs : tensor<16x16xi32>
  scf.for %k = %zero to %n step %one : i32 {
    %page = eft.addptr %pages, %k : !eft.ptr<i32>, i32
    %base = eft.load %page : !eft.ptr<i32>
    %ak = eft.addptr %x, %base : !eft.ptr<f32>, i32
    %as = eft.splat %ak : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %ap = eft.addptr %as, %offsets : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    %a = eft.load %ap : tensor<16x16x!eft.ptr<f32>>
    %d = eft.dot %a, %a, %first precision tf32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %yk = eft.addptr %y, %base : !eft.ptr<f32>, i32
    %ys = eft.splat %yk : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %yp = eft.addptr %ys, %offsets : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    eft.store %yp, %d : tensor<16x16x!eft.ptr<f32>>
  }
  return
}

// -----

// Each iteration stores what the next one loads.
// CHECK-LABEL: @one_array
// CHECK-NOT: scf.if
// CHECK-NOT: eft.stores_apart
// CHECK: return
func.func @one_array(%x: !eft.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c256 = arith.constant 256 : i32
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %first = arith.constant dense<0.0> : tensor<16x16xf32>
  %i = eft.arange 0 to 16 : tensor<16xi32>
  %r = eft.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c = eft.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %r16 = arith.muli %r, %c16 : tensor<16x1xi32>
  %rs = eft.broadcast %r16 : tensor<16x1xi32> -> tensor<16x16xi32>
  %cs = eft.broadcast %c : tensor<1x16xi32> -> tensor<16x16xi32>
  %offsets = arith.addi %rs, %cs : tensor<16x16xi32>
  scf.for %k = %zero to %n step %one : i32 {
    %base = arith.muli %k, %c256 : i32
    %after = arith.addi %base, %c256 : i32
    %ak = eft.addptr %x, %base : !eft.ptr<f32>, i32
    %as = eft.splat %ak : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %ap = eft.addptr %as, %offsets : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    %a = eft.load %ap : tensor<16x16x!eft.ptr<f32>>
    %d = eft.dot %a, %a, %first precision tf32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %yk = eft.addptr %x, %after : !eft.ptr<f32>, i32
    %ys = eft.splat %yk : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %yp = eft.addptr %ys, %offsets : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    eft.store %yp, %d : tensor<16x16x!eft.ptr<f32>>
  }
  return
}

// -----

// Loads may not be moved across atomic operations.
// CHECK-LABEL: @atomics
// CHECK-NOT: scf.if
// CHECK-NOT: eft.stores_apart
// CHECK: return
func.func @atomics(%x: !eft.ptr<f32>, %y: !eft.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c256 = arith.constant 256 : i32
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %first = arith.constant dense<0.0> : tensor<16x16xf32>
  %i = eft.arange 0 to 16 : tensor<16xi32>
  %r = eft.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c = eft.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %r16 = arith.muli %r, %c16 : tensor<16x1xi32>
  %rs = eft.broadcast %r16 : tensor<16x1xi32> -> tensor<16x16xi32>
  %cs = eft.broadcast %c : tensor<1x16xi32> -> tensor<16x16xi32>
  %offsets = arith.addi %rs, %cs : tensor<16x16xi32>
  scf.for %k = %zero to %n step %one : i32 {
    %base = arith.muli %k, %c256 : i32
    %ak = eft.addptr %x, %base : !eft.ptr<f32>, i32
    %as = eft.splat %ak : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %ap = eft.addptr %as, %offsets : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    %a = eft.load %ap : tensor<16x16x!eft.ptr<f32>>
    %d = eft.dot %a, %a, %first precision tf32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %yk = eft.addptr %y, %base : !eft.ptr<f32>, i32
    %ys = eft.splat %yk : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %yp = eft.addptr %ys, %offsets : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    %old = eft.atomic_rmw fadd relaxed gpu %yp, %d : tensor<16x16x!eft.ptr<f32>>
  }
  return
}

// -----

// The loads of a loop without a product run ahead only if the kernel asks for stages.
// CHECK-LABEL: @no_product
// CHECK: scf.for
// CHECK-NOT: eft.stores_apart
// CHECK: scf.if
// CHECK: } {eft.num_stages = 2 : i32, eft.stores_apart}
// CHECK: } {eft.num_stages = 2 : i32}
// CHECK: return
func.func @no_product(%x: !eft.ptr<f32>, %y: !eft.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c256 = arith.constant 256 : i32
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %i = eft.arange 0 to 16 : tensor<16xi32>
  %r = eft.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c = eft.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %r16 = arith.muli %r, %c16 : tensor<16x1xi32>
  %rs = eft.broadcast %r16 : tensor<16x1xi32> -> tensor<16x16xi32>
  %cs = eft.broadcast %c : tensor<1x16xi32> -> tensor<16x16xi32>
  %offsets = arith.addi %rs, %cs : tensor<16x16xi32>
  scf.for %k = %zero to %n step %one : i32 {
    %base = arith.muli %k, %c256 : i32
    %ak = eft.addptr %x, %base : !eft.ptr<f32>, i32
    %as = eft.splat %ak : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %ap = eft.addptr %as, %offsets : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    %a = eft.load %ap : tensor<16x16x!eft.ptr<f32>>
    %d = arith.addf %a, %a : tensor<16x16xf32>
    %yk = eft.addptr %y, %base : !eft.ptr<f32>, i32
    %ys = eft.splat %yk : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %yp = eft.addptr %ys, %offsets : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    eft.store %yp, %d : tensor<16x16x!eft.ptr<f32>>
  }
  scf.for %k = %zero to %n step %one : i32 {
    %base = arith.muli %k, %c256 : i32
    %ak = eft.addptr %x, %base : !eft.ptr<f32>, i32
    %as = eft.splat %ak : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %ap = eft.addptr %as, %offsets : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    %a = eft.load %ap : tensor<16x16x!eft.ptr<f32>>
    %d = arith.addf %a, %a : tensor<16x16xf32>
    %yk = eft.addptr %y, %base : !eft.ptr<f32>, i32
    %ys = eft.splat %yk : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %yp = eft.addptr %ys, %offsets : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    eft.store %yp, %d : tensor<16x16x!eft.ptr<f32>>
  } {eft.num_stages = 2 : i32}
  return
}

// -----

// A barrier orders the loads and stores around it.
// CHECK-LABEL: @barrier
// CHECK-NOT: scf.if
// CHECK-NOT: eft.stores_apart
// CHECK: return
func.func @barrier(%x: !eft.ptr<f32>, %y: !eft.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c256 = arith.constant 256 : i32
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %first = arith.constant dense<0.0> : tensor<16x16xf32>
  %i = eft.arange 0 to 16 : tensor<16xi32>
  %r = eft.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c = eft.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %r16 = arith.muli %r, %c16 : tensor<16x1xi32>
  %rs = eft.broadcast %r16 : tensor<16x1xi32> -> tensor<16x16xi32>
  %cs = eft.broadcast %c : tensor<1x16xi32> -> tensor<16x16xi32>
  %offsets = arith.addi %rs, %cs : tensor<16x16xi32>
  scf.for %k = %zero to %n step %one : i32 {
    %base = arith.muli %k, %c256 : i32
    %ak = eft.addptr %x, %base : !eft.ptr<f32>, i32
    %as = eft.splat %ak : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %ap = eft.addptr %as, %offsets : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    %a = eft.load %ap : tensor<16x16x!eft.ptr<f32>>
    %d = eft.dot %a, %a, %first precision tf32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    eft.barrier
    %yk = eft.addptr %y, %base : !eft.ptr<f32>, i32
    %ys = eft.splat %yk : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %yp = eft.addptr %ys, %offsets : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    eft.store %yp, %d : tensor<16x16x!eft.ptr<f32>>
  }
  return
}

// -----

// A volatile load waits for what other programs write.
// CHECK-LABEL: @volatile_load
// CHECK-NOT: scf.if
// CHECK-NOT: eft.stores_apart
// CHECK: return
func.func @volatile_load(%x: !eft.ptr<f32>, %y: !eft.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c256 = arith.constant 256 : i32
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %first = arith.constant dense<0.0> : tensor<16x16xf32>
  %i = eft.arange 0 to 16 : tensor<16xi32>
  %r = eft.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c = eft.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %r16 = arith.muli %r, %c16 : tensor<16x1xi32>
  %rs = eft.broadcast %r16 : tensor<16x1xi32> -> tensor<16x16xi32>
  %cs = eft.broadcast %c : tensor<1x16xi32> -> tensor<16x16xi32>
  %offsets = arith.addi %rs, %cs : tensor<16x16xi32>
  scf.for %k = %zero to %n step %one : i32 {
    %base = arith.muli %k, %c256 : i32
    %ak = eft.addptr %x, %base : !eft.ptr<f32>, i32
    %as = eft.splat %ak : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %ap = eft.addptr %as, %offsets : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    %a = eft.load %ap : tensor<16x16x!eft.ptr<f32>>
    %d = eft.dot %a, %a, %first precision tf32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %flag = eft.load %y volatile : !eft.ptr<f32>
    %yk = eft.addptr %y, %base : !eft.ptr<f32>, i32
    %ys = eft.splat %yk : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %yp = eft.addptr %ys, %offsets : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    eft.store %yp, %d : tensor<16x16x!eft.ptr<f32>>
  }
  return
}
