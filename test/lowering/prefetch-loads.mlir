// RUN: eft-opt %s -pass-pipeline='builtin.module(eft-place{target=sm_80 num-warps=4}, func.func(eft-prefetch-loads, canonicalize, cse))' | FileCheck %s
// RUN: eft-opt %s -pass-pipeline='builtin.module(eft-place{target=sm_80 num-warps=4}, func.func(eft-prefetch-loads{max-registers=3}, canonicalize, cse))' | FileCheck %s --check-prefix=FEW

// Each thread has four elements of each row. The first row is loaded before the loop, and each iteration
// first loads the next row, if there is one. What the loop stores is computed from the row that it carries.
// CHECK-LABEL: @rows
// CHECK-SAME: %[[X:[a-z0-9]+]]: !eft.ptr<f32>
// CHECK: %[[FIRST:.*]] = eft.load {{.*}}, mask
// CHECK: scf.for %[[K:.*]] = %c0_i32 to %[[N:.*]] step %c1_i32 iter_args(%[[ROW:.*]] = %[[FIRST]])
// CHECK: %[[LAST:.*]] = arith.subi %[[N]], %c1_i32
// CHECK: %[[HASNEXT:.*]] = arith.cmpi slt, %[[K]], %[[LAST]]
// CHECK: %[[NEXTK:.*]] = arith.addi %[[K]], %c1_i32
// CHECK: %[[START:.*]] = arith.muli %[[NEXTK]], %c512_i32
// CHECK: eft.addptr %[[X]], %[[START]]
// CHECK: %[[MASK:.*]] = eft.splat %[[HASNEXT]]
// CHECK: %[[NEXT:.*]] = eft.load %{{.*}}, mask %[[MASK]] {{.*}}run = 4{{.*}}uniformRuns
// CHECK: %[[TWICE:.*]] = arith.addf %[[ROW]], %[[ROW]]
// CHECK: eft.store %{{.*}}, %[[TWICE]]
// CHECK: scf.yield %[[NEXT]]

// With less than four registers for it, the row is not loaded ahead.
// FEW-LABEL: @rows
// FEW: scf.for {{.*}} step %c1_i32  : i32 {
// FEW: eft.load %{{[^,]*}} {
func.func @rows(%x: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %y: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c512 = arith.constant 512 : i32
  %i = eft.arange 0 to 512 : tensor<512xi32>
  scf.for %k = %zero to %n step %one : i32 {
    %start = arith.muli %k, %c512 : i32
    %xk = eft.addptr %x, %start : !eft.ptr<f32>, i32
    %xs = eft.splat %xk : !eft.ptr<f32> -> tensor<512x!eft.ptr<f32>>
    %xp = eft.addptr %xs, %i : tensor<512x!eft.ptr<f32>>, tensor<512xi32>
    %row = eft.load %xp : tensor<512x!eft.ptr<f32>>
    %twice = arith.addf %row, %row : tensor<512xf32>
    %yk = eft.addptr %y, %start : !eft.ptr<f32>, i32
    %ys = eft.splat %yk : !eft.ptr<f32> -> tensor<512x!eft.ptr<f32>>
    %yp = eft.addptr %ys, %i : tensor<512x!eft.ptr<f32>>, tensor<512xi32>
    eft.store %yp, %twice : tensor<512x!eft.ptr<f32>>
  } {eft.num_stages = 2 : i32, eft.stores_apart}
  return
}

