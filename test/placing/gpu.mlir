// RUN: eft-opt %s -eft-place='target=gpu num-warps=4' | FileCheck %s

// CHECK: #[[FOUR:.*]] = #eft.layout<register = {{\[\[}}1], [2], [512]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}128], [256]]>
// CHECK: #[[EIGHT:.*]] = #eft.layout<register = {{\[\[}}1], [2], [4]], lane = {{\[\[}}8], [16], [32], [64], [128]], warp = {{\[\[}}256], [512]]>
// CHECK: #[[ONE:.*]] = #eft.layout<register = {{\[\[}}128], [256], [512]], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}32], [64]]>
// CHECK: #[[TWO:.*]] = #eft.layout<register = {{\[\[}}1]], lane = {{\[\[}}2], [4], [8], [16], [32]], warp = {{\[\[}}64], [128]]>
// CHECK: #[[COLUMNS:.*]] = #eft.layout<register = {{\[\[}}1, 0], [2, 0], [0, 16], [0, 32]], lane = {{\[\[}}4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = {{\[\[}}0, 4], [0, 8]]>
// CHECK: #[[COPIES:.*]] = #eft.layout<register = [], lane = {{\[\[}}1], [2], [0], [0], [0]], warp = {{\[\[}}0], [0]]>

// A thread accesses 16 bytes at a time, twice. The highest register bit tells the two accesses apart.
// CHECK-LABEL: @widest_access_of_f32
// CHECK: eft.arange 0 to 1024 : tensor<1024xi32, #[[FOUR]]>
// CHECK: eft.load {{.*}} {run = 4 : i32}
// CHECK: eft.store {{.*}} {run = 4 : i32}
func.func @widest_access_of_f32(%x: !eft.ptr<f32> {eft.divisibility = 16 : i32}) {
  %range = eft.arange 0 to 1024 : tensor<1024xi32>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<1024x!eft.ptr<f32>>
  %p = eft.addptr %xs, %range : tensor<1024x!eft.ptr<f32>>, tensor<1024xi32>
  %v = eft.load %p : tensor<1024x!eft.ptr<f32>>
  eft.store %p, %v : tensor<1024x!eft.ptr<f32>>
  return
}

// One access moves eight f16. The eight i32 at the same places take two accesses.
// CHECK-LABEL: @widest_of_two_types_decides
// CHECK: eft.load {{.*}} {run = 4 : i32} : tensor<1024x!eft.ptr<i32>, #[[EIGHT]]>
// CHECK: eft.store {{.*}} {run = 8 : i32} : tensor<1024x!eft.ptr<f16>, #[[EIGHT]]>
func.func @widest_of_two_types_decides(%x: !eft.ptr<i32> {eft.divisibility = 16 : i32},
                                       %y: !eft.ptr<f16> {eft.divisibility = 16 : i32}) {
  %range = eft.arange 0 to 1024 : tensor<1024xi32>
  %xs = eft.splat %x : !eft.ptr<i32> -> tensor<1024x!eft.ptr<i32>>
  %p = eft.addptr %xs, %range : tensor<1024x!eft.ptr<i32>>, tensor<1024xi32>
  %v = eft.load %p : tensor<1024x!eft.ptr<i32>>
  %f = arith.sitofp %v : tensor<1024xi32> to tensor<1024xf16>
  %ys = eft.splat %y : !eft.ptr<f16> -> tensor<1024x!eft.ptr<f16>>
  %q = eft.addptr %ys, %range : tensor<1024x!eft.ptr<f16>>, tensor<1024xi32>
  eft.store %q, %f : tensor<1024x!eft.ptr<f16>>
  return
}

// CHECK-LABEL: @pointer_of_unknown_alignment
// CHECK: eft.store {{.*}} {run = 1 : i32} : tensor<1024x!eft.ptr<f32>, #[[ONE]]>
func.func @pointer_of_unknown_alignment(%x: !eft.ptr<f32>) {
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %range = eft.arange 0 to 1024 : tensor<1024xi32>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<1024x!eft.ptr<f32>>
  %p = eft.addptr %xs, %range : tensor<1024x!eft.ptr<f32>>, tensor<1024xi32>
  eft.store %p, %zero : tensor<1024x!eft.ptr<f32>>
  return
}

