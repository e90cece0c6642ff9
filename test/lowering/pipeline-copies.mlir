// RUN: eft-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(eft-pipeline-copies{num-stages=3}))' | FileCheck %s
// RUN: eft-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(eft-pipeline-copies{num-stages=1}))' | FileCheck %s --check-prefix=OFF
// RUN: eft-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(eft-pipeline-copies{num-stages=3 max-bytes=4500}))' | FileCheck %s --check-prefix=LITTLE

#acc = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#a = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #eft.layout<register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#rows = #eft.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = []>

// The addresses of both operands are computed two iterations ahead. The mask is that of the iteration
// ahead, and copies for iterations that do not run have a false condition.
// CHECK-LABEL: @product
// OFF-LABEL: @product
// OFF-NOT: eft.copy_async
// LITTLE-LABEL: @product
// LITTLE: eft.alloc_shared : <2,
// CHECK: %[[A:.*]] = eft.alloc_shared : <3, tensor<16x16xf16, #[[ORDER:.*]]>>
// CHECK: %[[B:.*]] = eft.alloc_shared : <3, tensor<16x16xf16
// CHECK: %[[RUNS0:.*]] = arith.cmpi slt
// CHECK: eft.copy_async %{{.*}}, %[[A]][%{{.*}}] if %[[RUNS0]] mask %{{.*}} {prefixRuns, run = 8 : i32}
// CHECK: eft.copy_async %{{.*}}, %[[B]][%{{.*}}] if %[[RUNS0]]
// CHECK: eft.commit_copies
// CHECK: %[[RUNS1:.*]] = arith.cmpi slt
// CHECK: eft.copy_async %{{.*}}, %[[A]][%{{.*}}] if %[[RUNS1]]
// CHECK: eft.copy_async %{{.*}}, %[[B]][%{{.*}}] if %[[RUNS1]]
// CHECK: eft.commit_copies
// CHECK: scf.for %[[K:.*]] = %c0{{.*}} to %[[N:.*]] step %c1
// CHECK: %[[LAST:.*]] = arith.subi %{{.*}}, %{{.*}}
// CHECK: %[[MORE:.*]] = arith.cmpi slt, %[[K]], %[[LAST]]
// CHECK: eft.wait_copies pending 1
// CHECK-NOT: eft.load
// CHECK: eft.copy_async %{{.*}}, %[[A]][%[[WRITTEN:.*]]] if %[[MORE]] mask
// CHECK: eft.copy_async %{{.*}}, %[[B]][%[[WRITTEN]]] if %[[MORE]]
// CHECK: eft.commit_copies
// CHECK: %[[X:.*]] = eft.read_shared %[[A]][%[[READ:.*]]]
// CHECK: %[[Y:.*]] = eft.read_shared %[[B]][%[[READ]]]
// CHECK: eft.dot %[[X]], %[[Y]]
// CHECK: scf.yield
// CHECK: eft.wait_copies pending 0
// CHECK-NEXT: eft.dealloc_shared %[[B]]
// CHECK-NEXT: eft.dealloc_shared %[[A]]
func.func @product(%x: tensor<16x16x!eft.ptr<f16>, #rows>, %y: tensor<16x16x!eft.ptr<f16>, #rows>, %m: tensor<16x16xi32, #rows>, %n: i32) -> tensor<16x16xf32, #acc> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant dense<16> : tensor<16x16xi32, #rows>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  %none = arith.constant dense<0.0> : tensor<16x16xf16, #rows>
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %p = %x) -> (tensor<16x16xf32, #acc>, tensor<16x16x!eft.ptr<f16>, #rows>) : i32 {
    %ks = eft.splat %k : i32 -> tensor<16x16xi32, #rows>
    %mask = arith.cmpi slt, %m, %ks : tensor<16x16xi32, #rows>
    %v = eft.load %p, mask %mask other %none {prefixRuns, run = 8 : i32} : tensor<16x16x!eft.ptr<f16>, #rows>
    %w = eft.load %y {run = 8 : i32} : tensor<16x16x!eft.ptr<f16>, #rows>
    %a = eft.convert_layout %v : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #a>
    %b = eft.convert_layout %w : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #b>
    %d = eft.dot %a, %b, %acc precision ieee : tensor<16x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<16x16xf32, #acc>
    %next = eft.addptr %p, %c16 : tensor<16x16x!eft.ptr<f16>, #rows>, tensor<16x16xi32, #rows>
    scf.yield %d, %next : tensor<16x16xf32, #acc>, tensor<16x16x!eft.ptr<f16>, #rows>
  }
  return %r#0 : tensor<16x16xf32, #acc>
}

