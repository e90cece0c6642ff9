// RUN: eft-opt %s -split-input-file -eft-lower-to-gpu=num-warps=1 -cse -eft-specialize-masked | FileCheck %s
// RUN: eft-opt %s -split-input-file -eft-lower-to-gpu=num-warps=1 -cse -eft-specialize-masked=max-operations=10 | FileCheck %s --check-prefix=SMALL

#layout = #eft.layout<register = [[1], [64]], lane = [[2], [4], [8], [16], [32]], warp = []>

// For two loads and a store under one mask, the threads branch once. Most threads take the branch
// without conditions on elements. The others process one element after another, each under its own mask,
// which is not computed before the branch. In these threads the last element's mask is false, because it
// is the condition of the branch.
// CHECK-LABEL: @add
// CHECK-NOT: arith.cmpi
// CHECK: %[[ALL:.*]] = arith.cmpi slt
// CHECK-NOT: arith.cmpi
// CHECK: %[[USUAL:.*]] = llvm.intr.expect %[[ALL]], %true
// CHECK: scf.if %[[USUAL]] {
// CHECK-NOT: scf.if
// CHECK-COUNT-4: llvm.load %{{.*}} -> vector<2xi32>
// CHECK-NOT: scf.if
// CHECK-COUNT-4: arith.addf
// CHECK-NOT: scf.if
// CHECK-COUNT-2: eft.thread_store {{.*}} vector<2xi32>
// CHECK: } else {
// CHECK-NOT: eft.thread_store
// CHECK: %[[M0:.*]] = arith.cmpi slt
// CHECK: %[[X0:.*]] = scf.if %[[M0]] -> (f32)
// CHECK: %[[Y0:.*]] = scf.if %{{.*}} -> (f32)
// CHECK: arith.addf %[[X0]], %[[Y0]]
// CHECK: llvm.store
// CHECK: %[[X1:.*]] = scf.if %{{.*}} -> (f32)
// CHECK: %[[Y1:.*]] = scf.if %{{.*}} -> (f32)
// CHECK: arith.addf %[[X1]], %[[Y1]]
// CHECK: llvm.store
// CHECK: llvm.store
// CHECK-NOT: llvm.store
// CHECK: return

// No versions are made of a span with more operations than the limit.
// SMALL-LABEL: @add
// SMALL: scf.if %{{.*}} -> (f32, f32, f32, f32)
// SMALL: scf.if %{{.*}} -> (f32, f32, f32, f32)
func.func @add(%p: !eft.ptr<f32>, %q: !eft.ptr<f32>, %r: !eft.ptr<f32>, %n: i32) {
  %i = eft.arange 0 to 128 : tensor<128xi32, #layout>
  %ns = eft.splat %n : i32 -> tensor<128xi32, #layout>
  %m = arith.cmpi slt, %i, %ns : tensor<128xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>, #layout>
  %pi = eft.addptr %ps, %i : tensor<128x!eft.ptr<f32>, #layout>, tensor<128xi32, #layout>
  %qs = eft.splat %q : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>, #layout>
  %qi = eft.addptr %qs, %i : tensor<128x!eft.ptr<f32>, #layout>, tensor<128xi32, #layout>
  %rs = eft.splat %r : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>, #layout>
  %ri = eft.addptr %rs, %i : tensor<128x!eft.ptr<f32>, #layout>, tensor<128xi32, #layout>
  %x = eft.load %pi, mask %m {run = 2 : i32, prefix} : tensor<128x!eft.ptr<f32>, #layout>
  %y = eft.load %qi, mask %m {run = 2 : i32, prefix} : tensor<128x!eft.ptr<f32>, #layout>
  %z = arith.addf %x, %y : tensor<128xf32, #layout>
  eft.store %ri, %z, mask %m {run = 2 : i32, prefix} : tensor<128x!eft.ptr<f32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[1], [64]], lane = [[2], [4], [8], [16], [32]], warp = []>