// CHECK-LABEL: @block_smaller_than_the_threads_vectors
// CHECK: eft.store {{.*}} {run = 2 : i32} : tensor<256x!eft.ptr<f32>, #[[TWO]]>
func.func @block_smaller_than_the_threads_vectors(%x: !eft.ptr<f32> {eft.divisibility = 16 : i32}) {
  %zero = arith.constant dense<0.0> : tensor<256xf32>
  %range = eft.arange 0 to 256 : tensor<256xi32>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<256x!eft.ptr<f32>>
  %p = eft.addptr %xs, %range : tensor<256x!eft.ptr<f32>>, tensor<256xi32>
  eft.store %p, %zero : tensor<256x!eft.ptr<f32>>
  return
}

// CHECK-LABEL: @mask_cuts_the_block
// CHECK: eft.load {{.*}}, mask {{.*}} other {{.*}} {prefix, run = 4 : i32}
// CHECK: eft.store {{.*}}, mask {{.*}} {prefix, run = 4 : i32}
func.func @mask_cuts_the_block(%x: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %n: i32) {
  %pid = eft.program_id x
  %extent = arith.constant 1024 : i32
  %begin = arith.muli %pid, %extent : i32
  %begins = eft.splat %begin : i32 -> tensor<1024xi32>
  %range = eft.arange 0 to 1024 : tensor<1024xi32>
  %offsets = arith.addi %begins, %range : tensor<1024xi32>
  %ns = eft.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %offsets, %ns : tensor<1024xi32>
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<1024x!eft.ptr<f32>>
  %p = eft.addptr %xs, %offsets : tensor<1024x!eft.ptr<f32>>, tensor<1024xi32>
  %v = eft.load %p, mask %mask other %zero : tensor<1024x!eft.ptr<f32>>
  eft.store %p, %v, mask %mask : tensor<1024x!eft.ptr<f32>>
  return
}

// A mask of a row's columns is the same in all programs and in all iterations of a loop. In each of
// them, many threads hold an element for which it is false. So each run gets a predicate, and there
// is no note `prefix`. A mask that depends on the program is false for elements of few programs only.
// CHECK-LABEL: @mask_cuts_each_row
// CHECK: eft.load {{.*}} {run = 4 : i32, uniformRuns} :
// CHECK: eft.store {{.*}} {run = 1 : i32, uniformRuns} :
// CHECK: scf.for
// CHECK: eft.store {{.*}} {run = 4 : i32, uniformRuns} :
// CHECK: eft.store {{.*}} {cutsAll, prefixRuns, run = 4 : i32} :
// CHECK: eft.store {{.*}} {prefix, run = 4 : i32} :
func.func @mask_cuts_each_row(%x: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %y: !eft.ptr<f32>,
                              %even: i32 {eft.divisibility = 16 : i32}, %any: i32) {
  %range = eft.arange 0 to 1024 : tensor<1024xi32>
  %evens = eft.splat %even : i32 -> tensor<1024xi32>
  %inside = arith.cmpi slt, %range, %evens : tensor<1024xi32>
  %pid = eft.program_id x
  %begin = arith.muli %pid, %even : i32
  %row = eft.addptr %x, %begin : !eft.ptr<f32>, i32
  %xs = eft.splat %row : !eft.ptr<f32> -> tensor<1024x!eft.ptr<f32>>
  %p = eft.addptr %xs, %range : tensor<1024x!eft.ptr<f32>>, tensor<1024xi32>
  %v = eft.load %p, mask %inside : tensor<1024x!eft.ptr<f32>>
  %ys = eft.splat %y : !eft.ptr<f32> -> tensor<1024x!eft.ptr<f32>>
  %q = eft.addptr %ys, %range : tensor<1024x!eft.ptr<f32>>, tensor<1024xi32>
  %anys = eft.splat %any : i32 -> tensor<1024xi32>
  %inside_any = arith.cmpi slt, %range, %anys : tensor<1024xi32>
  eft.store %q, %v, mask %inside_any : tensor<1024x!eft.ptr<f32>>
  %zero = arith.constant 0 : i32
  %step = arith.constant 1024 : i32
  scf.for %first = %zero to %even step %step : i32 {
    %firsts = eft.splat %first : i32 -> tensor<1024xi32>
    %columns = arith.addi %firsts, %range : tensor<1024xi32>
    %rest = arith.cmpi slt, %columns, %evens : tensor<1024xi32>
    %r = eft.addptr %xs, %columns : tensor<1024x!eft.ptr<f32>>, tensor<1024xi32>
    eft.store %r, %v, mask %rest : tensor<1024x!eft.ptr<f32>>
  }
  eft.store %p, %v, mask %inside_any : tensor<1024x!eft.ptr<f32>>
  %first = arith.muli %pid, %step : i32
  %firsts = eft.splat %first : i32 -> tensor<1024xi32>
  %offsets = arith.addi %firsts, %range : tensor<1024xi32>
  %border = arith.cmpi slt, %offsets, %evens : tensor<1024xi32>
  eft.store %p, %v, mask %border : tensor<1024x!eft.ptr<f32>>
  return
}

