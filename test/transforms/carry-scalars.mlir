// RUN: eft-opt %s -split-input-file -eft-carry-scalars -canonicalize | FileCheck %s

// CHECK-LABEL: @pointers_move_by_a_stride
// CHECK-SAME: %[[FIRST:.*]]: tensor<8x!eft.ptr<f32>>, %[[N:.*]]: i32, %[[STRIDE:.*]]: i32
func.func @pointers_move_by_a_stride(%first: tensor<8x!eft.ptr<f32>>, %n: i32, %stride: i32) -> tensor<8x!eft.ptr<f32>> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %s = eft.splat %stride : i32 -> tensor<8xi32>
  %four = arith.constant dense<4> : tensor<8xi64>
  // CHECK: %[[END:.*]] = scf.for %{{.*}} iter_args(%[[D:.*]] = %c0{{.*}}) -> (i64)
  // CHECK: %[[DS:.*]] = eft.splat %[[D]] : i64 -> tensor<8xi64>
  // CHECK: %[[P:.*]] = eft.addptr %[[FIRST]], %[[DS]]
  // CHECK: eft.load %[[P]]
  // CHECK: %[[WIDE:.*]] = arith.extsi %[[STRIDE]] : i32 to i64
  // CHECK: %[[D1:.*]] = arith.addi %[[D]], %[[WIDE]] : i64
  // CHECK: %[[D2:.*]] = arith.addi %[[D1]], %c4{{.*}} : i64
  // CHECK: scf.yield %[[D2]] : i64
  %end = scf.for %i = %zero to %n step %one iter_args(%p = %first) -> (tensor<8x!eft.ptr<f32>>) : i32 {
    %x = eft.load %p : tensor<8x!eft.ptr<f32>>
    eft.store %first, %x : tensor<8x!eft.ptr<f32>>
    %q = eft.addptr %p, %s : tensor<8x!eft.ptr<f32>>, tensor<8xi32>
    %r = eft.addptr %q, %four : tensor<8x!eft.ptr<f32>>, tensor<8xi64>
    scf.yield %r : tensor<8x!eft.ptr<f32>>
  }
  // CHECK: %[[ES:.*]] = eft.splat %[[END]] : i64 -> tensor<8xi64>
  // CHECK: %[[E:.*]] = eft.addptr %[[FIRST]], %[[ES]]
  // CHECK: return %[[E]]
  return %end : tensor<8x!eft.ptr<f32>>
}

// -----

// The sum of the steps that the loop carries instead of a block of integers has the integers' type,
// so it wraps around in the same way. Steps may be subtracted.
// CHECK-LABEL: @integers
func.func @integers(%first: tensor<8xi16>, %p: tensor<8x!eft.ptr<i16>>, %n: i32, %x: i16) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %xs = eft.splat %x : i16 -> tensor<8xi16>
  %three = arith.constant dense<3> : tensor<8xi16>
  // CHECK: scf.for %{{.*}} iter_args(%[[D:.*]] = %c0_i16) -> (i16)
  // CHECK: %[[LESS:.*]] = arith.subi %[[D]], %{{.*}} : i16
  // CHECK: %[[NEXT:.*]] = arith.addi %[[LESS]], %c3_i16 : i16
  // CHECK: scf.yield %[[NEXT]] : i16
  scf.for %i = %zero to %n step %one iter_args(%b = %first) -> (tensor<8xi16>) : i32 {
    eft.store %p, %b : tensor<8x!eft.ptr<i16>>
    %less = arith.subi %b, %xs : tensor<8xi16>
    %more = arith.addi %three, %less : tensor<8xi16>
    scf.yield %more : tensor<8xi16>
  }
  return
}

// -----