// The loads of the table's entries run ahead. The loads at these entries do not, nor do loads through an
// address that the loop carries, and loads whose result the loop yields.
// CHECK-LABEL: @which
// CHECK: eft.load
// CHECK-NOT: eft.load
// CHECK: scf.for {{.*}} iter_args(%{{[a-z0-9]+}} = {{.*}}, %[[AT:[a-z0-9]+]] = {{.*}}, %{{[a-z0-9]+}} = {{.*}}, %[[ENTRY:[a-z0-9]+]] = {{.*}})
// CHECK: eft.load %{{.*}}, mask %{{.*}} : !eft.ptr<i32>
// CHECK: %[[THERE:.*]] = eft.addptr %{{.*}}, %[[ENTRY]]
// CHECK: eft.load %[[THERE]]
// CHECK: eft.load %[[AT]]
// CHECK: eft.load %{{[a-z0-9]+}} : !eft.ptr<f32>
// CHECK: scf.yield
func.func @which(%x: !eft.ptr<f32>, %table: !eft.ptr<i32>, %out: !eft.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0.0 : f32
  %r:3 = scf.for %k = %zero to %n step %one iter_args(%sum = %none, %at = %x, %before = %none) -> (f32, !eft.ptr<f32>, f32) : i32 {
    %entry = eft.addptr %table, %k : !eft.ptr<i32>, i32
    %number = eft.load %entry : !eft.ptr<i32>
    %there = eft.addptr %x, %number : !eft.ptr<f32>, i32
    %a = eft.load %there : !eft.ptr<f32>
    %b = eft.load %at : !eft.ptr<f32>
    %xk = eft.addptr %x, %k : !eft.ptr<f32>, i32
    %d = eft.load %xk : !eft.ptr<f32>
    %ab = arith.addf %a, %b : f32
    %abc = arith.addf %ab, %before : f32
    %next = arith.addf %sum, %abc : f32
    %after = eft.addptr %at, %one : !eft.ptr<f32>, i32
    scf.yield %next, %after, %d : f32, !eft.ptr<f32>, f32
  } {eft.num_stages = 3 : i32}
  eft.store %out, %r#0 : !eft.ptr<f32>
  return
}

// Nothing runs ahead in a loop that may overwrite what it loads, that has one stage, a volatile load or a
// product.
// CHECK-LABEL: @unchanged
// CHECK-NOT: eft.load
// CHECK: scf.for {{.*}} step %c1_i32  : i32 {
// CHECK: eft.load
// CHECK: eft.store
// CHECK-NOT: eft.load
// CHECK: scf.for {{.*}} iter_args(%{{[a-z0-9]+}} = %{{[a-z0-9_]+}}) -> (f32)
// CHECK: eft.load
// CHECK-NOT: eft.load
// CHECK: scf.for {{.*}} iter_args(%{{[a-z0-9]+}} = %{{[a-z0-9_]+}}) -> (f32)
// CHECK: eft.load {{.*}} volatile
// CHECK-NOT: eft.load
// CHECK: scf.for {{.*}} iter_args(%{{[a-z0-9]+}} = %{{[a-z0-9_]+}}) -> (tensor<16x16xf32
// CHECK: eft.load
// CHECK: eft.dot
func.func @unchanged(%x: !eft.ptr<f32>, %out: !eft.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0.0 : f32
  %square = arith.constant dense<0.0> : tensor<16x16xf32>
  scf.for %k = %zero to %n step %one : i32 {
    %p = eft.addptr %x, %k : !eft.ptr<f32>, i32
    %v = eft.load %p : !eft.ptr<f32>
    %q = eft.addptr %out, %k : !eft.ptr<f32>, i32
    eft.store %q, %v : !eft.ptr<f32>
  } {eft.num_stages = 2 : i32}
  %r = scf.for %k = %zero to %n step %one iter_args(%sum = %none) -> (f32) : i32 {
    %p = eft.addptr %x, %k : !eft.ptr<f32>, i32
    %v = eft.load %p : !eft.ptr<f32>
    %next = arith.addf %sum, %v : f32
    scf.yield %next : f32
  } {eft.num_stages = 1 : i32}
  eft.store %out, %r : !eft.ptr<f32>
  %s = scf.for %k = %zero to %n step %one iter_args(%sum = %none) -> (f32) : i32 {
    %p = eft.addptr %x, %k : !eft.ptr<f32>, i32
    %v = eft.load %p volatile : !eft.ptr<f32>
    %next = arith.addf %sum, %v : f32
    scf.yield %next : f32
  } {eft.num_stages = 2 : i32}
  eft.store %out, %s : !eft.ptr<f32>
  %d = scf.for %k = %zero to %n step %one iter_args(%sum = %square) -> (tensor<16x16xf32>) : i32 {
    %p = eft.addptr %x, %k : !eft.ptr<f32>, i32
    %ps = eft.splat %p : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
    %v = eft.load %ps : tensor<16x16x!eft.ptr<f32>>
    %next = eft.dot %v, %v, %sum precision ieee : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  } {eft.num_stages = 2 : i32}
  %outs = eft.splat %out : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>>
  eft.store %outs, %d : tensor<16x16x!eft.ptr<f32>>
  return
}