// -----

#acc = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#a = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #eft.layout<register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#rows = #eft.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = []>

// If the lower bound is unknown, the loop counts its iterations from zero: sums with the bound could
// wrap around. The loop's own number of stages overrides the option. A load with a nonzero value for
// masked elements stays a load.
// CHECK-LABEL: @from_anywhere
// CHECK: %[[DISTANCE:.*]] = arith.subi %{{.*}}, %{{.*}} : i32
// CHECK: arith.extui %[[DISTANCE]] : i32 to i64
// CHECK: arith.divui
// CHECK: eft.alloc_shared : <2, tensor<16x16xf16
// CHECK-NOT: eft.alloc_shared
// CHECK: scf.for %{{.*}} = %c0_i64{{.*}} to %{{.*}} step %c1_i64
// CHECK: eft.wait_copies pending 0
// CHECK: eft.load %{{.*}}, mask %{{.*}} other
// OFF-LABEL: @from_anywhere
// OFF: eft.alloc_shared : <2
func.func @from_anywhere(%x: tensor<16x16x!eft.ptr<f16>, #rows>, %mask: tensor<16x16xi1, #rows>, %first: i32, %n: i32) -> tensor<16x16xf32, #acc> {
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  %one = arith.constant dense<1.0> : tensor<16x16xf16, #rows>
  %r = scf.for %k = %first to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32, #acc>) : i32 {
    %ks = eft.splat %k : i32 -> tensor<16x16xi32, #rows>
    %p = eft.addptr %x, %ks : tensor<16x16x!eft.ptr<f16>, #rows>, tensor<16x16xi32, #rows>
    %v = eft.load %p {run = 8 : i32} : tensor<16x16x!eft.ptr<f16>, #rows>
    %w = eft.load %p, mask %mask other %one {run = 8 : i32, uniformRuns} : tensor<16x16x!eft.ptr<f16>, #rows>
    %a = eft.convert_layout %v : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #a>
    %b = eft.convert_layout %w : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #b>
    %d = eft.dot %a, %b, %acc precision ieee : tensor<16x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<16x16xf32, #acc>
    scf.yield %d : tensor<16x16xf32, #acc>
  } {eft.num_stages = 2 : i32}
  return %r : tensor<16x16xf32, #acc>
}

// -----

#acc = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#a = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #eft.layout<register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#rows = #eft.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = []>

// The bounds are loaded. All threads take those of the first thread: for the number of iterations, for the
// conditions of the copies, and for the addresses.
// CHECK-LABEL: @loaded_bounds
// CHECK: %[[FROM:.*]] = eft.load
// CHECK: %[[TO:.*]] = eft.load
// CHECK: %[[FIRST:.*]] = eft.of_first_thread %[[FROM]] : i32
// CHECK: %[[END:.*]] = eft.of_first_thread %[[TO]] : i32
// CHECK-NOT: %[[FROM]]
// CHECK-NOT: %[[TO]]
// CHECK: arith.subi %[[END]], %[[FIRST]]
// CHECK: %[[COUNT:.*]] = arith.select
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %{{.*}}, %[[COUNT]]
// CHECK: eft.copy_async %{{.*}} if %[[RUNS]]
// CHECK: scf.for %{{.*}} to %[[COUNT]]
func.func @loaded_bounds(%x: tensor<16x16x!eft.ptr<f16>, #rows>, %q: tensor<16x16xf16, #a>, %bounds: !eft.ptr<i32>) -> tensor<16x16xf32, #acc> {
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  %first = eft.load %bounds : !eft.ptr<i32>
  %second = eft.addptr %bounds, %c1 : !eft.ptr<i32>, i32
  %n = eft.load %second : !eft.ptr<i32>
  %r = scf.for %k = %first to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32, #acc>) : i32 {
    %ks = eft.splat %k : i32 -> tensor<16x16xi32, #rows>
    %p = eft.addptr %x, %ks : tensor<16x16x!eft.ptr<f16>, #rows>, tensor<16x16xi32, #rows>
    %v = eft.load %p {run = 8 : i32} : tensor<16x16x!eft.ptr<f16>, #rows>
    %b = eft.convert_layout %v : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #b>
    %d = eft.dot %q, %b, %acc precision ieee : tensor<16x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<16x16xf32, #acc>
    scf.yield %d : tensor<16x16xf32, #acc>
  } {eft.num_stages = 2 : i32}
  return %r : tensor<16x16xf32, #acc>
}