// A mask may be the same for all elements along the dimension in which memory runs: `uniformRuns`. Or
// it may be true up to some element of each run: `prefixRuns`.
// CHECK-LABEL: @masks_of_rows_and_columns
// CHECK: eft.load {{.*}} {run = 4 : i32, uniformRuns} :
// CHECK: eft.load {{.*}} {run = 4 : i32, uniformRuns} :
// CHECK: eft.load {{.*}} {prefixRuns, run = 4 : i32} :
// CHECK: eft.store {{.*}} {run = 4 : i32} :
func.func @masks_of_rows_and_columns(%x: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %m: i32,
                                     %even: i32 {eft.divisibility = 4 : i32}, %any: i32) {
  %c64 = arith.constant dense<64> : tensor<32x1xi32>
  %r = eft.arange 0 to 32 : tensor<32xi32>
  %r2 = eft.expand_dims %r axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %c = eft.arange 0 to 64 : tensor<64xi32>
  %c2 = eft.expand_dims %c axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %begin = arith.muli %r2, %c64 : tensor<32x1xi32>
  %begins = eft.broadcast %begin : tensor<32x1xi32> -> tensor<32x64xi32>
  %columns = eft.broadcast %c2 : tensor<1x64xi32> -> tensor<32x64xi32>
  %offsets = arith.addi %begins, %columns : tensor<32x64xi32>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<32x64x!eft.ptr<f32>>
  %p = eft.addptr %xs, %offsets : tensor<32x64x!eft.ptr<f32>>, tensor<32x64xi32>
  %ms = eft.splat %m : i32 -> tensor<32x1xi32>
  %row = arith.cmpi slt, %r2, %ms : tensor<32x1xi32>
  %rows = eft.broadcast %row : tensor<32x1xi1> -> tensor<32x64xi1>
  %evens = eft.splat %even : i32 -> tensor<1x64xi32>
  %column = arith.cmpi slt, %c2, %evens : tensor<1x64xi32>
  %whole = eft.broadcast %column : tensor<1x64xi1> -> tensor<32x64xi1>
  %anys = eft.splat %any : i32 -> tensor<1x64xi32>
  %cut = arith.cmpi slt, %c2, %anys : tensor<1x64xi32>
  %cuts = eft.broadcast %cut : tensor<1x64xi1> -> tensor<32x64xi1>
  %0 = eft.load %p, mask %rows : tensor<32x64x!eft.ptr<f32>>
  %1 = eft.load %p, mask %whole : tensor<32x64x!eft.ptr<f32>>
  %2 = eft.load %p, mask %cuts : tensor<32x64x!eft.ptr<f32>>
  %sum = arith.addf %0, %1 : tensor<32x64xf32>
  %all = arith.addf %sum, %2 : tensor<32x64xf32>
  eft.store %p, %all : tensor<32x64x!eft.ptr<f32>>
  return
}