// The loads have masks of their own and a value for masked elements. The loop begins at a number that is
// known only at run time, so it counts from zero. The load in the inner loop stays there.
// CHECK-LABEL: @masked
// CHECK: %[[COUNT:.*]] = arith.select
// CHECK: %[[RUNS:.*]] = arith.cmpi sgt, %[[COUNT]], %c0_i64
// CHECK: %[[FIRSTMASK:.*]] = eft.splat %[[RUNS]] : i1
// CHECK: %[[FIRSTBOTH:.*]] = arith.andi %{{.*}}, %[[FIRSTMASK]]
// CHECK: eft.load %{{.*}}, mask %[[FIRSTBOTH]] other %{{.*}}cutsAll, prefixRuns, run = 4
// CHECK: scf.for %{{.*}} = %c0_i64 to %[[COUNT]]
// CHECK: %[[MASK:.*]] = eft.splat %{{.*}} : i1
// CHECK: %[[BOTH:.*]] = arith.andi %{{.*}}, %[[MASK]]
// CHECK: eft.load %{{.*}}, mask %[[BOTH]] other %{{.*}}cutsAll, prefixRuns, run = 4
// CHECK: scf.for
// CHECK: eft.load
// CHECK: scf.yield
func.func @masked(%x: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %out: !eft.ptr<f32>, %first: i32, %n: i32, %columns: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c512 = arith.constant 512 : i32
  %i = eft.arange 0 to 512 : tensor<512xi32>
  %sevens = arith.constant dense<7.0> : tensor<512xf32>
  %none = arith.constant dense<0.0> : tensor<512xf32>
  %ends = eft.splat %columns : i32 -> tensor<512xi32>
  %inside = arith.cmpi slt, %i, %ends : tensor<512xi32>
  %r = scf.for %k = %first to %n step %one iter_args(%sum = %none) -> (tensor<512xf32>) : i32 {
    %start = arith.muli %k, %c512 : i32
    %xk = eft.addptr %x, %start : !eft.ptr<f32>, i32
    %xs = eft.splat %xk : !eft.ptr<f32> -> tensor<512x!eft.ptr<f32>>
    %xp = eft.addptr %xs, %i : tensor<512x!eft.ptr<f32>>, tensor<512xi32>
    %row = eft.load %xp, mask %inside other %sevens : tensor<512x!eft.ptr<f32>>
    %next = scf.for %j = %zero to %k step %one iter_args(%inner = %sum) -> (tensor<512xf32>) : i32 {
      %again = eft.load %xp, mask %inside other %sevens : tensor<512x!eft.ptr<f32>>
      %more = arith.addf %inner, %again : tensor<512xf32>
      scf.yield %more : tensor<512xf32>
    }
    %added = arith.addf %next, %row : tensor<512xf32>
    scf.yield %added : tensor<512xf32>
  } {eft.num_stages = 2 : i32}
  %outs = eft.splat %out : !eft.ptr<f32> -> tensor<512x!eft.ptr<f32>>
  %op = eft.addptr %outs, %i : tensor<512x!eft.ptr<f32>>, tensor<512xi32>
  eft.store %op, %r : tensor<512x!eft.ptr<f32>>
  return
}