// -----

#acc = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#a = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #eft.layout<register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#rows = #eft.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = []>

// A loop that writes memory may load what it has stored, so it is not pipelined.
// CHECK-LABEL: @writes_memory
// CHECK-NOT: eft.copy_async
func.func @writes_memory(%x: tensor<16x16x!eft.ptr<f16>, #rows>, %n: i32, %q: !eft.ptr<i32>) -> tensor<16x16xf32, #acc> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32, #acc>) : i32 {
    %v = eft.load %x {run = 8 : i32} : tensor<16x16x!eft.ptr<f16>, #rows>
    %w = eft.load %x {run = 8 : i32} : tensor<16x16x!eft.ptr<f16>, #rows>
    %a = eft.convert_layout %v : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #a>
    %b = eft.convert_layout %w : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #b>
    %d = eft.dot %a, %b, %acc precision ieee : tensor<16x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<16x16xf32, #acc>
    eft.store %q, %k : !eft.ptr<i32>
    scf.yield %d : tensor<16x16xf32, #acc>
  }
  return %r : tensor<16x16xf32, #acc>
}

// -----

#acc = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#a = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #eft.layout<register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#turned = #eft.layout<register = [[0, 1], [0, 8], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#rows = #eft.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = []>

// The product reads the slot in its order after the transposition.
// CHECK-LABEL: @transposed_factor
// CHECK: %[[S:.*]] = eft.alloc_shared
// CHECK: %[[K:.*]] = eft.read_shared %[[S]]
// CHECK: %[[T:.*]] = eft.trans %[[K]]
// CHECK: eft.dot %{{.*}}, %[[T]]
func.func @transposed_factor(%q: tensor<16x16xf16, #a>, %x: tensor<16x16x!eft.ptr<f16>, #rows>, %n: i32) -> tensor<16x16xf32, #acc> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32, #acc>) : i32 {
    %v = eft.load %x {run = 8 : i32} : tensor<16x16x!eft.ptr<f16>, #rows>
    %c = eft.convert_layout %v : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #turned>
    %b = eft.trans %c order [1, 0] : tensor<16x16xf16, #turned> -> tensor<16x16xf16, #b>
    %d = eft.dot %q, %b, %acc precision ieee : tensor<16x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<16x16xf32, #acc>
    scf.yield %d : tensor<16x16xf32, #acc>
  }
  return %r : tensor<16x16xf32, #acc>
}

// -----

#acc = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#a = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #eft.layout<register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#rows = #eft.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = []>

// Yielded values that are only arguments, or come from outside the loop, become results of operations in
// the loop.
// CHECK-LABEL: @arguments_as_results
// CHECK: eft.alloc_shared : <3
// CHECK: scf.for
// CHECK: eft.dot
// CHECK: arith.select %true{{.*}}, %[[T:.*]], %[[T]] : i32
// CHECK: arith.select %true{{.*}}, %arg{{.*}}, %arg{{.*}} : i32
// CHECK: scf.yield
func.func @arguments_as_results(%q: tensor<16x16xf16, #a>, %x: tensor<16x16x!eft.ptr<f16>, #rows>, %n: i32) -> (tensor<16x16xf32, #acc>, i32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  %r:5 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %p = %x, %o = %x, %s = %c0, %t = %c1) -> (tensor<16x16xf32, #acc>, tensor<16x16x!eft.ptr<f16>, #rows>, tensor<16x16x!eft.ptr<f16>, #rows>, i32, i32) : i32 {
    %v = eft.load %p {run = 8 : i32} : tensor<16x16x!eft.ptr<f16>, #rows>
    %b = eft.convert_layout %v : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #b>
    %d = eft.dot %q, %b, %acc precision ieee : tensor<16x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<16x16xf32, #acc>
    scf.yield %d, %o, %p, %t, %n : tensor<16x16xf32, #acc>, tensor<16x16x!eft.ptr<f16>, #rows>, tensor<16x16x!eft.ptr<f16>, #rows>, i32, i32
  }
  return %r#0, %r#3, %r#4 : tensor<16x16xf32, #acc>, i32, i32
}

// -----

#acc = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#a = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #eft.layout<register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#rows = #eft.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = []>