// Offsets modulo an argument make headless runs. A volatile load accesses each element by itself.
// CHECK-LABEL: @offsets_modulo_an_argument
// CHECK: eft.load {{.*}} {headless, run = 8 : i32} :
// CHECK: eft.load {{.*}} volatile {run = 1 : i32} :
// CHECK: eft.store {{.*}} {headless, run = 8 : i32} :
func.func @offsets_modulo_an_argument(%x: !eft.ptr<f16> {eft.divisibility = 16 : i32},
                                      %n: i32 {eft.divisibility = 16 : i32}) {
  %pid = eft.program_id x
  %extent = arith.constant 1024 : i32
  %begin = arith.muli %pid, %extent : i32
  %begins = eft.splat %begin : i32 -> tensor<1024xi32>
  %range = eft.arange 0 to 1024 : tensor<1024xi32>
  %sums = arith.addi %begins, %range : tensor<1024xi32>
  %ns = eft.splat %n : i32 -> tensor<1024xi32>
  %offsets = arith.remsi %sums, %ns : tensor<1024xi32>
  %xs = eft.splat %x : !eft.ptr<f16> -> tensor<1024x!eft.ptr<f16>>
  %p = eft.addptr %xs, %offsets : tensor<1024x!eft.ptr<f16>>, tensor<1024xi32>
  %v = eft.load %p : tensor<1024x!eft.ptr<f16>>
  %w = eft.load %p volatile : tensor<1024x!eft.ptr<f16>>
  %sum = arith.addf %v, %w : tensor<1024xf16>
  eft.store %p, %sum : tensor<1024x!eft.ptr<f16>>
  return
}

// Integers that begin at a multiple of their number don't wrap around. Others may.
// CHECK-LABEL: @starts_of_ranges
// CHECK: arith.addi %{{.*}}, %{{.*}} overflow<nsw> : tensor<1024xi32
// CHECK: arith.addi %{{[^ ]*}}, %{{[^ ]*}} : tensor<1024xi32
func.func @starts_of_ranges(%x: !eft.ptr<i32>, %n: i32) {
  %c1024 = arith.constant 1024 : i32
  %pid = eft.program_id x
  %start = arith.muli %pid, %c1024 : i32
  %i = eft.arange 0 to 1024 : tensor<1024xi32>
  %s = eft.splat %start : i32 -> tensor<1024xi32>
  %here = arith.addi %s, %i : tensor<1024xi32>
  %ns = eft.splat %n : i32 -> tensor<1024xi32>
  %there = arith.addi %ns, %i : tensor<1024xi32>
  %xs = eft.splat %x : !eft.ptr<i32> -> tensor<1024x!eft.ptr<i32>>
  %p = eft.addptr %xs, %here : tensor<1024x!eft.ptr<i32>>, tensor<1024xi32>
  eft.store %p, %there : tensor<1024x!eft.ptr<i32>>
  return
}

// CHECK-LABEL: @mask_of_odd_elements
// CHECK: eft.store {{.*}}, mask {{.*}} {run = 4 : i32}
func.func @mask_of_odd_elements(%x: !eft.ptr<i32> {eft.divisibility = 16 : i32}) {
  %range = eft.arange 0 to 1024 : tensor<1024xi32>
  %mask = arith.trunci %range : tensor<1024xi32> to tensor<1024xi1>
  %xs = eft.splat %x : !eft.ptr<i32> -> tensor<1024x!eft.ptr<i32>>
  %p = eft.addptr %xs, %range : tensor<1024x!eft.ptr<i32>>, tensor<1024xi32>
  eft.store %p, %range, mask %mask : tensor<1024x!eft.ptr<i32>>
  return
}