// Each thread adds its own elements, and takes the number of iterations that it has loaded itself. Bytes do
// not run ahead, nor does a load whose address is random.
// CHECK-LABEL: @loaded_count
// CHECK: %[[N:.*]] = eft.load
// CHECK: %[[RUNS:.*]] = arith.cmpi sgt, %[[N]], %c0_i32
// CHECK: eft.load %{{.*}}, mask %[[RUNS]]
// CHECK: scf.for %{{.*}} = %c0_i32 to %[[N]]
// CHECK: arith.subi %[[N]], %c1_i32
// CHECK-NOT: of_first_thread
// CHECK: scf.for
// CHECK-COUNT-2: eft.load
// CHECK: return
func.func @loaded_count(%x: !eft.ptr<f32>, %bytes: !eft.ptr<i8>, %count: !eft.ptr<i32>, %out: !eft.ptr<f32>, %m: i32, %seed: i64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0.0 : f32
  %n = eft.load %count : !eft.ptr<i32>
  %r = scf.for %k = %zero to %n step %one iter_args(%sum = %none) -> (f32) : i32 {
    %p = eft.addptr %x, %k : !eft.ptr<f32>, i32
    %v = eft.load %p : !eft.ptr<f32>
    %next = arith.addf %sum, %v : f32
    scf.yield %next : f32
  } {eft.num_stages = 2 : i32}
  eft.store %out, %r : !eft.ptr<f32>
  %s = scf.for %k = %zero to %m step %one iter_args(%sum = %none) -> (f32) : i32 {
    %b = eft.addptr %bytes, %k : !eft.ptr<i8>, i32
    %byte = eft.load %b : !eft.ptr<i8>
    %w:4 = eft.philox seed %seed counter %k, %k, %k, %k rounds 10 : i64, i32
    %p = eft.addptr %x, %w#0 : !eft.ptr<f32>, i32
    %v = eft.load %p : !eft.ptr<f32>
    %f = arith.sitofp %byte : i8 to f32
    %both = arith.addf %v, %f : f32
    %next = arith.addf %sum, %both : f32
    scf.yield %next : f32
  } {eft.num_stages = 2 : i32}
  eft.store %out, %s : !eft.ptr<f32>
  return
}

// All bounds are loaded, and the loop has operations of each kind that keeps elements in place.
// CHECK-LABEL: @loaded_bounds_without_exchange
// CHECK-NOT: of_first_thread
// CHECK: return
func.func @loaded_bounds_without_exchange(%x: !eft.ptr<f32>, %bounds: !eft.ptr<i32>, %out: !eft.ptr<f32>) {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %none = arith.constant dense<0.0> : tensor<128xf32>
  %from = eft.load %bounds : !eft.ptr<i32>
  %second = eft.addptr %bounds, %one : !eft.ptr<i32>, i32
  %to = eft.load %second : !eft.ptr<i32>
  %third = eft.addptr %bounds, %two : !eft.ptr<i32>, i32
  %by = eft.load %third : !eft.ptr<i32>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>>
  %r = scf.for %k = %from to %to step %by iter_args(%sum = %none) -> (tensor<128xf32>) : i32 {
    %pid = eft.program_id x
    %first = arith.addi %k, %pid : i32
    %begins = eft.splat %first : i32 -> tensor<128xi32>
    %i = eft.arange 0 to 128 : tensor<128xi32>
    %offsets = arith.addi %begins, %i : tensor<128xi32>
    %p = eft.addptr %xs, %offsets : tensor<128x!eft.ptr<f32>>, tensor<128xi32>
    %v = eft.load %p : tensor<128x!eft.ptr<f32>>
    %half = arith.constant dense<0.5> : tensor<128xf32>
    %scaled = arith.mulf %v, %half : tensor<128xf32>
    %w = eft.inline_asm "neg.f32 $0, $1;" constraints "=f,f" pure pack 1 %scaled : (tensor<128xf32>) -> tensor<128xf32>
    %next = arith.addf %sum, %w : tensor<128xf32>
    scf.yield %next : tensor<128xf32>
  } {eft.num_stages = 2 : i32}
  %outs = eft.splat %out : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>>
  eft.store %outs, %r : tensor<128x!eft.ptr<f32>>
  return
}