// From its second iteration on, the loop masks with a constant from outside of the loop. The copies
// that run ahead do not use the constant itself: an operation in the loop yields the same value.
// CHECK-LABEL: @constant_as_result
// CHECK: %[[NEXT:.*]] = arith.select %true{{.*}}, %[[C0:c0.*]], %[[C0]] : i32
// CHECK: eft.splat %[[NEXT]]
// CHECK: eft.copy_async
// CHECK: scf.for
// CHECK: eft.dot
// CHECK: arith.select %true{{.*}}, %[[C0]], %[[C0]] : i32
// CHECK: scf.yield
func.func @constant_as_result(%q: tensor<16x16xf16, #a>, %x: tensor<16x16x!eft.ptr<f16>, #rows>, %m: tensor<16x16xi32, #rows>, %n: i32) -> (tensor<16x16xf32, #acc>, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %s = %n) -> (tensor<16x16xf32, #acc>, i32) : i32 {
    %ss = eft.splat %s : i32 -> tensor<16x16xi32, #rows>
    %mask = arith.cmpi slt, %m, %ss : tensor<16x16xi32, #rows>
    %v = eft.load %x, mask %mask {prefixRuns, run = 8 : i32} : tensor<16x16x!eft.ptr<f16>, #rows>
    %b = eft.convert_layout %v : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #b>
    %d = eft.dot %q, %b, %acc precision ieee : tensor<16x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<16x16xf32, #acc>
    scf.yield %d, %c0 : tensor<16x16xf32, #acc>, i32
  }
  return %r#0, %r#1 : tensor<16x16xf32, #acc>, i32
}

// -----

#acc = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#a = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #eft.layout<register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#rows = #eft.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = []>

// A load that waits for a write by another program stays before the loads of the operands.
// CHECK-LABEL: @waits_for_a_flag
// CHECK-NOT: eft.copy_async
func.func @waits_for_a_flag(%q: tensor<16x16xf16, #a>, %x: tensor<16x16x!eft.ptr<f16>, #rows>, %n: i32, %flag: !eft.ptr<i32>) -> (tensor<16x16xf32, #acc>, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %last = %c0) -> (tensor<16x16xf32, #acc>, i32) : i32 {
    %f = eft.load %flag volatile : !eft.ptr<i32>
    %v = eft.load %x {run = 8 : i32} : tensor<16x16x!eft.ptr<f16>, #rows>
    %b = eft.convert_layout %v : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #b>
    %d = eft.dot %q, %b, %acc precision ieee : tensor<16x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<16x16xf32, #acc>
    scf.yield %d, %f : tensor<16x16xf32, #acc>, i32
  }
  return %r#0, %r#1 : tensor<16x16xf32, #acc>, i32
}

// -----

#acc = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#a = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #eft.layout<register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#rows = #eft.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = []>

// An iteration may load what an earlier iteration has stored, so there are no copies.
// CHECK-LABEL: @store_in_the_loop
// CHECK-NOT: eft.copy_async
func.func @store_in_the_loop(%to: tensor<16x16x!eft.ptr<f32>, #acc>, %x: tensor<16x16x!eft.ptr<f16>, #rows>, %y: tensor<16x16x!eft.ptr<f16>, #rows>, %m: tensor<16x16xi32, #rows>, %n: i32) -> tensor<16x16xf32, #acc> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant dense<16> : tensor<16x16xi32, #rows>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  %none = arith.constant dense<0.0> : tensor<16x16xf16, #rows>
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %p = %x) -> (tensor<16x16xf32, #acc>, tensor<16x16x!eft.ptr<f16>, #rows>) : i32 {
    eft.store %to, %acc {run = 2 : i32} : tensor<16x16x!eft.ptr<f32>, #acc>
    %ks = eft.splat %k : i32 -> tensor<16x16xi32, #rows>
    %mask = arith.cmpi slt, %m, %ks : tensor<16x16xi32, #rows>
    %v = eft.load %p, mask %mask other %none {prefixRuns, run = 8 : i32} : tensor<16x16x!eft.ptr<f16>, #rows>
    %w = eft.load %y {run = 8 : i32} : tensor<16x16x!eft.ptr<f16>, #rows>
    %a = eft.convert_layout %v : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #a>
    %b = eft.convert_layout %w : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #b>
    %d = eft.dot %a, %b, %acc precision ieee : tensor<16x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<16x16xf32, #acc>
    %next = eft.addptr %p, %c16 : tensor<16x16x!eft.ptr<f16>, #rows>, tensor<16x16xi32, #rows>
    scf.yield %d, %next : tensor<16x16xf32, #acc>, tensor<16x16x!eft.ptr<f16>, #rows>
  }
  return %r#0 : tensor<16x16xf32, #acc>
}