// CHECK-LABEL: @scalars_stay
// CHECK: eft.store %{{.*}}, %{{.*}} : !eft.ptr<f32>
func.func @scalars_stay(%x: !eft.ptr<f32>, %f: f32) {
  eft.store %x, %f : !eft.ptr<f32>
  return
}

// Memory runs along the first dimension, so the low register bits run along this dimension.
// CHECK-LABEL: @columns_are_contiguous
// CHECK: eft.store {{.*}} {run = 4 : i32} : tensor<32x64x!eft.ptr<i32>, #[[COLUMNS]]>
func.func @columns_are_contiguous(%x: !eft.ptr<i32> {eft.divisibility = 16 : i32},
                                  %stride: i32 {eft.divisibility = 16 : i32}) {
  %r = eft.arange 0 to 32 : tensor<32xi32>
  %r2 = eft.expand_dims %r axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %r3 = eft.broadcast %r2 : tensor<32x1xi32> -> tensor<32x64xi32>
  %c = eft.arange 0 to 64 : tensor<64xi32>
  %strides = eft.splat %stride : i32 -> tensor<64xi32>
  %cs = arith.muli %c, %strides : tensor<64xi32>
  %c2 = eft.expand_dims %cs axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %c3 = eft.broadcast %c2 : tensor<1x64xi32> -> tensor<32x64xi32>
  %offsets = arith.addi %r3, %c3 : tensor<32x64xi32>
  %xs = eft.splat %x : !eft.ptr<i32> -> tensor<32x64x!eft.ptr<i32>>
  %p = eft.addptr %xs, %offsets : tensor<32x64x!eft.ptr<i32>>, tensor<32x64xi32>
  eft.store %p, %offsets : tensor<32x64x!eft.ptr<i32>>
  return
}

// The arguments, the results and the yielded values of a loop or branch have the same layout.
// CHECK-LABEL: @loops_and_branches_carry_blocks
// CHECK: scf.for {{.*}} -> (tensor<256xf32, #[[L:layout[0-9]*]]>)
// CHECK: scf.if {{.*}} -> (tensor<256xf32, #[[L]]>) {
// CHECK: scf.yield {{.*}} : tensor<256xf32, #[[L]]>
// CHECK: eft.store {{.*}} : tensor<256x!eft.ptr<f32>, #[[L]]>
func.func @loops_and_branches_carry_blocks(%x: !eft.ptr<f32>, %n: i32, %c: i1) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant dense<0.0> : tensor<256xf32>
  %sum = scf.for %i = %zero to %n step %one iter_args(%a = %start) -> (tensor<256xf32>) : i32 {
    %next = scf.if %c -> (tensor<256xf32>) {
      %twice = arith.addf %a, %a : tensor<256xf32>
      scf.yield %twice : tensor<256xf32>
    } else {
      scf.yield %start : tensor<256xf32>
    }
    scf.yield %next : tensor<256xf32>
  }
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<256x!eft.ptr<f32>>
  eft.store %xs, %sum : tensor<256x!eft.ptr<f32>>
  return
}

// CHECK-LABEL: @constants_of_different_elements
// CHECK: arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32, #[[COPIES]]>
func.func @constants_of_different_elements(%x: !eft.ptr<i32>) {
  %v = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %xs = eft.splat %x : !eft.ptr<i32> -> tensor<4x!eft.ptr<i32>>
  eft.store %xs, %v : tensor<4x!eft.ptr<i32>>
  return
}

// CHECK-LABEL: @several_results
// CHECK: eft.philox {{.*}}tensor<64xi32, #layout
func.func @several_results(%seed: i64) {
  %range = eft.arange 0 to 64 : tensor<64xi32>
  %w:4 = eft.philox seed %seed counter %range, %range, %range, %range rounds 10
      : i64, tensor<64xi32>
  return
}
