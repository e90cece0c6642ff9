// RUN: eft-opt %s -split-input-file -eft-lower-to-gpu=num-warps=1 -canonicalize | FileCheck %s --check-prefix=GPU
// RUN: eft-opt %s -split-input-file -eft-lower-to-cpu -canonicalize | FileCheck %s --check-prefix=CPU

#layout = #eft.layout<register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = [], step = [[32]]>

// Each fragment is carried separately; a pointer is carried as an integer.
// GPU-LABEL: @loop
// GPU: scf.for %{{.*}} iter_args(%[[P:.*]] = %{{.*}}, %[[A0:.*]] = %{{.*}}, %[[A1:.*]] = %{{.*}}) -> (i64, f32, f32) : i32
// GPU: %[[S0:.*]] = arith.addf %[[A0]], %[[X:.*]] : f32
// GPU: %[[S1:.*]] = arith.addf %[[A1]], %[[X]] : f32
// GPU: %[[NEXT:.*]] = arith.addi %[[P]]
// GPU: scf.yield %[[NEXT]], %[[S0]], %[[S1]] : i64, f32, f32
// CPU-LABEL: @loop
// CPU: scf.for %{{.*}} -> (i64, vector<32xf32>, vector<32xf32>) : i32
// CPU: scf.yield %{{.*}} : i64, vector<32xf32>, vector<32xf32>
func.func @loop(%p: !eft.ptr<f32>, %q: !eft.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant dense<0.0> : tensor<64xf32, #layout>
  %end, %sum = scf.for %i = %zero to %n step %one iter_args(%at = %p, %a = %start) -> (!eft.ptr<f32>, tensor<64xf32, #layout>) : i32 {
    %x = eft.load %at : !eft.ptr<f32>
    %xs = eft.splat %x : f32 -> tensor<64xf32, #layout>
    %s = arith.addf %a, %xs : tensor<64xf32, #layout>
    %next = eft.addptr %at, %i : !eft.ptr<f32>, i32
    scf.yield %next, %s : !eft.ptr<f32>, tensor<64xf32, #layout>
  }
  %r = eft.arange 0 to 64 : tensor<64xi32, #layout>
  %qs = eft.splat %q : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>, #layout>
  %qi = eft.addptr %qs, %r : tensor<64x!eft.ptr<f32>, #layout>, tensor<64xi32, #layout>
  eft.store %qi, %sum : tensor<64x!eft.ptr<f32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = [], step = [[32]]>

// The results of both branches are split into fragments alike, masks too.
// GPU-LABEL: @conditional
// GPU: %[[R:.*]]:4 = scf.if %{{.*}} -> (i32, i32, i1, i1) {
// GPU: scf.yield %{{.*}} : i32, i32, i1, i1
// GPU: } else {
// GPU: scf.yield %{{.*}} : i32, i32, i1, i1
// GPU: scf.if %[[R]]#2
// CPU-LABEL: @conditional
// CPU: scf.if %{{.*}} -> (vector<32xi32>, vector<32xi32>, vector<32xi1>, vector<32xi1>) {
// CPU: } else {
// CPU: llvm.intr.masked.store %{{.*}} {alignment = 4 : i32}
func.func @conditional(%q: !eft.ptr<i32>, %c: i1, %n: i32) {
  %r = eft.arange 0 to 64 : tensor<64xi32, #layout>
  %ns = eft.splat %n : i32 -> tensor<64xi32, #layout>
  %value, %mask = scf.if %c -> (tensor<64xi32, #layout>, tensor<64xi1, #layout>) {
    %sum = arith.addi %r, %ns : tensor<64xi32, #layout>
    %all = arith.constant dense<true> : tensor<64xi1, #layout>
    scf.yield %sum, %all : tensor<64xi32, #layout>, tensor<64xi1, #layout>
  } else {
    %some = arith.cmpi slt, %r, %ns : tensor<64xi32, #layout>
    scf.yield %r, %some : tensor<64xi32, #layout>, tensor<64xi1, #layout>
  }
  %qs = eft.splat %q : !eft.ptr<i32> -> tensor<64x!eft.ptr<i32>, #layout>
  %qi = eft.addptr %qs, %r : tensor<64x!eft.ptr<i32>, #layout>, tensor<64xi32, #layout>
  eft.store %qi, %value, mask %mask {run = 32 : i32} : tensor<64x!eft.ptr<i32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = [], step = [[32]]>

// A loop with a condition has two regions; values that pass from one to the other are carried as
// fragments, too.
// GPU-LABEL: @while
// GPU: scf.while (%[[K:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (i32, i64, i64) -> (i32, i64, i64) {
// GPU: scf.condition(%{{.*}}) %[[K]], %{{.*}}, %{{.*}} : i32, i64, i64
// GPU: ^bb0(%{{.*}}: i32, %{{.*}}: i64, %{{.*}}: i64):
// GPU: scf.yield %{{.*}} : i32, i64, i64
// CPU-LABEL: @while
// CPU: scf.while {{.*}} : (i32, vector<32xi64>, vector<32xi64>) -> (i32, vector<32xi64>, vector<32xi64>) {
func.func @while(%q: !eft.ptr<i32>, %n: i32) {
  %r = eft.arange 0 to 64 : tensor<64xi32, #layout>
  %qs = eft.splat %q : !eft.ptr<i32> -> tensor<64x!eft.ptr<i32>, #layout>
  %zero = arith.constant 0 : i32
  %k, %end = scf.while (%i = %n, %at = %qs) : (i32, tensor<64x!eft.ptr<i32>, #layout>) -> (i32, tensor<64x!eft.ptr<i32>, #layout>) {
    %more = arith.cmpi sgt, %i, %zero : i32
    scf.condition(%more) %i, %at : i32, tensor<64x!eft.ptr<i32>, #layout>
  } do {
  ^bb0(%i: i32, %at: tensor<64x!eft.ptr<i32>, #layout>):
    %x = eft.load %at : tensor<64x!eft.ptr<i32>, #layout>
    %next = eft.addptr %at, %x : tensor<64x!eft.ptr<i32>, #layout>, tensor<64xi32, #layout>
    %half = arith.divsi %i, %n : i32
    scf.yield %half, %next : i32, tensor<64x!eft.ptr<i32>, #layout>
  }
  %ks = eft.splat %k : i32 -> tensor<64xi32, #layout>
  eft.store %end, %ks : tensor<64x!eft.ptr<i32>, #layout>
  return
}

// -----

#rows = #eft.layout<register = [[0], [0], [32]], lane = [[1], [2], [4], [8], [16]], warp = [], step = [[0], [0], [32]]>

// Of fragments that are copies of each other, only one is carried.
// GPU-LABEL: @copies_are_carried_once
// GPU: scf.for %{{.*}} -> (i32, i32) : i32
// CPU-LABEL: @copies_are_carried_once
// CPU: scf.for %{{.*}} -> (vector<32xi32>, vector<32xi32>) : i32
func.func @copies_are_carried_once(%q: !eft.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = eft.arange 0 to 64 : tensor<64xi32, #rows>
  %sum = scf.for %i = %zero to %n step %one iter_args(%a = %r) -> (tensor<64xi32, #rows>) : i32 {
    %s = arith.muli %a, %a : tensor<64xi32, #rows>
    scf.yield %s : tensor<64xi32, #rows>
  }
  %qs = eft.splat %q : !eft.ptr<i32> -> tensor<64x!eft.ptr<i32>, #rows>
  eft.store %qs, %sum : tensor<64x!eft.ptr<i32>, #rows>
  return
}

// -----

#layout = #eft.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], step = []>

// Loops in conditionals in loops.
// GPU-LABEL: @nested
// GPU: scf.for %{{.*}} -> (i32) : i32
// GPU: scf.if %{{.*}} -> (i32)
// GPU: scf.for %{{.*}} -> (i32) : i32
// CPU-LABEL: @nested
// CPU: scf.for %{{.*}} -> (vector<32xi32>) : i32
// CPU: scf.if %{{.*}} -> (vector<32xi32>)
// CPU: scf.for %{{.*}} -> (vector<32xi32>) : i32
func.func @nested(%q: !eft.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = eft.arange 0 to 32 : tensor<32xi32, #layout>
  %sum = scf.for %i = %zero to %n step %one iter_args(%a = %r) -> (tensor<32xi32, #layout>) : i32 {
    %odd = arith.trunci %i : i32 to i1
    %b = scf.if %odd -> (tensor<32xi32, #layout>) {
      %c = scf.for %j = %zero to %i step %one iter_args(%d = %a) -> (tensor<32xi32, #layout>) : i32 {
        %e = arith.muli %d, %r : tensor<32xi32, #layout>
        scf.yield %e : tensor<32xi32, #layout>
      }
      scf.yield %c : tensor<32xi32, #layout>
    } else {
      %f = arith.addi %a, %r : tensor<32xi32, #layout>
      scf.yield %f : tensor<32xi32, #layout>
    }
    scf.yield %b : tensor<32xi32, #layout>
  }
  %qs = eft.splat %q : !eft.ptr<i32> -> tensor<32x!eft.ptr<i32>, #layout>
  %qi = eft.addptr %qs, %r : tensor<32x!eft.ptr<i32>, #layout>, tensor<32xi32, #layout>
  eft.store %qi, %sum : tensor<32x!eft.ptr<i32>, #layout>
  return
}