// The attribute says that the loop stores nothing that it loads.
// CHECK-LABEL: @store_apart
// CHECK: eft.copy_async
// CHECK: scf.for
// CHECK: eft.wait_copies pending 1
// CHECK: eft.copy_async
// CHECK: eft.store
// CHECK: eft.read_shared
func.func @store_apart(%to: tensor<16x16x!eft.ptr<f32>, #acc>, %x: tensor<16x16x!eft.ptr<f16>, #rows>, %y: tensor<16x16x!eft.ptr<f16>, #rows>, %m: tensor<16x16xi32, #rows>, %n: i32) -> tensor<16x16xf32, #acc> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant dense<16> : tensor<16x16xi32, #rows>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  %none = arith.constant dense<0.0> : tensor<16x16xf16, #rows>
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %p = %x) -> (tensor<16x16xf32, #acc>, tensor<16x16x!eft.ptr<f16>, #rows>) : i32 {
    eft.store %to, %acc {run = 2 : i32} : tensor<16x16x!eft.ptr<f32>, #acc>
    %ks = eft.splat %k : i32 -> tensor<16x16xi32, #rows>
    %mask = arith.cmpi slt, %m, %ks : tensor<16x16xi32, #rows>
    %v = eft.load %p, mask %mask other %none {prefixRuns, run = 8 : i32} : tensor<16x16x!eft.ptr<f16>, #rows>
    %w = eft.load %y {run = 8 : i32} : tensor<16x16x!eft.ptr<f16>, #rows>
    %a = eft.convert_layout %v : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #a>
    %b = eft.convert_layout %w : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #b>
    %d = eft.dot %a, %b, %acc precision ieee : tensor<16x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<16x16xf32, #acc>
    %next = eft.addptr %p, %c16 : tensor<16x16x!eft.ptr<f16>, #rows>, tensor<16x16xi32, #rows>
    scf.yield %d, %next : tensor<16x16xf32, #acc>, tensor<16x16x!eft.ptr<f16>, #rows>
  } {eft.stores_apart}
  return %r#0 : tensor<16x16xf32, #acc>
}

// A step that is the constant zero has no number of iterations, so nothing runs ahead.
// CHECK-LABEL: @step_of_zero
// CHECK-NOT: eft.copy_async
// CHECK: return
func.func @step_of_zero(%x: tensor<16x16x!eft.ptr<f16>, #rows>, %y: tensor<16x16x!eft.ptr<f16>, #rows>) -> tensor<16x16xf32, #acc> {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  %r = scf.for %k = %c0 to %c8 step %c0 iter_args(%acc = %zero) -> (tensor<16x16xf32, #acc>) : i32 {
    %v = eft.load %x {run = 8 : i32} : tensor<16x16x!eft.ptr<f16>, #rows>
    %w = eft.load %y {run = 8 : i32} : tensor<16x16x!eft.ptr<f16>, #rows>
    %a = eft.convert_layout %v : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #a>
    %b = eft.convert_layout %w : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #b>
    %d = eft.dot %a, %b, %acc precision ieee : tensor<16x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<16x16xf32, #acc>
    scf.yield %d : tensor<16x16xf32, #acc>
  }
  return %r : tensor<16x16xf32, #acc>
}

// -----

#acc = #eft.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#a = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #eft.layout<register = [[1, 0], [8, 0], [0, 8], [0, 16]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#rows = #eft.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = []>
#wide = #eft.layout<register = [[0, 1], [0, 2], [0, 4], [8, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = []>
#each = #eft.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = []>
#columns = #eft.layout<register = [[1], [0], [8], [16]], lane = [[2], [4], [0], [0], [0]], warp = []>
#row = #eft.layout<register = [[0, 1], [0, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [0, 0], [0, 0], [0, 0]], warp = []>