// In a reduction threads exchange elements. So they take the number of iterations that the first thread has
// loaded, also for the loads that run ahead.
// CHECK-LABEL: @loaded_count_of_reductions
// CHECK: %[[LOADED:.*]] = eft.load
// CHECK: %[[N:.*]] = eft.of_first_thread %[[LOADED]] : i32
// CHECK: %[[RUNS:.*]] = arith.cmpi sgt, %[[N]], %c0_i32
// CHECK: eft.load %{{.*}}, mask
// CHECK: scf.for %{{.*}} = %c0_i32 to %[[N]]
// CHECK: arith.subi %[[N]], %c1_i32
// CHECK-NOT: of_first_thread
// CHECK: return
func.func @loaded_count_of_reductions(%x: !eft.ptr<f32>, %count: !eft.ptr<i32>, %out: !eft.ptr<f32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0.0 : f32
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>>
  %n = eft.load %count : !eft.ptr<i32>
  %r = scf.for %k = %zero to %n step %one iter_args(%sum = %none) -> (f32) : i32 {
    %ks = eft.splat %k : i32 -> tensor<128xi32>
    %p = eft.addptr %xs, %ks : tensor<128x!eft.ptr<f32>>, tensor<128xi32>
    %v = eft.load %p : tensor<128x!eft.ptr<f32>>
    %all = eft.reduce %v axis 0 : (tensor<128xf32>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %both = arith.addf %a, %b : f32
      eft.yield %both : f32
    }
    %next = arith.addf %sum, %all : f32
    scf.yield %next : f32
  } {eft.num_stages = 2 : i32}
  eft.store %out, %r : !eft.ptr<f32>
  return
}

// Assembly may give each thread a bound of its own.
// CHECK-LABEL: @count_from_assembly
// CHECK: %[[COUNT:.*]] = eft.inline_asm
// CHECK: eft.of_first_thread %[[COUNT]] : i32
func.func @count_from_assembly(%x: !eft.ptr<f32>, %out: !eft.ptr<f32>, %m: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0.0 : f32
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>>
  %n = eft.inline_asm "mov.b32 $0, $1;" constraints "=r,r" pure pack 1 %m : (i32) -> i32
  %r = scf.for %k = %zero to %n step %one iter_args(%sum = %none) -> (f32) : i32 {
    %ks = eft.splat %k : i32 -> tensor<128xi32>
    %p = eft.addptr %xs, %ks : tensor<128x!eft.ptr<f32>>, tensor<128xi32>
    %v = eft.load %p : tensor<128x!eft.ptr<f32>>
    %all = eft.reduce %v axis 0 : (tensor<128xf32>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %both = arith.addf %a, %b : f32
      eft.yield %both : f32
    }
    %next = arith.addf %sum, %all : f32
    scf.yield %next : f32
  } {eft.num_stages = 2 : i32}
  eft.store %out, %r : !eft.ptr<f32>
  return
}

// A step that is the constant zero has no number of iterations, so nothing runs ahead.
// CHECK-LABEL: @step_of_zero
// CHECK-NOT: eft.load
// CHECK: scf.for
// CHECK: eft.load
func.func @step_of_zero(%x: !eft.ptr<f32>, %out: !eft.ptr<f32>) {
  %zero = arith.constant 0 : i32
  %eight = arith.constant 8 : i32
  %none = arith.constant 0.0 : f32
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>>
  %r = scf.for %k = %zero to %eight step %zero iter_args(%sum = %none) -> (f32) : i32 {
    %v = eft.load %xs : tensor<128x!eft.ptr<f32>>
    %all = eft.reduce %v axis 0 : (tensor<128xf32>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %both = arith.addf %a, %b : f32
      eft.yield %both : f32
    }
    %next = arith.addf %sum, %all : f32
    scf.yield %next : f32
  } {eft.num_stages = 2 : i32}
  eft.store %out, %r : !eft.ptr<f32>
  return
}
