// RUN: eft-opt %s -split-input-file -eft-version-loops -canonicalize -cse | FileCheck %s

// The address and the row stride of the matrix come from memory. The address of the first block is
// computed from them before the loop. So it is computed again in the version with hints.
// CHECK-LABEL: @loaded_address
func.func @loaded_address(%table: !eft.ptr<i64>, %distances: !eft.ptr<i32>, %n: i32) -> tensor<16x16xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %first = arith.constant dense<0.0> : tensor<16x16xf32>
  // CHECK: %[[ADDRESS:.*]] = eft.load %{{.*}} : !eft.ptr<i64>
  // CHECK: %[[DISTANCE:.*]] = eft.load %{{.*}} : !eft.ptr<i32>
  %address = eft.load %table : !eft.ptr<i64>
  %distance = eft.load %distances : !eft.ptr<i32>
  %x = eft.cast_ptr %address : i64 -> !eft.ptr<f16>
  %i = eft.arange 0 to 16 : tensor<16xi32>
  %r = eft.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c = eft.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %ds = eft.splat %distance : i32 -> tensor<16x1xi32>
  %rows = arith.muli %r, %ds : tensor<16x1xi32>
  %rs = eft.broadcast %rows : tensor<16x1xi32> -> tensor<16x16xi32>
  %cs = eft.broadcast %c : tensor<1x16xi32> -> tensor<16x16xi32>
  %xs = eft.splat %x : !eft.ptr<f16> -> tensor<16x16x!eft.ptr<f16>>
  %xr = eft.addptr %xs, %rs : tensor<16x16x!eft.ptr<f16>>, tensor<16x16xi32>
  %p = eft.addptr %xr, %cs : tensor<16x16x!eft.ptr<f16>>, tensor<16x16xi32>
  // CHECK-DAG: %[[A:.*]] = arith.andi %[[ADDRESS]], %c15_i64 : i64
  // CHECK-DAG: %[[A0:.*]] = arith.cmpi eq, %[[A]], %c0_i64 : i64
  // CHECK-DAG: %[[D:.*]] = arith.andi %[[DISTANCE]], %c7_i32 : i32
  // CHECK-DAG: %[[D0:.*]] = arith.cmpi eq, %[[D]], %c0_i32 : i32
  // CHECK: %[[BOTH:.*]] = arith.andi %[[D0]], %[[A0]] : i1
  // CHECK: %[[RESULT:.*]] = scf.if %[[BOTH]] -> (tensor<16x16xf32>) {
  // CHECK-DAG: %[[HA:.*]] = eft.hint %[[ADDRESS]] divisibility [16] : i64
  // CHECK-DAG: %[[HD:.*]] = eft.hint %[[DISTANCE]] divisibility [8] : i32
  // CHECK-DAG: eft.cast_ptr %[[HA]]
  // CHECK-DAG: eft.splat %[[HD]]
  // CHECK: scf.for
  // CHECK: eft.dot
  // CHECK: } else {
  // CHECK-NOT: eft.hint
  // CHECK: scf.for
  // CHECK: eft.dot
  // CHECK: return %[[RESULT]]
  %sums = scf.for %k = %zero to %n step %one iter_args(%sum = %first) -> (tensor<16x16xf32>) : i32 {
    %offset = arith.muli %k, %distance : i32
    %os = eft.splat %offset : i32 -> tensor<16x16xi32>
    %q = eft.addptr %p, %os : tensor<16x16x!eft.ptr<f16>>, tensor<16x16xi32>
    %a = eft.load %q : tensor<16x16x!eft.ptr<f16>>
    %next = eft.dot %a, %a, %sum precision ieee
        : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  return %sums : tensor<16x16xf32>
}

// -----

// Both versions include the loop over tiles, because the address is loaded before it.
// CHECK-LABEL: @loop_over_tiles
// CHECK: scf.for
// CHECK: %[[ADDRESS:.*]] = eft.load %{{.*}} : !eft.ptr<i64>
// CHECK: scf.if
// CHECK: eft.hint %[[ADDRESS]] divisibility [16]
// CHECK: scf.for
// CHECK: scf.for
// CHECK: } else {
// CHECK: scf.for
// CHECK: scf.for
func.func @loop_over_tiles(%table: !eft.ptr<i64>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %first = arith.constant dense<0.0> : tensor<16x16xf32>
  scf.for %g = %zero to %n step %one : i32 {
    %address = eft.load %table : !eft.ptr<i64>
    %x = eft.cast_ptr %address : i64 -> !eft.ptr<f32>
    scf.for %t = %zero to %n step %one : i32 {
      %j = eft.arange 0 to 16 : tensor<16xi32>
      %c = eft.expand_dims %j axis 0 : tensor<16xi32> -> tensor<1x16xi32>
      %cs = eft.broadcast %c : tensor<1x16xi32> -> tensor<16x16xi32>
      %xs = eft.splat %x : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
      %p = eft.addptr %xs, %cs : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
      %sums = scf.for %k = %zero to %n step %one iter_args(%sum = %first) -> (tensor<16x16xf32>) : i32 {
        %a = eft.load %p : tensor<16x16x!eft.ptr<f32>>
        %next = eft.dot %a, %a, %sum precision tf32
            : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
        scf.yield %next : tensor<16x16xf32>
      }
      eft.store %p, %sums : tensor<16x16x!eft.ptr<f32>>
    }
  }
  return
}

// -----

// There is no second version for an address with a hint, for an address that the loop loads, or for
// a loop without a product.
// CHECK-LABEL: @other_loops
// CHECK-NOT: scf.if
func.func @other_loops(%table: !eft.ptr<i64>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %first = arith.constant dense<0.0> : tensor<16x16xf32>
  %j = eft.arange 0 to 16 : tensor<16xi32>
  %c = eft.expand_dims %j axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %cs = eft.broadcast %c : tensor<1x16xi32> -> tensor<16x16xi32>
  %address = eft.load %table : !eft.ptr<i64>
  %x = eft.cast_ptr %address : i64 -> !eft.ptr<f32>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
  %p = eft.addptr %xs, %cs : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
  %h = eft.hint %p divisibility [16, 16] : tensor<16x16x!eft.ptr<f32>>
  %s:2 = scf.for %k = %zero to %n step %one iter_args(%sum = %first, %other = %first) -> (tensor<16x16xf32>, tensor<16x16xf32>) : i32 {
    %a = eft.load %h : tensor<16x16x!eft.ptr<f32>>
    %next = eft.dot %a, %a, %sum precision tf32
        : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %inner = eft.load %table : !eft.ptr<i64>
    %y = eft.cast_ptr %inner : i64 -> !eft.ptr<f32>
    %ys = eft.splat %y : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %q = eft.addptr %ys, %cs : tensor<16x16x!eft.ptr<f32>>, tensor<16x16xi32>
    %b = eft.load %q : tensor<16x16x!eft.ptr<f32>>
    %next2 = eft.dot %b, %b, %other precision tf32
        : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    scf.yield %next, %next2 : tensor<16x16xf32>, tensor<16x16xf32>
  }
  %t = scf.for %k = %zero to %n step %one iter_args(%sum = %first) -> (tensor<16x16xf32>) : i32 {
    %a = eft.load %p : tensor<16x16x!eft.ptr<f32>>
    %next = arith.addf %a, %sum : tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  eft.store %h, %s#0 : tensor<16x16x!eft.ptr<f32>>
  eft.store %h, %s#1 : tensor<16x16x!eft.ptr<f32>>
  eft.store %h, %t : tensor<16x16x!eft.ptr<f32>>
  return
}