// Each thread loads one of the scales of columns, but needs those of all columns of which it has sums. A
// copy brings the scales, and the threads read from the slot what they need. If scales have another use,
// too, they stay where they were loaded.
// CHECK-LABEL: @scales_of_columns
// CHECK: %[[SLOTS:.*]] = eft.alloc_shared : <3, tensor<32xf32
// CHECK: scf.for
// CHECK: eft.copy_async %{{.*}}, %[[SLOTS]]
// CHECK-NOT: eft.load
// CHECK-NOT: eft.convert_layout
// CHECK: %[[SCALES:.*]] = eft.read_shared %[[SLOTS]][%{{.*}}] : <3, tensor<32xf32, #{{.*}}>> -> tensor<32xf32, #[[COLUMNS:.*]]>
// CHECK: eft.expand_dims %[[SCALES]] axis 0 : tensor<32xf32, #[[COLUMNS]]>
func.func @scales_of_columns(%x: tensor<16x16x!eft.ptr<f16>, #rows>, %y: tensor<16x32x!eft.ptr<f16>, #wide>, %p: tensor<32x!eft.ptr<f32>, #each>, %n: i32) -> tensor<16x32xf32, #acc> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x32xf32, #acc>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x32xf32, #acc>) : i32 {
    %v = eft.load %x {run = 8 : i32} : tensor<16x16x!eft.ptr<f16>, #rows>
    %w = eft.load %y {run = 8 : i32} : tensor<16x32x!eft.ptr<f16>, #wide>
    %a = eft.convert_layout %v : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #a>
    %b = eft.convert_layout %w : tensor<16x32xf16, #wide> -> tensor<16x32xf16, #b>
    %ks = eft.splat %k : i32 -> tensor<32xi32, #each>
    %q = eft.addptr %p, %ks : tensor<32x!eft.ptr<f32>, #each>, tensor<32xi32, #each>
    %s = eft.load %q {run = 1 : i32} : tensor<32x!eft.ptr<f32>, #each>
    %t = eft.convert_layout %s : tensor<32xf32, #each> -> tensor<32xf32, #columns>
    %d = eft.dot %a, %b, %zero precision ieee : tensor<16x16xf16, #a>, tensor<16x32xf16, #b> -> tensor<16x32xf32, #acc>
    %e = eft.expand_dims %t axis 0 : tensor<32xf32, #columns> -> tensor<1x32xf32, #row>
    %f = eft.broadcast %e : tensor<1x32xf32, #row> -> tensor<16x32xf32, #acc>
    %sum = math.fma %d, %f, %acc : tensor<16x32xf32, #acc>
    scf.yield %sum : tensor<16x32xf32, #acc>
  }
  return %r : tensor<16x32xf32, #acc>
}

// CHECK-LABEL: @scales_with_another_use
// CHECK: scf.for
// CHECK: %[[SCALES:.*]] = eft.load
// CHECK: eft.convert_layout %[[SCALES]]
func.func @scales_with_another_use(%x: tensor<16x16x!eft.ptr<f16>, #rows>, %y: tensor<16x32x!eft.ptr<f16>, #wide>, %p: tensor<32x!eft.ptr<f32>, #each>, %n: i32) -> (tensor<16x32xf32, #acc>, tensor<32xf32, #each>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x32xf32, #acc>
  %none = arith.constant dense<0.0> : tensor<32xf32, #each>
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %last = %none) -> (tensor<16x32xf32, #acc>, tensor<32xf32, #each>) : i32 {
    %v = eft.load %x {run = 8 : i32} : tensor<16x16x!eft.ptr<f16>, #rows>
    %w = eft.load %y {run = 8 : i32} : tensor<16x32x!eft.ptr<f16>, #wide>
    %a = eft.convert_layout %v : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #a>
    %b = eft.convert_layout %w : tensor<16x32xf16, #wide> -> tensor<16x32xf16, #b>
    %ks = eft.splat %k : i32 -> tensor<32xi32, #each>
    %q = eft.addptr %p, %ks : tensor<32x!eft.ptr<f32>, #each>, tensor<32xi32, #each>
    %s = eft.load %q {run = 1 : i32} : tensor<32x!eft.ptr<f32>, #each>
    %t = eft.convert_layout %s : tensor<32xf32, #each> -> tensor<32xf32, #columns>
    %d = eft.dot %a, %b, %zero precision ieee : tensor<16x16xf16, #a>, tensor<16x32xf16, #b> -> tensor<16x32xf32, #acc>
    %e = eft.expand_dims %t axis 0 : tensor<32xf32, #columns> -> tensor<1x32xf32, #row>
    %f = eft.broadcast %e : tensor<1x32xf32, #row> -> tensor<16x32xf32, #acc>
    %sum = math.fma %d, %f, %acc : tensor<16x32xf32, #acc>
    scf.yield %sum, %s : tensor<16x32xf32, #acc>, tensor<32xf32, #each>
  }
  return %r#0, %r#1 : tensor<16x32xf32, #acc>, tensor<32xf32, #each>
}