// With two stores, elements may not be reordered: the load of an element could pass a store to its
// address. So the two stores keep their order.
// CHECK-LABEL: @two_stores
// CHECK: } else {
// CHECK-COUNT-6: scf.if %{{.*}} -> (f32)
// CHECK-COUNT-6: llvm.store
// CHECK: return
func.func @two_stores(%p: !eft.ptr<f32>, %q: !eft.ptr<f32>, %n: i32) {
  %i = eft.arange 0 to 128 : tensor<128xi32, #layout>
  %ns = eft.splat %n : i32 -> tensor<128xi32, #layout>
  %m = arith.cmpi slt, %i, %ns : tensor<128xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>, #layout>
  %pi = eft.addptr %ps, %i : tensor<128x!eft.ptr<f32>, #layout>, tensor<128xi32, #layout>
  %qs = eft.splat %q : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>, #layout>
  %qi = eft.addptr %qs, %i : tensor<128x!eft.ptr<f32>, #layout>, tensor<128xi32, #layout>
  %x = eft.load %pi, mask %m {run = 2 : i32, prefix} : tensor<128x!eft.ptr<f32>, #layout>
  %y = eft.load %qi, mask %m {run = 2 : i32, prefix} : tensor<128x!eft.ptr<f32>, #layout>
  eft.store %pi, %y, mask %m {run = 2 : i32, prefix} : tensor<128x!eft.ptr<f32>, #layout>
  eft.store %qi, %x, mask %m {run = 2 : i32, prefix} : tensor<128x!eft.ptr<f32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[1], [64]], lane = [[2], [4], [8], [16], [32]], warp = []>

// A store without the mask is between the accesses. The unusual branch keeps the order, too.
// CHECK-LABEL: @another_store
// CHECK: } else {
// CHECK-COUNT-3: scf.if %{{.*}} -> (f32)
// CHECK-COUNT-2: llvm.store %{{.*}} : vector<2xi32>
// CHECK-COUNT-3: scf.if %{{.*}} -> (f32)
// CHECK-COUNT-3: llvm.store %{{.*}} : f32
// CHECK: return
func.func @another_store(%p: !eft.ptr<f32>, %q: !eft.ptr<f32>, %v: f32, %n: i32) {
  %i = eft.arange 0 to 128 : tensor<128xi32, #layout>
  %ns = eft.splat %n : i32 -> tensor<128xi32, #layout>
  %m = arith.cmpi slt, %i, %ns : tensor<128xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>, #layout>
  %pi = eft.addptr %ps, %i : tensor<128x!eft.ptr<f32>, #layout>, tensor<128xi32, #layout>
  %qs = eft.splat %q : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>, #layout>
  %qi = eft.addptr %qs, %i : tensor<128x!eft.ptr<f32>, #layout>, tensor<128xi32, #layout>
  %vs = eft.splat %v : f32 -> tensor<128xf32, #layout>
  %x = eft.load %pi, mask %m {run = 2 : i32, prefix} : tensor<128x!eft.ptr<f32>, #layout>
  eft.store %qi, %vs {run = 2 : i32} : tensor<128x!eft.ptr<f32>, #layout>
  %y = eft.load %qi, mask %m {run = 2 : i32, prefix} : tensor<128x!eft.ptr<f32>, #layout>
  %z = arith.addf %x, %y : tensor<128xf32, #layout>
  eft.store %pi, %z, mask %m {run = 2 : i32, prefix} : tensor<128x!eft.ptr<f32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[1], [64]], lane = [[2], [4], [8], [16], [32]], warp = []>

