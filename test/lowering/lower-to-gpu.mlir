// RUN: eft-opt %s -split-input-file -eft-lower-to-gpu=num-warps=1 -cse | FileCheck %s

#layout = #eft.layout<register = [[1], [2], [128]], lane = [[4], [8], [16], [32], [64]], warp = []>

// CHECK-LABEL: @range
// CHECK-SAME: eft.threads = 32
func.func @range(%p: !eft.ptr<i32>) {
  // CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: %[[LANE:.*]] = arith.andi %[[TID]], %c31
  // CHECK: %[[BASE:.*]] = arith.muli %[[LANE]], %c4
  // CHECK: arith.addi %[[BASE]], %c130
  // CHECK: arith.addi %[[BASE]], %c131
  %i = eft.arange 0 to 256 : tensor<256xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<256x!eft.ptr<i32>, #layout>
  %pi = eft.addptr %ps, %i : tensor<256x!eft.ptr<i32>, #layout>, tensor<256xi32, #layout>
  eft.store %pi, %i : tensor<256x!eft.ptr<i32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = []>

// The constant part of an offset that can't overflow is added to the address last, so that both
// addresses come from one register.
// CHECK-LABEL: @constant_offsets
func.func @constant_offsets(%p: !eft.ptr<f32>) {
  // CHECK: %[[OFFSET:.*]] = arith.muli %{{.*}}, %c4_i64 : i64
  // CHECK: %[[FIRST:.*]] = arith.addi %arg0, %[[OFFSET]] : i64
  // CHECK: %[[SECOND:.*]] = arith.addi %[[FIRST]], %c128_i64 : i64
  // CHECK: llvm.inttoptr %[[FIRST]]
  // CHECK: llvm.inttoptr %[[SECOND]]
  %i = eft.arange 0 to 64 : tensor<64xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>, #layout>
  %pi = eft.addptr %ps, %i : tensor<64x!eft.ptr<f32>, #layout>, tensor<64xi32, #layout>
  %x = eft.load %pi : tensor<64x!eft.ptr<f32>, #layout>
  eft.store %pi, %x : tensor<64x!eft.ptr<f32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = []>

// The same holds if numbers are added to the range and no sum overflows.
// CHECK-LABEL: @constant_offsets_of_a_moved_range
func.func @constant_offsets_of_a_moved_range(%p: !eft.ptr<f32>, %n: i32, %m: i32) {
  // CHECK: %[[NEAR:.*]] = arith.addi %arg1, %{{.*}} overflow<nsw> : i32
  // CHECK: %[[FAR:.*]] = arith.addi %arg2, %[[NEAR]] overflow<nsw> : i32
  // CHECK: %[[WIDE:.*]] = arith.extsi %[[FAR]] : i32 to i64
  // CHECK: %[[OFFSET:.*]] = arith.muli %[[WIDE]], %c4_i64 : i64
  // CHECK: %[[FIRST:.*]] = arith.addi %arg0, %[[OFFSET]] : i64
  // CHECK: %[[SECOND:.*]] = arith.addi %[[FIRST]], %c128_i64 : i64
  // CHECK: llvm.inttoptr %[[FIRST]]
  // CHECK: llvm.inttoptr %[[SECOND]]
  %i = eft.arange 0 to 64 : tensor<64xi32, #layout>
  %ns = eft.splat %n : i32 -> tensor<64xi32, #layout>
  %ms = eft.splat %m : i32 -> tensor<64xi32, #layout>
  %near = arith.addi %i, %ns overflow<nsw> : tensor<64xi32, #layout>
  %far = arith.addi %ms, %near overflow<nsw> : tensor<64xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>, #layout>
  %pi = eft.addptr %ps, %far : tensor<64x!eft.ptr<f32>, #layout>, tensor<64xi32, #layout>
  %x = eft.load %pi : tensor<64x!eft.ptr<f32>, #layout>
  eft.store %pi, %x : tensor<64x!eft.ptr<f32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = []>

// If a sum may wrap around, each offset is computed separately.
// CHECK-LABEL: @offsets_that_may_wrap_around
func.func @offsets_that_may_wrap_around(%p: !eft.ptr<f32>, %n: i32) {
  // CHECK-COUNT-2: arith.extsi %{{.*}} : i32 to i64
  %i = eft.arange 0 to 64 : tensor<64xi32, #layout>
  %ns = eft.splat %n : i32 -> tensor<64xi32, #layout>
  %moved = arith.addi %i, %ns : tensor<64xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>, #layout>
  %pi = eft.addptr %ps, %moved : tensor<64x!eft.ptr<f32>, #layout>, tensor<64xi32, #layout>
  %x = eft.load %pi : tensor<64x!eft.ptr<f32>, #layout>
  eft.store %pi, %x : tensor<64x!eft.ptr<f32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = []>

// CHECK-LABEL: @widest_accesses
func.func @widest_accesses(%p: !eft.ptr<f16>, %q: !eft.ptr<f32>, %r: !eft.ptr<f64>) {
  // Eight halves take one access, eight floats two, eight doubles four.
  // CHECK-COUNT-1: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
  // CHECK: llvm.bitcast %{{.*}} : vector<4xi32> to vector<8xf16>
  // CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
  // CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<2xi64>
  // CHECK-NOT: llvm.load
  %i = eft.arange 0 to 256 : tensor<256xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<256x!eft.ptr<f16>, #layout>
  %pi = eft.addptr %ps, %i : tensor<256x!eft.ptr<f16>, #layout>, tensor<256xi32, #layout>
  %qs = eft.splat %q : !eft.ptr<f32> -> tensor<256x!eft.ptr<f32>, #layout>
  %qi = eft.addptr %qs, %i : tensor<256x!eft.ptr<f32>, #layout>, tensor<256xi32, #layout>
  %rs = eft.splat %r : !eft.ptr<f64> -> tensor<256x!eft.ptr<f64>, #layout>
  %ri = eft.addptr %rs, %i : tensor<256x!eft.ptr<f64>, #layout>, tensor<256xi32, #layout>
  %0 = eft.load %pi {run = 8 : i32} : tensor<256x!eft.ptr<f16>, #layout>
  %1 = eft.load %qi {run = 8 : i32} : tensor<256x!eft.ptr<f32>, #layout>
  %2 = eft.load %ri {run = 8 : i32} : tensor<256x!eft.ptr<f64>, #layout>
  eft.store %pi, %0 {run = 8 : i32} : tensor<256x!eft.ptr<f16>, #layout>
  eft.store %qi, %1 {run = 8 : i32} : tensor<256x!eft.ptr<f32>, #layout>
  eft.store %ri, %2 {run = 8 : i32} : tensor<256x!eft.ptr<f64>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[1], [32]], lane = [[2], [4], [8], [16], [0]], warp = []>

// One test, on the last element's mask, selects wide accesses or accesses element by element.
// CHECK-LABEL: @mask_is_a_prefix
func.func @mask_is_a_prefix(%p: !eft.ptr<f32>, %n: i32) {
  // CHECK-COUNT-4: arith.cmpi slt
  // CHECK: %[[LAST:.*]] = arith.cmpi
  // CHECK-NOT: arith.andi %{{.*}} : i1
  %i = eft.arange 0 to 64 : tensor<64xi32, #layout>
  %ns = eft.splat %n : i32 -> tensor<64xi32, #layout>
  %m = arith.cmpi slt, %i, %ns : tensor<64xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>, #layout>
  %x = eft.load %ps, mask %m {run = 2 : i32, prefix} : tensor<64x!eft.ptr<f32>, #layout>
  eft.store %ps, %x, mask %m {run = 2 : i32, prefix} : tensor<64x!eft.ptr<f32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>

// CHECK-LABEL: @mask_is_not_a_prefix
func.func @mask_is_not_a_prefix(%p: !eft.ptr<f32>, %m: !eft.ptr<i8>) {
  // CHECK: %[[M0:.*]] = arith.cmpi ne
  // CHECK: %[[M1:.*]] = arith.cmpi ne
  // CHECK: %[[ALL:.*]] = arith.andi %[[M0]], %[[M1]] : i1
  // CHECK: %[[USUAL:.*]] = llvm.intr.expect %[[ALL]], %true : i1
  // CHECK: %[[X:.*]]:2 = scf.if %[[USUAL]] -> (f32, f32)
  // CHECK: llvm.load %{{.*}} -> vector<2xi32>
  // CHECK: } else {
  // CHECK: scf.if %[[M0]] -> (f32)
  // CHECK: llvm.load %{{.*}} -> f32
  // CHECK: scf.if %[[M1]] -> (f32)
  // CHECK: llvm.load %{{.*}} -> f32
  %i = eft.arange 0 to 64 : tensor<64xi32, #layout>
  %ms = eft.splat %m : !eft.ptr<i8> -> tensor<64x!eft.ptr<i8>, #layout>
  %mi = eft.addptr %ms, %i : tensor<64x!eft.ptr<i8>, #layout>, tensor<64xi32, #layout>
  %b = eft.load %mi : tensor<64x!eft.ptr<i8>, #layout>
  %zero = arith.constant dense<0> : tensor<64xi8, #layout>
  %mask = arith.cmpi ne, %b, %zero : tensor<64xi8, #layout>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>, #layout>
  %x = eft.load %ps, mask %mask {run = 2 : i32} : tensor<64x!eft.ptr<f32>, #layout>
  eft.store %ps, %x {run = 2 : i32} : tensor<64x!eft.ptr<f32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[1], [64]], lane = [[2], [4], [8], [16], [32]], warp = []>

// Each access has the mask of its run as its predicate, and there is no branch.
// CHECK-LABEL: @one_mask_for_each_run
func.func @one_mask_for_each_run(%p: !eft.ptr<f32>, %o: f32, %n: i32 {eft.divisibility = 2 : i32}) {
  // CHECK: %[[M0:.*]] = arith.cmpi slt
  // CHECK: %[[M1:.*]] = arith.cmpi slt
  // CHECK-NOT: scf.if
  // CHECK-NOT: arith.andi %{{.*}} : i1
  // CHECK: eft.thread_load %{{.*}} if %[[M0]] : !llvm.ptr<1> -> vector<2xi32>
  // CHECK: eft.thread_load %{{.*}} if %[[M1]] : !llvm.ptr<1> -> vector<2xi32>
  // CHECK: eft.thread_load %{{.*}} if %[[M0]] else %{{.*}} : !llvm.ptr<1> -> vector<2xi32>
  // CHECK: eft.thread_store %{{.*}}, %{{.*}} if %[[M0]] : !llvm.ptr<1>, vector<2xi32>
  // CHECK: eft.thread_store %{{.*}}, %{{.*}} if %[[M1]] : !llvm.ptr<1>, vector<2xi32>
  // CHECK-NOT: scf.if
  // CHECK: return
  %i = eft.arange 0 to 128 : tensor<128xi32, #layout>
  %two = arith.constant dense<1> : tensor<128xi32, #layout>
  %ns = eft.splat %n : i32 -> tensor<128xi32, #layout>
  %m = arith.cmpi slt, %i, %ns : tensor<128xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>, #layout>
  %os = eft.splat %o : f32 -> tensor<128xf32, #layout>
  %x = eft.load %ps, mask %m {run = 2 : i32, uniformRuns} : tensor<128x!eft.ptr<f32>, #layout>
  %y = eft.load %ps, mask %m other %os {run = 2 : i32, uniformRuns} : tensor<128x!eft.ptr<f32>, #layout>
  %z = arith.addf %x, %y : tensor<128xf32, #layout>
  eft.store %ps, %z, mask %m {run = 2 : i32, uniformRuns} : tensor<128x!eft.ptr<f32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[1], [64]], lane = [[2], [4], [8], [16], [32]], warp = []>

// The mask of the last element of each run decides for the whole run.
// CHECK-LABEL: @mask_cuts_a_run
func.func @mask_cuts_a_run(%p: !eft.ptr<f32>, %n: i32) {
  // CHECK: arith.cmpi slt
  // CHECK: %[[M1:.*]] = arith.cmpi slt
  // CHECK: arith.cmpi slt
  // CHECK: %[[M3:.*]] = arith.cmpi slt
  // CHECK: %[[ALL:.*]] = arith.andi %[[M1]], %[[M3]] : i1
  // CHECK-NOT: arith.andi %{{.*}} : i1
  // CHECK: expect %[[ALL]]
  %i = eft.arange 0 to 128 : tensor<128xi32, #layout>
  %ns = eft.splat %n : i32 -> tensor<128xi32, #layout>
  %m = arith.cmpi slt, %i, %ns : tensor<128xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>, #layout>
  %x = eft.load %ps, mask %m {run = 2 : i32, prefixRuns} : tensor<128x!eft.ptr<f32>, #layout>
  eft.store %ps, %x {run = 2 : i32} : tensor<128x!eft.ptr<f32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>

// The access begins one element before the second element. If the first element is elsewhere, it is
// loaded separately, and all elements are stored one by one.
// CHECK-LABEL: @first_elements_may_lie_elsewhere
// CHECK-SAME: %[[M:[a-z0-9]+]]: i1)
func.func @first_elements_may_lie_elsewhere(%p: !eft.ptr<f32>, %s: i32, %n: i32, %m: i1) {
  // CHECK: %[[OFFSET0:.*]] = arith.muli %{{.*}}, %c4_i64
  // CHECK: %[[OFFSET1:.*]] = arith.muli %{{.*}}, %c4_i64
  // CHECK: %[[SECOND:.*]] = llvm.inttoptr
  // CHECK: %[[FROM:.*]] = llvm.getelementptr %[[SECOND]][-1]
  // CHECK: %[[WORDS:.*]] = llvm.load %[[FROM]] {{.*}} -> vector<4xi32>
  // CHECK: %[[NEXT:.*]] = arith.addi %[[OFFSET0]], %c4_i64
  // CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[NEXT]], %[[OFFSET1]] : i64
  // CHECK: %[[BROKEN:.*]] = arith.xori %[[WHOLE]], %true : i1
  // CHECK: %[[SELDOM:.*]] = llvm.intr.expect %[[BROKEN]], %false : i1
  // CHECK: scf.if %[[SELDOM]] -> (vector<4xi32>) {
  // CHECK: %[[FIRST:.*]] = llvm.inttoptr
  // CHECK: %[[HEAD:.*]] = llvm.load %[[FIRST]] {{.*}} -> f32
  // CHECK: llvm.insertelement %[[HEAD]], %{{.*}}[%c0
  // CHECK: } else {
  // CHECK: scf.yield %[[WORDS]]
  %i = eft.arange 0 to 128 : tensor<128xi32, #layout>
  %ss = eft.splat %s : i32 -> tensor<128xi32, #layout>
  %ns = eft.splat %n : i32 -> tensor<128xi32, #layout>
  %is = arith.addi %i, %ss : tensor<128xi32, #layout>
  %r = arith.remsi %is, %ns : tensor<128xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>, #layout>
  %pr = eft.addptr %ps, %r : tensor<128x!eft.ptr<f32>, #layout>, tensor<128xi32, #layout>
  %x = eft.load %pr {run = 4 : i32, headless} : tensor<128x!eft.ptr<f32>, #layout>
  // CHECK: eft.thread_store %[[FROM]], %{{.*}} if %[[WHOLE]] : !llvm.ptr<1>, vector<4xi32>
  // CHECK: scf.if %[[SELDOM]]
  // CHECK: %[[FIRST:.*]] = llvm.inttoptr
  // CHECK: llvm.store %{{.*}}, %[[FIRST]]
  // CHECK: llvm.store %{{.*}}, %[[SECOND]]
  eft.store %pr, %x {run = 4 : i32, headless} : tensor<128x!eft.ptr<f32>, #layout>
  // CHECK: %[[INSIDE:.*]] = arith.andi %[[M]], %[[WHOLE]] : i1
  // CHECK: eft.thread_store %{{.*}}, %{{.*}} if %[[INSIDE]] : !llvm.ptr<1>, vector<4xi32>
  // CHECK: scf.if %[[SELDOM]]
  // CHECK-NEXT: scf.if %[[M]]
  %ms = eft.splat %m : i1 -> tensor<128xi1, #layout>
  eft.store %pr, %x, mask %ms {run = 4 : i32, headless, uniformRuns} : tensor<128x!eft.ptr<f32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [], lane = [[1], [2], [0], [0], [0]], warp = []>

// Several threads hold each element. Those whose upper bits are zero store it.
// CHECK-LABEL: @fewer_elements_than_threads
func.func @fewer_elements_than_threads(%p: !eft.ptr<f32>, %x: f32) {
  // CHECK: %[[UPPER:.*]] = arith.andi %{{.*}}, %c28
  // CHECK: %[[MINE:.*]] = arith.cmpi eq, %[[UPPER]], %c0
  // CHECK: scf.if %[[MINE]]
  // CHECK-NEXT: llvm.inttoptr
  // CHECK-NEXT: llvm.store
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<4x!eft.ptr<f32>, #layout>
  %xs = eft.splat %x : f32 -> tensor<4xf32, #layout>
  eft.store %ps, %xs : tensor<4x!eft.ptr<f32>, #layout>
  return
}

// -----

// CHECK-LABEL: @one_thread_stores_a_scalar
func.func @one_thread_stores_a_scalar(%p: !eft.ptr<i32>) {
  // CHECK: %[[ID:.*]] = nvvm.read.ptx.sreg.ctaid.y
  // CHECK: %[[COUNT:.*]] = nvvm.read.ptx.sreg.nctaid.z
  // CHECK: %[[SUM:.*]] = arith.addi %[[ID]], %[[COUNT]]
  // CHECK: arith.andi %{{.*}}, %c1023
  // CHECK: scf.if
  // CHECK: llvm.store %[[SUM]]
  %id = eft.program_id y
  %count = eft.num_programs z
  %sum = arith.addi %id, %count : i32
  eft.store %p, %sum : !eft.ptr<i32>
  return
}

// -----

// All threads have read the number before one of them increments it.
// CHECK-LABEL: @counter
func.func @counter(%p: !eft.ptr<i32>) {
  // CHECK: llvm.load
  // CHECK: nvvm.barrier0
  // CHECK: scf.if
  // CHECK: llvm.store
  // CHECK: nvvm.barrier0
  %one = arith.constant 1 : i32
  %n = eft.load %p : !eft.ptr<i32>
  %sum = arith.addi %n, %one : i32
  eft.store %p, %sum : !eft.ptr<i32>
  return
}

// -----

#layout = #eft.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>

// A block's elements are at other positions than a scalar, so the load of the block waits for no store
// of the scalar.
// CHECK-LABEL: @sum_beside_a_block
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.store
// CHECK-NOT: nvvm.barrier0
// CHECK: llvm.load
// CHECK: return
func.func @sum_beside_a_block(%p: !eft.ptr<f32>, %x: f32) {
  eft.store %p, %x : !eft.ptr<f32>
  %range = eft.arange 0 to 64 : tensor<64xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>, #layout>
  %xs = eft.addptr %ps, %range : tensor<64x!eft.ptr<f32>, #layout>, tensor<64xi32, #layout>
  %block = eft.load %xs : tensor<64x!eft.ptr<f32>, #layout>
  eft.store %xs, %block : tensor<64x!eft.ptr<f32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>

// Accesses of one element have predicates, too, if the mask cuts the block in every program.
// CHECK-LABEL: @row_of_an_odd_length
// CHECK-NOT: scf.if
// CHECK: eft.thread_load %{{.*}} if %[[C:[a-z0-9_]+]] : !llvm.ptr<1> -> i32
// CHECK: eft.thread_store %{{.*}} if %[[C]] : !llvm.ptr<1>, i32
// CHECK-NOT: scf.if
func.func @row_of_an_odd_length(%p: !eft.ptr<f32>, %n: i32) {
  %range = eft.arange 0 to 64 : tensor<64xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>, #layout>
  %xs = eft.addptr %ps, %range : tensor<64x!eft.ptr<f32>, #layout>, tensor<64xi32, #layout>
  %ns = eft.splat %n : i32 -> tensor<64xi32, #layout>
  %mask = arith.cmpi slt, %range, %ns : tensor<64xi32, #layout>
  %x = eft.load %xs, mask %mask {run = 1 : i32, uniformRuns} : tensor<64x!eft.ptr<f32>, #layout>
  eft.store %xs, %x, mask %mask {run = 1 : i32, uniformRuns} : tensor<64x!eft.ptr<f32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>

// CHECK-LABEL: @uniform_division
// CHECK-SAME: f32, %[[D:.*]]: f32
func.func @uniform_division(%p: !eft.ptr<f32>, %d: f32, %r: f32) {
  // CHECK: %[[LESS:.*]] = arith.subi %{{.*}}, %{{.*}} : i32
  // CHECK: %[[MOST:.*]] = arith.constant 253 : i32
  // CHECK: %[[POWER:.*]] = arith.cmpi ult, %[[LESS]], %[[MOST]]
  // CHECK: scf.if %[[POWER]] -> (f32, f32)
  // CHECK: %[[TWICE:.*]] = arith.constant 2130706432 : i32
  // CHECK: %[[DIFFERENCE:.*]] = arith.subi %[[TWICE]], %{{.*}}
  // CHECK: %[[EXACT:.*]] = arith.bitcast %[[DIFFERENCE]] : i32 to f32
  // CHECK-COUNT-2: arith.mulf %{{.*}}, %[[EXACT]]
  // CHECK-NOT: arith.mulf
  // CHECK: } else {
  // CHECK: %[[SAFE:.*]] = arith.andi
  // CHECK: scf.if %{{.*}} -> (f32, f32)
  // CHECK: %[[Q:.*]] = arith.mulf %[[X:[0-9]+]], %{{.*}} : f32
  // CHECK: %[[NX:.*]] = arith.negf %[[X]]
  // CHECK: %[[E:.*]] = math.fma %[[Q]], %{{.*}}, %[[NX]]
  // CHECK: math.fma %[[E]], %{{.*}}, %[[Q]]
  // CHECK: } else {
  // CHECK-COUNT-2: arith.divf
  %i = eft.arange 0 to 64 : tensor<64xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>, #layout>
  %pi = eft.addptr %ps, %i : tensor<64x!eft.ptr<f32>, #layout>, tensor<64xi32, #layout>
  %x = eft.load %pi : tensor<64x!eft.ptr<f32>, #layout>
  %q = eft.uniform_div %x, %d, %r : tensor<64xf32, #layout>, f32
  eft.store %ps, %q : tensor<64x!eft.ptr<f32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>

// Divisions in which no bits are known to be lost are done without a test.
// CHECK-LABEL: @plain_quotients
func.func @plain_quotients(%p: !eft.ptr<f32>) {
  // CHECK-NOT: scf.if
  // CHECK: %[[NEAR:.*]] = nvvm.rcp.approx.ftz.f %[[D:.*]] : f32
  // CHECK: %[[REST:.*]] = math.fma %{{.*}}, %[[NEAR]], %{{.*}} : f32
  // CHECK: %[[INVERSE:.*]] = math.fma %[[NEAR]], %[[REST]], %[[NEAR]] : f32
  // CHECK: %[[QUOTIENT:.*]] = arith.mulf %{{.*}}, %[[INVERSE]] : f32
  // CHECK: %[[REMAINDER:.*]] = math.fma %[[QUOTIENT]], %[[D]], %{{.*}} : f32
  // CHECK: math.fma %[[REMAINDER]], %{{.*}}, %[[QUOTIENT]] : f32
  // CHECK-NOT: arith.divf
  // CHECK: return
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>, #layout>
  %x = eft.load %ps : tensor<64x!eft.ptr<f32>, #layout>
  %one = arith.constant dense<1.0> : tensor<64xf32, #layout>
  %d = arith.addf %x, %one : tensor<64xf32, #layout>
  %q = arith.divf %x, %d {eft.plain_quotient} : tensor<64xf32, #layout>
  eft.store %ps, %q : tensor<64x!eft.ptr<f32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>

// A reciprocal needs no more than the refined approximation.
// CHECK-LABEL: @plain_reciprocals
func.func @plain_reciprocals(%p: !eft.ptr<f32>) {
  // CHECK: %[[NEAR:.*]] = nvvm.rcp.approx.ftz.f
  // CHECK: %[[REST:.*]] = math.fma %{{.*}}, %[[NEAR]],
  // CHECK: math.fma %[[NEAR]], %[[REST]], %[[NEAR]]
  // CHECK-NOT: arith.mulf
  // CHECK: return
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>, #layout>
  %d = eft.load %ps : tensor<64x!eft.ptr<f32>, #layout>
  %one = arith.constant dense<1.0> : tensor<64xf32, #layout>
  %q = arith.divf %one, %d {eft.plain_quotient} : tensor<64xf32, #layout>
  eft.store %ps, %q : tensor<64x!eft.ptr<f32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[0], [0], [1]], lane = [[2], [4], [8], [16], [32]], warp = []>

// A thread computes an element once, even if it holds several copies: here two elements with four copies
// each.
// CHECK-LABEL: @copies_of_elements
func.func @copies_of_elements(%p: !eft.ptr<f32>) {
  // CHECK-COUNT-2: math.sqrt
  // CHECK-NOT: math.sqrt
  // CHECK: return
  %i = eft.arange 0 to 64 : tensor<64xi32, #layout>
  %j = arith.sitofp %i : tensor<64xi32, #layout> to tensor<64xf32, #layout>
  %root = math.sqrt %j : tensor<64xf32, #layout>
  %most = eft.reduce %root axis 0 steps 1 tree [2, 1, 4, 8, 16, 32] : (tensor<64xf32, #layout>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %max = arith.maximumf %a, %b : f32
    eft.yield %max : f32
  }
  eft.store %p, %most : !eft.ptr<f32>
  return
}

// -----

#sixteen = #eft.layout<register = [[1], [2], [4], [8]], lane = [[16], [32], [64], [128], [256]], warp = []>
#four = #eft.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>
#rows = #eft.layout<register = [[0, 1], [0, 2], [1, 0]], lane = [[2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], warp = []>
#flat = #eft.layout<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = []>
#row1 = #eft.layout<register = [[0, 0], [0, 0], [1, 0]], lane = [[2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], warp = []>
#row = #eft.layout<register = [[0], [0], [1]], lane = [[2], [4], [8], [16], [32]], warp = []>

// A thread has four elements of each of two rows, so it computes two reciprocals.
// CHECK-LABEL: @division_of_rows
func.func @division_of_rows(%p: !eft.ptr<f32>) {
  // CHECK-NOT: arith.divf
  // CHECK: scf.if %{{.*}} -> (f32, f32, f32, f32)
  // CHECK: %[[NEAR:.*]] = nvvm.rcp.approx.ftz.f %[[D:.*]] : f32
  // CHECK: %[[INVERSE:.*]] = math.fma %[[NEAR]], %{{.*}}, %[[NEAR]]
  // CHECK: %[[Q:.*]] = arith.mulf %{{.*}}, %[[INVERSE]] : f32
  // CHECK: math.fma %[[Q]], %[[D]]
  // CHECK-NOT: nvvm.rcp
  // CHECK: } else {
  // CHECK-COUNT-4: arith.divf %{{.*}}, %[[D]]
  // CHECK: }
  // CHECK: scf.if %{{.*}} -> (f32, f32, f32, f32)
  // CHECK-COUNT-1: nvvm.rcp
  // CHECK-NOT: nvvm.rcp
  // CHECK: } else {
  // CHECK-COUNT-4: arith.divf
  // CHECK-NOT: arith.divf
  // CHECK: return
  %i = eft.arange 0 to 64 : tensor<64xi32, #row>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>, #row>
  %pi = eft.addptr %ps, %i : tensor<64x!eft.ptr<f32>, #row>, tensor<64xi32, #row>
  %d = eft.load %pi : tensor<64x!eft.ptr<f32>, #row>
  %column = eft.expand_dims %d axis 1 : tensor<64xf32, #row> -> tensor<64x1xf32, #row1>
  %ds = eft.broadcast %column : tensor<64x1xf32, #row1> -> tensor<64x4xf32, #rows>
  %all = eft.arange 0 to 256 : tensor<256xi32, #flat>
  %j = eft.reshape %all : tensor<256xi32, #flat> -> tensor<64x4xi32, #rows>
  %q0 = eft.splat %p : !eft.ptr<f32> -> tensor<64x4x!eft.ptr<f32>, #rows>
  %qp = eft.addptr %q0, %j : tensor<64x4x!eft.ptr<f32>, #rows>, tensor<64x4xi32, #rows>
  %x = eft.load %qp : tensor<64x4x!eft.ptr<f32>, #rows>
  %q = arith.divf %x, %ds : tensor<64x4xf32, #rows>
  eft.store %qp, %q : tensor<64x4x!eft.ptr<f32>, #rows>
  return
}

// Four elements have four divisors. One test decides for all of them.
// CHECK-LABEL: @division_by_block
func.func @division_by_block(%p: !eft.ptr<f32>) {
  // CHECK-COUNT-3: arith.maxui
  // CHECK: scf.if %{{.*}} -> (f32, f32, f32, f32)
  // CHECK-COUNT-4: nvvm.rcp
  // The quotient gets the sign of x times the reciprocal.
  // CHECK: %[[Q:.*]] = arith.mulf
  // CHECK: %[[E:.*]] = math.fma %[[Q]]
  // CHECK: math.fma %[[E]], %{{.*}}, %[[Q]]
  // CHECK: arith.ori
  // CHECK: } else {
  // CHECK-COUNT-4: arith.divf
  // CHECK-NOT: arith.divf
  // CHECK: return
  %i = eft.arange 0 to 128 : tensor<128xi32, #four>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>, #four>
  %pi = eft.addptr %ps, %i : tensor<128x!eft.ptr<f32>, #four>, tensor<128xi32, #four>
  %x = eft.load %pi : tensor<128x!eft.ptr<f32>, #four>
  %d = arith.addf %x, %x : tensor<128xf32, #four>
  %q = arith.divf %x, %d : tensor<128xf32, #four>
  eft.store %pi, %q : tensor<128x!eft.ptr<f32>, #four>
  return
}

// CHECK-LABEL: @division_by_positive_block
func.func @division_by_positive_block(%p: !eft.ptr<f32>) {
  // CHECK: scf.if %{{.*}} -> (f32, f32, f32, f32)
  // CHECK-COUNT-4: nvvm.rcp
  // CHECK-NOT: arith.ori
  // CHECK: } else {
  // CHECK: return
  %i = eft.arange 0 to 128 : tensor<128xi32, #four>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>, #four>
  %pi = eft.addptr %ps, %i : tensor<128x!eft.ptr<f32>, #four>, tensor<128xi32, #four>
  %x = eft.load %pi : tensor<128x!eft.ptr<f32>, #four>
  %d = arith.addf %x, %x : tensor<128xf32, #four>
  %q = arith.divf %x, %d {eft.nonnegative_divisor} : tensor<128xf32, #four>
  eft.store %pi, %q : tensor<128x!eft.ptr<f32>, #four>
  return
}

// If a thread has many elements, a loop makes the ordinary divisions. It carries the dividends and
// the divisors.
// CHECK-LABEL: @division_of_many_elements
func.func @division_of_many_elements(%p: !eft.ptr<f32>) {
  // CHECK: } else {
  // CHECK: scf.for {{.*}} iter_args({{.*}}) -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)
  // CHECK-COUNT-4: arith.divf
  // CHECK-NOT: arith.divf
  // CHECK: return
  %i = eft.arange 0 to 512 : tensor<512xi32, #sixteen>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<512x!eft.ptr<f32>, #sixteen>
  %pi = eft.addptr %ps, %i : tensor<512x!eft.ptr<f32>, #sixteen>, tensor<512xi32, #sixteen>
  %x = eft.load %pi : tensor<512x!eft.ptr<f32>, #sixteen>
  %d = arith.addf %x, %x : tensor<512xf32, #sixteen>
  %q = arith.divf %x, %d : tensor<512xf32, #sixteen>
  eft.store %pi, %q : tensor<512x!eft.ptr<f32>, #sixteen>
  return
}

// If all divisors are the same, one reciprocal is enough.
// CHECK-LABEL: @division_by_counts
func.func @division_by_counts(%p: !eft.ptr<f32>) {
  // CHECK-COUNT-3: arith.cmpi eq
  // CHECK: scf.if %{{.*}} -> (f32, f32, f32, f32)
  // CHECK: scf.if %{{.*}} -> (f32, f32, f32, f32)
  // CHECK-COUNT-1: nvvm.rcp
  // CHECK-NOT: nvvm.rcp
  // CHECK: } else {
  // CHECK-COUNT-4: arith.divf
  // CHECK: scf.if %{{.*}} -> (f32, f32, f32, f32)
  // CHECK-COUNT-4: nvvm.rcp
  // CHECK: } else {
  // CHECK-COUNT-4: arith.divf
  // CHECK: return
  %i = eft.arange 0 to 128 : tensor<128xi32, #four>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>, #four>
  %pi = eft.addptr %ps, %i : tensor<128x!eft.ptr<f32>, #four>, tensor<128xi32, #four>
  %x = eft.load %pi : tensor<128x!eft.ptr<f32>, #four>
  %d = arith.addf %x, %x : tensor<128xf32, #four>
  %q = arith.divf %x, %d {eft.counting_divisor} : tensor<128xf32, #four>
  eft.store %pi, %q : tensor<128x!eft.ptr<f32>, #four>
  return
}

// CHECK-LABEL: @division_of_rows_of_positive_numbers
func.func @division_of_rows_of_positive_numbers(%p: !eft.ptr<f32>) {
  // CHECK-COUNT-3: arith.maxui
  // CHECK: %[[SAFE:.*]] = scf.if %{{.*}} -> (i1)
  // CHECK: %[[BOTH:.*]] = arith.andi %[[SAFE]]
  // CHECK: scf.if %[[BOTH]] -> (f32, f32, f32, f32)
  %i = eft.arange 0 to 64 : tensor<64xi32, #row>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>, #row>
  %pi = eft.addptr %ps, %i : tensor<64x!eft.ptr<f32>, #row>, tensor<64xi32, #row>
  %d = eft.load %pi : tensor<64x!eft.ptr<f32>, #row>
  %column = eft.expand_dims %d axis 1 : tensor<64xf32, #row> -> tensor<64x1xf32, #row1>
  %ds = eft.broadcast %column : tensor<64x1xf32, #row1> -> tensor<64x4xf32, #rows>
  %all = eft.arange 0 to 256 : tensor<256xi32, #flat>
  %j = eft.reshape %all : tensor<256xi32, #flat> -> tensor<64x4xi32, #rows>
  %q0 = eft.splat %p : !eft.ptr<f32> -> tensor<64x4x!eft.ptr<f32>, #rows>
  %qp = eft.addptr %q0, %j : tensor<64x4x!eft.ptr<f32>, #rows>, tensor<64x4xi32, #rows>
  %x = eft.load %qp : tensor<64x4x!eft.ptr<f32>, #rows>
  %q = arith.divf %x, %ds {eft.nonnegative_dividend} : tensor<64x4xf32, #rows>
  eft.store %qp, %q : tensor<64x4x!eft.ptr<f32>, #rows>
  return
}

// -----

#layout = #eft.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>

// Positive dividends take a shorter test. Where it fails, because one of them is zero, the test that
// allows zeros follows.
// CHECK-LABEL: @division_of_positive_numbers
func.func @division_of_positive_numbers(%p: !eft.ptr<f32>, %d: f32, %r: f32) {
  // CHECK: scf.if
  // CHECK: arith.minui
  // CHECK: arith.maxui
  // CHECK: %[[POSITIVE:.*]] = arith.andi
  // CHECK: %[[SAFE:.*]] = scf.if %[[POSITIVE]] -> (i1)
  // CHECK: } else {
  // CHECK: arith.maxnumf
  // CHECK: arith.minui
  // CHECK: }
  // CHECK: %[[BOTH:.*]] = arith.andi %[[SAFE]]
  // CHECK: scf.if %[[BOTH]] -> (f32, f32)
  %i = eft.arange 0 to 64 : tensor<64xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>, #layout>
  %pi = eft.addptr %ps, %i : tensor<64x!eft.ptr<f32>, #layout>, tensor<64xi32, #layout>
  %x = eft.load %pi : tensor<64x!eft.ptr<f32>, #layout>
  %q = eft.uniform_div %x, %d, %r {eft.nonnegative_dividend} : tensor<64xf32, #layout>, f32
  eft.store %ps, %q : tensor<64x!eft.ptr<f32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[1], [2], [4], [8]], lane = [[16], [32], [64], [128], [256]], warp = []>

// CHECK-LABEL: @uniform_division_of_many
func.func @uniform_division_of_many(%p: !eft.ptr<f32>, %d: f32, %r: f32) {
  // CHECK: scf.if
  // CHECK: scf.if
  // CHECK-COUNT-32: math.fma
  // CHECK: } else {
  // CHECK: scf.for
  // CHECK-COUNT-4: arith.divf
  // CHECK-NOT: arith.divf
  // CHECK: return
  %i = eft.arange 0 to 512 : tensor<512xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<512x!eft.ptr<f32>, #layout>
  %pi = eft.addptr %ps, %i : tensor<512x!eft.ptr<f32>, #layout>, tensor<512xi32, #layout>
  %x = eft.load %pi : tensor<512x!eft.ptr<f32>, #layout>
  %q = eft.uniform_div %x, %d, %r : tensor<512xf32, #layout>, f32
  eft.store %pi, %q : tensor<512x!eft.ptr<f32>, #layout>
  return
}

// -----

// CHECK-LABEL: @remainder
func.func @remainder(%p: !eft.ptr<f32>, %x: f32, %y: f32) {
  // CHECK: %[[MULTIPLE:.*]] = scf.while
  // CHECK: %[[LEFT:.*]]:2 = scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %[[MULTIPLE]])
  // CHECK: math.copysign %[[LEFT]]#0
  // CHECK-NOT: arith.remf
  %r = arith.remf %x, %y : f32
  eft.store %p, %r : !eft.ptr<f32>
  return
}

// -----

#layout = #eft.layout<register = [[1], [3]], lane = [[4], [8], [16], [32], [64]], warp = []>

// The last register does not hold the highest index, so all masks are tested.
// CHECK-LABEL: @prefix_in_a_swizzled_layout
func.func @prefix_in_a_swizzled_layout(%p: !eft.ptr<f32>, %n: i32) {
  // CHECK-COUNT-3: arith.andi %{{.*}} : i1
  %i = eft.arange 0 to 128 : tensor<128xi32, #layout>
  %ns = eft.splat %n : i32 -> tensor<128xi32, #layout>
  %m = arith.cmpi slt, %i, %ns : tensor<128xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>, #layout>
  %pi = eft.addptr %ps, %i : tensor<128x!eft.ptr<f32>, #layout>, tensor<128xi32, #layout>
  %x = eft.load %pi, mask %m {prefix} : tensor<128x!eft.ptr<f32>, #layout>
  eft.store %pi, %x : tensor<128x!eft.ptr<f32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[0], [1], [0]], lane = [[2], [4], [8], [16], [32]], warp = []>

// A thread that holds four copies of each of two elements loads two elements, with or without a mask.
// CHECK-LABEL: @copies_are_loaded_once
func.func @copies_are_loaded_once(%p: !eft.ptr<f32>, %q: !eft.ptr<f32>, %n: i32) {
  // CHECK-COUNT-2: llvm.load
  // CHECK-NOT: llvm.load
  // CHECK: scf.if
  // CHECK-COUNT-2: llvm.load
  // CHECK-NEXT: scf.yield %[[A:.*]], %[[B:.*]] : f32, f32
  // CHECK-COUNT-2: llvm.load
  // CHECK-NOT: llvm.load
  %i = eft.arange 0 to 64 : tensor<64xi32, #layout>
  %ns = eft.splat %n : i32 -> tensor<64xi32, #layout>
  %m = arith.cmpi slt, %i, %ns : tensor<64xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>, #layout>
  %pi = eft.addptr %ps, %i : tensor<64x!eft.ptr<f32>, #layout>, tensor<64xi32, #layout>
  %qs = eft.splat %q : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>, #layout>
  %qi = eft.addptr %qs, %i : tensor<64x!eft.ptr<f32>, #layout>, tensor<64xi32, #layout>
  %0 = eft.load %pi : tensor<64x!eft.ptr<f32>, #layout>
  %1 = eft.load %qi, mask %m : tensor<64x!eft.ptr<f32>, #layout>
  eft.store %pi, %1 : tensor<64x!eft.ptr<f32>, #layout>
  eft.store %qi, %0 : tensor<64x!eft.ptr<f32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>

// Minima and maxima are lowered like upstream's elementwise operations, for blocks and scalars.
// CHECK-LABEL: @extrema
func.func @extrema(%p: !eft.ptr<f32>, %x: f32, %y: f32) {
  // CHECK: %[[M:.*]] = eft.max_num %arg1, %arg2 : f32
  %m = eft.max_num %x, %y : f32
  // CHECK-COUNT-2: eft.min_num %{{.*}}, %[[M]] : f32
  %i = eft.arange 0 to 64 : tensor<64xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>, #layout>
  %pi = eft.addptr %ps, %i : tensor<64x!eft.ptr<f32>, #layout>, tensor<64xi32, #layout>
  %v = eft.load %pi : tensor<64x!eft.ptr<f32>, #layout>
  %ms = eft.splat %m : f32 -> tensor<64xf32, #layout>
  %r = eft.min_num %v, %ms : tensor<64xf32, #layout>
  eft.store %pi, %r : tensor<64x!eft.ptr<f32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>

// Two floats are converted at a time. The branch yields the loaded words unsplit.
// CHECK-LABEL: @narrow_floats
// CHECK: %[[WORDS:.*]] = scf.if %{{.*}} -> (i32) {
// CHECK: %[[HALVES:.*]] = llvm.bitcast %[[WORDS]] : i32 to vector<2xf16>
// CHECK: llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"(%{{.*}}, %{{.*}}) : (f32, f32) -> vector<2xbf16>
func.func @narrow_floats(%p: !eft.ptr<f16>, %q: !eft.ptr<bf16>, %n: i32) {
  %i = eft.arange 0 to 64 : tensor<64xi32, #layout>
  %ns = eft.splat %n : i32 -> tensor<64xi32, #layout>
  %m = arith.cmpi slt, %i, %ns : tensor<64xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<64x!eft.ptr<f16>, #layout>
  %pi = eft.addptr %ps, %i : tensor<64x!eft.ptr<f16>, #layout>, tensor<64xi32, #layout>
  %x = eft.load %pi, mask %m {run = 2 : i32, prefix} : tensor<64x!eft.ptr<f16>, #layout>
  %wide = arith.extf %x : tensor<64xf16, #layout> to tensor<64xf32, #layout>
  %narrow = arith.truncf %wide : tensor<64xf32, #layout> to tensor<64xbf16, #layout>
  %qs = eft.splat %q : !eft.ptr<bf16> -> tensor<64x!eft.ptr<bf16>, #layout>
  %qi = eft.addptr %qs, %i : tensor<64x!eft.ptr<bf16>, #layout>, tensor<64xi32, #layout>
  eft.store %qi, %narrow {run = 2 : i32} : tensor<64x!eft.ptr<bf16>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>

// Booleans are computed where they are used, not before the square roots.
// CHECK-LABEL: @late_comparison
// CHECK-COUNT-2: math.sqrt
// CHECK-COUNT-2: arith.cmpf
// CHECK-COUNT-2: arith.select
func.func @late_comparison(%p: !eft.ptr<f32>, %v: f32) {
  %i = eft.arange 0 to 64 : tensor<64xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>, #layout>
  %pi = eft.addptr %ps, %i : tensor<64x!eft.ptr<f32>, #layout>, tensor<64xi32, #layout>
  %x = eft.load %pi : tensor<64x!eft.ptr<f32>, #layout>
  %vs = eft.splat %v : f32 -> tensor<64xf32, #layout>
  %m = arith.cmpf ogt, %x, %vs : tensor<64xf32, #layout>
  %root = math.sqrt %x : tensor<64xf32, #layout>
  %y = arith.select %m, %root, %vs : tensor<64xi1, #layout>, tensor<64xf32, #layout>
  eft.store %pi, %y : tensor<64x!eft.ptr<f32>, #layout>
  return
}

// -----

#layout = #eft.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>

// An approximate reciprocal needs no test of the operand's range.
// CHECK-LABEL: @approximate_reciprocals
// CHECK-NOT: scf.if
// CHECK-COUNT-4: arith.divf %{{.*}}, %{{.*}} fastmath<afn> : f32
// CHECK-NOT: scf.if
func.func @approximate_reciprocals(%p: !eft.ptr<f32>) {
  %i = eft.arange 0 to 128 : tensor<128xi32, #layout>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>, #layout>
  %pi = eft.addptr %ps, %i : tensor<128x!eft.ptr<f32>, #layout>, tensor<128xi32, #layout>
  %x = eft.load %pi : tensor<128x!eft.ptr<f32>, #layout>
  %one = arith.constant dense<1.0> : tensor<128xf32, #layout>
  %y = arith.divf %one, %x fastmath<afn> : tensor<128xf32, #layout>
  eft.store %pi, %y : tensor<128x!eft.ptr<f32>, #layout>
  return
}

// -----

#rows = #eft.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>
#few = #eft.layout<register = [], lane = [[1], [2], [4], [8], [0]], warp = []>

// Two lanes hold each of the 16 elements, and one of them stores it. No load accesses blocks of 16
// elements, so there is no barrier.
// CHECK-LABEL: @meets_no_load
// CHECK-NOT: nvvm.barrier0
func.func @meets_no_load(%p: !eft.ptr<f32>, %q: !eft.ptr<f32>) {
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>, #rows>
  %x = eft.load %ps : tensor<64x!eft.ptr<f32>, #rows>
  eft.store %ps, %x : tensor<64x!eft.ptr<f32>, #rows>
  %qs = eft.splat %q : !eft.ptr<f32> -> tensor<16x!eft.ptr<f32>, #few>
  %y = arith.constant dense<1.0> : tensor<16xf32, #few>
  eft.store %qs, %y {eft.meets_no_load} : tensor<16x!eft.ptr<f32>, #few>
  return
}