// The result of the inner loop is its initial block, moved. So the outer loop moves its block too.
// CHECK-LABEL: @nested
func.func @nested(%first: tensor<8xi32>, %p: tensor<8x!eft.ptr<i32>>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ones = arith.constant dense<1> : tensor<8xi32>
  // CHECK: scf.for {{.*}} -> (i32)
  // CHECK: scf.for {{.*}} -> (i32)
  // CHECK-NOT: tensor<8xi32>)
  scf.for %i = %zero to %n step %one iter_args(%a = %first) -> (tensor<8xi32>) : i32 {
    %c = scf.for %j = %zero to %i step %one iter_args(%b = %a) -> (tensor<8xi32>) : i32 {
      eft.store %p, %b : tensor<8x!eft.ptr<i32>>
      %next = arith.addi %b, %ones : tensor<8xi32>
      scf.yield %next : tensor<8xi32>
    }
    scf.yield %c : tensor<8xi32>
  }
  return
}

// -----

// The loop still carries these blocks: one with a step that differs between elements, one that is
// subtracted from a constant, one of floats, and two that swap places.
// CHECK-LABEL: @other_blocks
// CHECK: scf.for {{.*}} -> (tensor<8xi32>, tensor<8xi32>, tensor<8xf32>, tensor<8xi32>, tensor<8xi32>)
func.func @other_blocks(%b: tensor<8xi32>, %f: tensor<8xf32>, %n: i32) -> (tensor<8xi32>, tensor<8xi32>, tensor<8xf32>, tensor<8xi32>, tensor<8xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ones = arith.constant dense<1> : tensor<8xi32>
  %halves = arith.constant dense<0.5> : tensor<8xf32>
  %r = eft.arange 0 to 8 : tensor<8xi32>
  %all:5 = scf.for %i = %zero to %n step %one iter_args(%v = %b, %w = %b, %x = %f, %y = %b, %z = %r) -> (tensor<8xi32>, tensor<8xi32>, tensor<8xf32>, tensor<8xi32>, tensor<8xi32>) : i32 {
    %v1 = arith.addi %v, %r : tensor<8xi32>
    %w1 = arith.subi %ones, %w : tensor<8xi32>
    %x1 = arith.addf %x, %halves : tensor<8xf32>
    %y1 = arith.addi %z, %ones : tensor<8xi32>
    scf.yield %v1, %w1, %x1, %y1, %y : tensor<8xi32>, tensor<8xi32>, tensor<8xf32>, tensor<8xi32>, tensor<8xi32>
  }
  return %all#0, %all#1, %all#2, %all#3, %all#4 : tensor<8xi32>, tensor<8xi32>, tensor<8xf32>, tensor<8xi32>, tensor<8xi32>
}

// -----

// A hint on a carried block does not prevent the transform.
// CHECK-LABEL: @a_hint_on_the_way
// CHECK-SAME: %[[FIRST:.*]]: tensor<8x!eft.ptr<f32>>
func.func @a_hint_on_the_way(%first: tensor<8x!eft.ptr<f32>>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %four = arith.constant dense<4> : tensor<8xi64>
  // CHECK: scf.for %{{.*}} iter_args(%[[D:.*]] = %{{.*}}) -> (i64)
  // CHECK: %[[DS:.*]] = eft.splat %[[D]] : i64 -> tensor<8xi64>
  // CHECK: %[[P:.*]] = eft.addptr %[[FIRST]], %[[DS]]
  // CHECK: %[[H:.*]] = eft.hint %[[P]] divisibility [16]
  // CHECK: eft.load %[[H]]
  scf.for %i = %zero to %n step %one iter_args(%p = %first) -> (tensor<8x!eft.ptr<f32>>) : i32 {
    %h = eft.hint %p divisibility [16] : tensor<8x!eft.ptr<f32>>
    %x = eft.load %h : tensor<8x!eft.ptr<f32>>
    eft.store %first, %x : tensor<8x!eft.ptr<f32>>
    %next = eft.addptr %h, %four : tensor<8x!eft.ptr<f32>>, tensor<8xi64>
    scf.yield %next : tensor<8x!eft.ptr<f32>>
  }
  return
}