// The second mask is computed between accesses under the first mask. The threads branch on each mask.
// CHECK-LABEL: @two_masks
// CHECK: scf.if %{{.*}} -> (f32, f32, f32, f32, i1, i1, i1, i1, f32, f32, f32, f32, f32, f32, f32, f32) {
// CHECK: } else {
// CHECK: scf.if
// CHECK: } else {
// CHECK-COUNT-3: llvm.store %{{.*}} : f32
// CHECK: return
func.func @two_masks(%p: !eft.ptr<f32>, %q: !eft.ptr<f32>, %r: !eft.ptr<f32>, %n: i32, %k: i32) {
  %i = eft.arange 0 to 128 : tensor<128xi32, #layout>
  %ns = eft.splat %n : i32 -> tensor<128xi32, #layout>
  %m = arith.cmpi slt, %i, %ns : tensor<128xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>, #layout>
  %pi = eft.addptr %ps, %i : tensor<128x!eft.ptr<f32>, #layout>, tensor<128xi32, #layout>
  %qs = eft.splat %q : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>, #layout>
  %qi = eft.addptr %qs, %i : tensor<128x!eft.ptr<f32>, #layout>, tensor<128xi32, #layout>
  %rs = eft.splat %r : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>, #layout>
  %ri = eft.addptr %rs, %i : tensor<128x!eft.ptr<f32>, #layout>, tensor<128xi32, #layout>
  %x = eft.load %pi, mask %m {run = 2 : i32, prefix} : tensor<128x!eft.ptr<f32>, #layout>
  %ks = eft.splat %k : i32 -> tensor<128xi32, #layout>
  %m2 = arith.cmpi slt, %i, %ks : tensor<128xi32, #layout>
  %f = arith.uitofp %m2 : tensor<128xi1, #layout> to tensor<128xf32, #layout>
  %y = eft.load %qi, mask %m {run = 2 : i32, prefix} : tensor<128x!eft.ptr<f32>, #layout>
  %z = eft.load %ri, mask %m2 {run = 2 : i32, prefix} : tensor<128x!eft.ptr<f32>, #layout>
  %w = eft.load %qi, mask %m2 {run = 2 : i32, prefix} : tensor<128x!eft.ptr<f32>, #layout>
  %xf = arith.addf %x, %f : tensor<128xf32, #layout>
  %xy = arith.addf %xf, %y : tensor<128xf32, #layout>
  %zw = arith.addf %z, %w : tensor<128xf32, #layout>
  %sum = arith.addf %xy, %zw : tensor<128xf32, #layout>
  eft.store %ri, %sum, mask %m2 {run = 2 : i32, prefix} : tensor<128x!eft.ptr<f32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>

// A convergent operation is between the loads, so the threads branch at each load.
// CHECK-LABEL: @reduction_between
// CHECK: scf.if %{{.*}} -> (f32, f32)
// CHECK: nvvm.shfl.sync
// CHECK: scf.if %{{.*}} -> (f32, f32)
func.func @reduction_between(%p: !eft.ptr<f32>, %q: !eft.ptr<f32>, %n: i32) {
  %i = eft.arange 0 to 64 : tensor<64xi32, #layout>
  %ns = eft.splat %n : i32 -> tensor<64xi32, #layout>
  %m = arith.cmpi slt, %i, %ns : tensor<64xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>, #layout>
  %pi = eft.addptr %ps, %i : tensor<64x!eft.ptr<f32>, #layout>, tensor<64xi32, #layout>
  %qs = eft.splat %q : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>, #layout>
  %qi = eft.addptr %qs, %i : tensor<64x!eft.ptr<f32>, #layout>, tensor<64xi32, #layout>
  %x = eft.load %pi, mask %m {run = 2 : i32, prefix} : tensor<64x!eft.ptr<f32>, #layout>
  %s = eft.reduce %x axis 0 steps 1 tree [32, 16, 8, 4, 2, 1] : (tensor<64xf32, #layout>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    eft.yield %c : f32
  }
  %y = eft.load %qi, mask %m {run = 2 : i32, prefix} : tensor<64x!eft.ptr<f32>, #layout>
  %ss = eft.splat %s : f32 -> tensor<64xf32, #layout>
  %z = arith.addf %ss, %y : tensor<64xf32, #layout>
  eft.store %qi, %z, mask %m {run = 2 : i32, prefix} : tensor<64x!eft.ptr<f32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[1], [64], [128]], lane = [[2], [4], [8], [16], [32]], warp = []>

// Selects by the mask of an access remain only in the unusual branch.
// CHECK-LABEL: @choices
// CHECK: %[[S:.*]]:8 = scf.if %{{.*}} -> (f32, f32, f32, f32, f32, f32, f32, f32) {
// CHECK-NOT: arith.select
// CHECK: } else {
// CHECK-COUNT-8: arith.select
// CHECK: eft.thread_store {{.*}} vector<2xi32>
// CHECK-NOT: arith.select
func.func @choices(%p: !eft.ptr<f32>, %v: f32, %n: i32) {
  %i = eft.arange 0 to 256 : tensor<256xi32, #layout>
  %ns = eft.splat %n : i32 -> tensor<256xi32, #layout>
  %m = arith.cmpi slt, %i, %ns : tensor<256xi32, #layout>
  %zero = arith.constant dense<0.0> : tensor<256xf32, #layout>
  %vs = eft.splat %v : f32 -> tensor<256xf32, #layout>
  %x = arith.select %m, %vs, %zero : tensor<256xi1, #layout>, tensor<256xf32, #layout>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<256x!eft.ptr<f32>, #layout>
  %pi = eft.addptr %ps, %i : tensor<256x!eft.ptr<f32>, #layout>, tensor<256xi32, #layout>
  %s = eft.scan %x axis 0 : (tensor<256xf32, #layout>) -> (tensor<256xf32, #layout>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    eft.yield %c : f32
  }
  eft.store %pi, %s, mask %m {run = 2 : i32, prefix} : tensor<256x!eft.ptr<f32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[1], [64]], lane = [[2], [4], [8], [16], [32]], warp = []>

// The branch yields the loaded words whole; operations after the branch unpack them.
// CHECK-LABEL: @words
// CHECK: scf.if %{{.*}} -> (vector<2xi32>, vector<2xi32>, vector<2xi32>, vector<2xi32>) {
// CHECK: %[[X:.*]] = llvm.load %{{.*}} -> vector<2xi32>
// CHECK: %[[Y:.*]] = llvm.load %{{.*}} -> vector<2xi32>
// CHECK-NEXT: scf.yield %[[X]], %[[X]], %[[Y]], %[[Y]] :
// CHECK: llvm.bitcast
// CHECK: llvm.extractelement
// CHECK: arith.addf
func.func @words(%p: !eft.ptr<f32>, %q: !eft.ptr<f32>, %r: !eft.ptr<f32>, %n: i32) {
  %i = eft.arange 0 to 128 : tensor<128xi32, #layout>
  %ns = eft.splat %n : i32 -> tensor<128xi32, #layout>
  %m = arith.cmpi slt, %i, %ns : tensor<128xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>, #layout>
  %qs = eft.splat %q : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>, #layout>
  %rs = eft.splat %r : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>, #layout>
  %x = eft.load %ps, mask %m {run = 2 : i32, prefixRuns} : tensor<128x!eft.ptr<f32>, #layout>
  %y = eft.load %qs, mask %m {run = 2 : i32, prefixRuns} : tensor<128x!eft.ptr<f32>, #layout>
  %z = arith.addf %x, %y : tensor<128xf32, #layout>
  eft.store %rs, %z {run = 2 : i32} : tensor<128x!eft.ptr<f32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>

// Only threads for whose last element the mask is false compute the offsets of single elements, also if
// the offsets start at an argument.
// CHECK-LABEL: @border_of_a_moved_range
// CHECK: %[[START:.*]] = arith.addi %arg2, %{{.*}} overflow<nsw> : i32
// CHECK: %[[LAST:.*]] = arith.addi %[[START]], %c1_i32 overflow<nsw> : i32
// CHECK: %[[WHOLE:.*]] = arith.cmpi slt, %[[LAST]], %arg1
// CHECK: %[[USUAL:.*]] = llvm.intr.expect %[[WHOLE]], %true
// CHECK: scf.if %[[USUAL]]
// CHECK-NOT: arith.addi %[[START]]
// CHECK: } else {
// CHECK: %[[FIRST:.*]] = arith.addi %[[START]], %c0_i32 overflow<nsw> : i32
// CHECK: arith.cmpi slt, %[[FIRST]], %arg1
func.func @border_of_a_moved_range(%p: !eft.ptr<f32>, %n: i32, %s: i32) {
  %i = eft.arange 0 to 64 : tensor<64xi32, #layout>
  %ss = eft.splat %s : i32 -> tensor<64xi32, #layout>
  %si = arith.addi %ss, %i overflow<nsw> : tensor<64xi32, #layout>
  %ns = eft.splat %n : i32 -> tensor<64xi32, #layout>
  %m = arith.cmpi slt, %si, %ns : tensor<64xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>, #layout>
  %pi = eft.addptr %ps, %si : tensor<64x!eft.ptr<f32>, #layout>, tensor<64xi32, #layout>
  %x = eft.load %pi, mask %m {run = 2 : i32, prefix} : tensor<64x!eft.ptr<f32>, #layout>
  eft.store %pi, %x : tensor<64x!eft.ptr<f32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>

// The masks of two parts become one branch. For most threads both loads go first. The second load even
// passes the store before it, if it reads nothing that this store writes: the second part of X begins
// 256 bytes after the first, so the first part of Y must begin at least 8 bytes before or after the
// second part of X. Operations that only the parts need follow the loads. In the other branch each part
// has its own mask.
// CHECK-LABEL: @parts
// CHECK-SAME: %[[X:[^:]*]]: i64, %[[Y:[^:]*]]: i64
// CHECK-NOT: eft.thread_store
// CHECK-NOT: arith.muli %arg3
// CHECK: %[[BOTH:.*]] = arith.andi %[[WHOLE0:[^ ]*]], %[[WHOLE1:[^ ]*]] : i1
// CHECK-DAG: %[[X32:.*]] = arith.trunci %[[X]] : i64 to i32
// CHECK-DAG: %[[Y32:.*]] = arith.trunci %[[Y]] : i64 to i32
// CHECK: %[[DISTANCE:.*]] = arith.subi %[[X32]], %[[Y32]] : i32
// CHECK: %[[PAST:.*]] = arith.subi %[[DISTANCE]], %c-263_i32
// CHECK: %[[APART:.*]] = arith.cmpi ugt, %[[PAST]], %c14_i32
// CHECK: %[[FREE:.*]] = arith.andi %[[BOTH]], %[[APART]]
// CHECK: %[[USUAL:.*]] = llvm.intr.expect %[[FREE]], %true
// CHECK: scf.if %[[USUAL]] {
// CHECK-NOT: eft.thread_store
// CHECK-NOT: arith.muli %arg3
// CHECK-COUNT-2: llvm.load %{{.*}} -> vector<2xi32>
// CHECK: arith.muli %arg3, %arg3
// CHECK-COUNT-2: eft.thread_store
// CHECK: } else {
// CHECK: llvm.load
// CHECK: eft.thread_store {{.*}} if %[[WHOLE0]]
// CHECK: llvm.load
// CHECK: eft.thread_store {{.*}} if %[[WHOLE1]]
// CHECK: return
func.func @parts(%x: !eft.ptr<i32>, %y: !eft.ptr<i32>, %n: i32, %f: i32) {
  %i = eft.arange 0 to 64 : tensor<64xi32, #layout>
  %far = arith.constant dense<64> : tensor<64xi32, #layout>
  %j = arith.addi %i, %far : tensor<64xi32, #layout>
  %square = arith.muli %f, %f : i32
  %squares = eft.splat %square : i32 -> tensor<64xi32, #layout>
  %ns = eft.splat %n : i32 -> tensor<64xi32, #layout>
  %xs = eft.splat %x : !eft.ptr<i32> -> tensor<64x!eft.ptr<i32>, #layout>
  %ys = eft.splat %y : !eft.ptr<i32> -> tensor<64x!eft.ptr<i32>, #layout>
  %m0 = arith.cmpi slt, %i, %ns : tensor<64xi32, #layout>
  %xi = eft.addptr %xs, %i : tensor<64x!eft.ptr<i32>, #layout>, tensor<64xi32, #layout>
  %yi = eft.addptr %ys, %i : tensor<64x!eft.ptr<i32>, #layout>, tensor<64xi32, #layout>
  %v0 = eft.load %xi, mask %m0 {run = 2 : i32, prefix} : tensor<64x!eft.ptr<i32>, #layout>
  %w0 = arith.muli %v0, %squares : tensor<64xi32, #layout>
  eft.store %yi, %w0, mask %m0 {run = 2 : i32, prefix} : tensor<64x!eft.ptr<i32>, #layout>
  %m1 = arith.cmpi slt, %j, %ns : tensor<64xi32, #layout>
  %xj = eft.addptr %xs, %j : tensor<64x!eft.ptr<i32>, #layout>, tensor<64xi32, #layout>
  %yj = eft.addptr %ys, %j : tensor<64x!eft.ptr<i32>, #layout>, tensor<64xi32, #layout>
  %v1 = eft.load %xj, mask %m1 {run = 2 : i32, prefix} : tensor<64x!eft.ptr<i32>, #layout>
  %w1 = arith.muli %v1, %squares : tensor<64xi32, #layout>
  eft.store %yj, %w1, mask %m1 {run = 2 : i32, prefix} : tensor<64x!eft.ptr<i32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>

// Conversions access no memory, so the loads go first here, too.
// CHECK-LABEL: @parts_of_narrow_floats
// CHECK: scf.if
// CHECK-COUNT-2: llvm.load %{{.*}} -> i32
// CHECK-COUNT-2: llvm.nvvm.ff2f16x2.rn
// CHECK: } else {
func.func @parts_of_narrow_floats(%x: !eft.ptr<f16>, %y: !eft.ptr<f16>, %n: i32) {
  %i = eft.arange 0 to 64 : tensor<64xi32, #layout>
  %far = arith.constant dense<64> : tensor<64xi32, #layout>
  %j = arith.addi %i, %far : tensor<64xi32, #layout>
  %ns = eft.splat %n : i32 -> tensor<64xi32, #layout>
  %xs = eft.splat %x : !eft.ptr<f16> -> tensor<64x!eft.ptr<f16>, #layout>
  %ys = eft.splat %y : !eft.ptr<f16> -> tensor<64x!eft.ptr<f16>, #layout>
  %m0 = arith.cmpi slt, %i, %ns : tensor<64xi32, #layout>
  %xi = eft.addptr %xs, %i : tensor<64x!eft.ptr<f16>, #layout>, tensor<64xi32, #layout>
  %yi = eft.addptr %ys, %i : tensor<64x!eft.ptr<f16>, #layout>, tensor<64xi32, #layout>
  %v0 = eft.load %xi, mask %m0 {run = 2 : i32, prefix} : tensor<64x!eft.ptr<f16>, #layout>
  %u0 = arith.extf %v0 : tensor<64xf16, #layout> to tensor<64xf32, #layout>
  %w0 = arith.addf %u0, %u0 : tensor<64xf32, #layout>
  %z0 = arith.truncf %w0 : tensor<64xf32, #layout> to tensor<64xf16, #layout>
  eft.store %yi, %z0, mask %m0 {run = 2 : i32, prefix} : tensor<64x!eft.ptr<f16>, #layout>
  %m1 = arith.cmpi slt, %j, %ns : tensor<64xi32, #layout>
  %xj = eft.addptr %xs, %j : tensor<64x!eft.ptr<f16>, #layout>, tensor<64xi32, #layout>
  %yj = eft.addptr %ys, %j : tensor<64x!eft.ptr<f16>, #layout>, tensor<64xi32, #layout>
  %v1 = eft.load %xj, mask %m1 {run = 2 : i32, prefix} : tensor<64x!eft.ptr<f16>, #layout>
  %u1 = arith.extf %v1 : tensor<64xf16, #layout> to tensor<64xf32, #layout>
  %w1 = arith.addf %u1, %u1 : tensor<64xf32, #layout>
  %z1 = arith.truncf %w1 : tensor<64xf32, #layout> to tensor<64xf16, #layout>
  eft.store %yj, %z1, mask %m1 {run = 2 : i32, prefix} : tensor<64x!eft.ptr<f16>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>

// The products are parts of addresses, so they stay before the branch, where the distance is computed
// from them.
// CHECK-LABEL: @rows
// CHECK-COUNT-2: arith.muli %arg3, %{{.*}} : i32
// CHECK: arith.cmpi ugt
// CHECK: scf.if
// CHECK-NOT: eft.thread_store
// CHECK-COUNT-2: llvm.load %{{.*}} -> vector<2xi32>
// CHECK-COUNT-2: eft.thread_store
// CHECK: } else {

// Masks with two different bounds do not imply each other, so there are two branches.
// CHECK-LABEL: @two_bounds
// CHECK: scf.if %{{.*}} -> (i32, i32)
// CHECK: scf.if %{{.*}} -> (i32, i32)
func.func @rows(%x: !eft.ptr<i32>, %y: !eft.ptr<i32>, %n: i32, %row: i32, %sx: i32, %sy: i32) {
  %i = eft.arange 0 to 64 : tensor<64xi32, #layout>
  %far = arith.constant dense<64> : tensor<64xi32, #layout>
  %j = arith.addi %i, %far : tensor<64xi32, #layout>
  %ns = eft.splat %n : i32 -> tensor<64xi32, #layout>
  %rx = arith.muli %row, %sx : i32
  %ry = arith.muli %row, %sy : i32
  %px = eft.addptr %x, %rx : !eft.ptr<i32>, i32
  %py = eft.addptr %y, %ry : !eft.ptr<i32>, i32
  %xs = eft.splat %px : !eft.ptr<i32> -> tensor<64x!eft.ptr<i32>, #layout>
  %ys = eft.splat %py : !eft.ptr<i32> -> tensor<64x!eft.ptr<i32>, #layout>
  %m0 = arith.cmpi slt, %i, %ns : tensor<64xi32, #layout>
  %xi = eft.addptr %xs, %i : tensor<64x!eft.ptr<i32>, #layout>, tensor<64xi32, #layout>
  %yi = eft.addptr %ys, %i : tensor<64x!eft.ptr<i32>, #layout>, tensor<64xi32, #layout>
  %v0 = eft.load %xi, mask %m0 {run = 2 : i32, prefix} : tensor<64x!eft.ptr<i32>, #layout>
  eft.store %yi, %v0, mask %m0 {run = 2 : i32, prefix} : tensor<64x!eft.ptr<i32>, #layout>
  %m1 = arith.cmpi slt, %j, %ns : tensor<64xi32, #layout>
  %xj = eft.addptr %xs, %j : tensor<64x!eft.ptr<i32>, #layout>, tensor<64xi32, #layout>
  %yj = eft.addptr %ys, %j : tensor<64x!eft.ptr<i32>, #layout>, tensor<64xi32, #layout>
  %v1 = eft.load %xj, mask %m1 {run = 2 : i32, prefix} : tensor<64x!eft.ptr<i32>, #layout>
  eft.store %yj, %v1, mask %m1 {run = 2 : i32, prefix} : tensor<64x!eft.ptr<i32>, #layout>
  return
}

func.func @two_bounds(%x: !eft.ptr<i32>, %y: !eft.ptr<i32>, %n: i32, %k: i32) {
  %i = eft.arange 0 to 64 : tensor<64xi32, #layout>
  %ns = eft.splat %n : i32 -> tensor<64xi32, #layout>
  %ks = eft.splat %k : i32 -> tensor<64xi32, #layout>
  %xs = eft.splat %x : !eft.ptr<i32> -> tensor<64x!eft.ptr<i32>, #layout>
  %ys = eft.splat %y : !eft.ptr<i32> -> tensor<64x!eft.ptr<i32>, #layout>
  %m0 = arith.cmpi slt, %i, %ns : tensor<64xi32, #layout>
  %xi = eft.addptr %xs, %i : tensor<64x!eft.ptr<i32>, #layout>, tensor<64xi32, #layout>
  %yi = eft.addptr %ys, %i : tensor<64x!eft.ptr<i32>, #layout>, tensor<64xi32, #layout>
  %v0 = eft.load %xi, mask %m0 {run = 2 : i32, prefix} : tensor<64x!eft.ptr<i32>, #layout>
  eft.store %yi, %v0, mask %m0 {run = 2 : i32, prefix} : tensor<64x!eft.ptr<i32>, #layout>
  %m1 = arith.cmpi slt, %i, %ks : tensor<64xi32, #layout>
  %v1 = eft.load %xi, mask %m1 {run = 2 : i32, prefix} : tensor<64x!eft.ptr<i32>, #layout>
  eft.store %yi, %v1, mask %m1 {run = 2 : i32, prefix} : tensor<64x!eft.ptr<i32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>

// The middle part is processed first, so its store may overlap parts on both sides of it. If the arrays
// are the same, at distance zero, the store overlaps neither of these parts.
// CHECK-LABEL: @middle_first
// CHECK: %[[DISTANCE:.*]] = arith.subi
// CHECK: %[[PAST:.*]] = arith.subi %[[DISTANCE]], %c-519_i32
// CHECK: %[[FAR:.*]] = arith.cmpi ugt, %[[PAST]], %c782_i32
// CHECK: %[[IN_PLACE:.*]] = arith.cmpi eq, %[[DISTANCE]], %c0_i32
// CHECK: %[[APART:.*]] = arith.ori %[[FAR]], %[[IN_PLACE]]
// CHECK: scf.if
// CHECK-NOT: eft.thread_store
// CHECK-COUNT-3: llvm.load %{{.*}} -> vector<2xi32>
// CHECK: } else {
func.func @middle_first(%x: !eft.ptr<i32>, %y: !eft.ptr<i32>, %n: i32) {
  %i = eft.arange 0 to 64 : tensor<64xi32, #layout>
  %one = arith.constant dense<64> : tensor<64xi32, #layout>
  %two = arith.constant dense<128> : tensor<64xi32, #layout>
  %j = arith.addi %i, %one : tensor<64xi32, #layout>
  %k = arith.addi %i, %two : tensor<64xi32, #layout>
  %ns = eft.splat %n : i32 -> tensor<64xi32, #layout>
  %xs = eft.splat %x : !eft.ptr<i32> -> tensor<64x!eft.ptr<i32>, #layout>
  %ys = eft.splat %y : !eft.ptr<i32> -> tensor<64x!eft.ptr<i32>, #layout>
  %m1 = arith.cmpi slt, %j, %ns : tensor<64xi32, #layout>
  %x1 = eft.addptr %xs, %j : tensor<64x!eft.ptr<i32>, #layout>, tensor<64xi32, #layout>
  %y1 = eft.addptr %ys, %j : tensor<64x!eft.ptr<i32>, #layout>, tensor<64xi32, #layout>
  %v1 = eft.load %x1, mask %m1 {run = 2 : i32, prefix} : tensor<64x!eft.ptr<i32>, #layout>
  eft.store %y1, %v1, mask %m1 {run = 2 : i32, prefix} : tensor<64x!eft.ptr<i32>, #layout>
  %m0 = arith.cmpi slt, %i, %ns : tensor<64xi32, #layout>
  %x0 = eft.addptr %xs, %i : tensor<64x!eft.ptr<i32>, #layout>, tensor<64xi32, #layout>
  %y0 = eft.addptr %ys, %i : tensor<64x!eft.ptr<i32>, #layout>, tensor<64xi32, #layout>
  %v0 = eft.load %x0, mask %m0 {run = 2 : i32, prefix} : tensor<64x!eft.ptr<i32>, #layout>
  eft.store %y0, %v0, mask %m0 {run = 2 : i32, prefix} : tensor<64x!eft.ptr<i32>, #layout>
  %m2 = arith.cmpi slt, %k, %ns : tensor<64xi32, #layout>
  %x2 = eft.addptr %xs, %k : tensor<64x!eft.ptr<i32>, #layout>, tensor<64xi32, #layout>
  %y2 = eft.addptr %ys, %k : tensor<64x!eft.ptr<i32>, #layout>, tensor<64xi32, #layout>
  %v2 = eft.load %x2, mask %m2 {run = 2 : i32, prefix} : tensor<64x!eft.ptr<i32>, #layout>
  eft.store %y2, %v2, mask %m2 {run = 2 : i32, prefix} : tensor<64x!eft.ptr<i32>, #layout>
  return
}

// -----

// The second mask is computed from a select under the first mask, with which the span begins. So the
// masks do not share a branch.
// CHECK-LABEL: @mask_of_a_choice_that_begins_the_span
// CHECK: nvvm.barrier0
// CHECK: %[[J:.*]] = arith.select
// CHECK: arith.cmpi slt, %[[J]]
// CHECK-COUNT-2: scf.if
// CHECK-NOT: scf.if
func.func @mask_of_a_choice_that_begins_the_span(%x: !llvm.ptr<1>, %i: i32, %n: i32, %out: !llvm.ptr<1>) {
  %true = arith.constant true
  %zero = arith.constant 0 : i32
  %f0 = arith.constant 0.0 : f32
  %m = arith.cmpi slt, %i, %n : i32
  nvvm.barrier0
  %s = arith.select %m, %i, %zero : i32
  %m2 = arith.cmpi slt, %s, %n : i32
  %e2 = llvm.intr.expect %m2, %true : i1
  %b = scf.if %e2 -> f32 {
    %v = llvm.load %x : !llvm.ptr<1> -> f32
    scf.yield %v : f32
  } else {
    scf.yield %f0 : f32
  }
  %e3 = llvm.intr.expect %m, %true : i1
  %c = scf.if %e3 -> f32 {
    %v = llvm.load %x : !llvm.ptr<1> -> f32
    scf.yield %v : f32
  } else {
    scf.yield %f0 : f32
  }
  %r = arith.addf %b, %c : f32
  llvm.store %r, %out : f32, !llvm.ptr<1>
  return
}

// -----

// A later mask is computed from a value that is loaded under an earlier mask, before a barrier.
// CHECK-LABEL: @mask_from_an_earlier_span
// CHECK: %[[FIRST:.*]]:2 = scf.if {{.*}} -> (i1, i32)
// CHECK: nvvm.barrier0
// CHECK: %[[LATER:.*]] = llvm.intr.expect %[[FIRST]]#0
// CHECK: scf.if %[[LATER]] -> (i32, i32)
func.func @mask_from_an_earlier_span(%x: !llvm.ptr<1>, %i: i32, %n: i32, %out: !llvm.ptr<1>) {
  %true = arith.constant true
  %zero = arith.constant 0 : i32
  %m = arith.cmpi slt, %i, %n : i32
  %e = llvm.intr.expect %m, %true : i1
  %a = scf.if %e -> i32 {
    %v = llvm.load %x : !llvm.ptr<1> -> i32
    scf.yield %v : i32
  } else {
    scf.yield %zero : i32
  }
  %m2 = arith.cmpi slt, %a, %n : i32
  %e2 = llvm.intr.expect %m, %true : i1
  %b = scf.if %e2 -> i32 {
    %v = llvm.load %x : !llvm.ptr<1> -> i32
    scf.yield %v : i32
  } else {
    scf.yield %zero : i32
  }
  nvvm.barrier0
  %e3 = llvm.intr.expect %m2, %true : i1
  %c = scf.if %e3 -> i32 {
    %v = llvm.load %x : !llvm.ptr<1> -> i32
    scf.yield %v : i32
  } else {
    scf.yield %b : i32
  }
  %e4 = llvm.intr.expect %m2, %true : i1
  %d = scf.if %e4 -> i32 {
    %v = llvm.load %x : !llvm.ptr<1> -> i32
    scf.yield %v : i32
  } else {
    scf.yield %zero : i32
  }
  %r = arith.addi %c, %d : i32
  llvm.store %r, %out : i32, !llvm.ptr<1>
  return
}
