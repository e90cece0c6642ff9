// RUN: eft-opt %s -eft-place='target=sm_90 num-warps=4' | FileCheck %s --check-prefixes=ALL,GROUPS
// RUN: eft-opt %s -eft-place='target=compute_90 num-warps=4' | FileCheck %s --check-prefixes=ALL,WARPS
// RUN: eft-opt %s -eft-place='target=sm_90 num-warps=2' | FileCheck %s --check-prefixes=ALL,WARPS

// Warpgroups compute a product of at least 64 rows. Their warps lie below each other. Factors are loaded
// along their memory, even if each warp could directly load the elements that it multiplies. The
// product is converted after it has been rounded to the narrow type that is stored.
// GROUPS-DAG: #[[ACC:.*]] = #eft.layout<register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [32, 0]]>
// GROUPS-DAG: #[[ROWS:.*]] = #eft.layout<register = {{\[\[}}0, 1], [0, 2], [0, 4]{{.*}}], lane = {{\[\[}}0, 8], [1, 0]
// GROUPS-DAG: #[[PAIRS:.*]] = #eft.layout<register = {{\[\[}}0, 1], [16, 0]{{.*}}], lane = {{\[\[}}0, 2], [0, 4], [0, 8], [1, 0]
// ALL-LABEL: @product
// GROUPS: %[[X:.*]] = eft.load %{{.*}} : tensor<64x16x!eft.ptr<f16>, #[[ROWS]]>
// GROUPS: %[[A:.*]] = eft.convert_layout %[[X]]
// GROUPS: eft.dot %[[A]], %{{.*}}, %{{.*}} precision ieee {warpgroups} : {{.*}} -> tensor<64x32xf32, #[[ACC]]>
// WARPS-NOT: warpgroups
// ALL: arith.mulf
// ALL: %[[NARROW:.*]] = arith.truncf
// ALL: %[[C:.*]] = eft.convert_layout %[[NARROW]] : tensor<64x32xf16
// ALL: eft.store %{{.*}}, %[[C]]
func.func @product(%p: !eft.ptr<f16> {eft.divisibility = 16 : i32}, %q: !eft.ptr<f16> {eft.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %half = arith.constant dense<0.5> : tensor<64x32xf32>
  %sixteen = arith.constant dense<16> : tensor<64x1xi32>
  %width = arith.constant dense<32> : tensor<64x1xi32>
  %i = eft.arange 0 to 64 : tensor<64xi32>
  %k = eft.arange 0 to 16 : tensor<16xi32>
  %j = eft.arange 0 to 32 : tensor<32xi32>
  %rows = eft.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %inner = eft.expand_dims %k axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %across = eft.expand_dims %j axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %rowsOfA = arith.muli %rows, %sixteen : tensor<64x1xi32>
  %rowsOfC = arith.muli %rows, %width : tensor<64x1xi32>
  %a0 = eft.broadcast %rowsOfA : tensor<64x1xi32> -> tensor<64x16xi32>
  %a1 = eft.broadcast %inner : tensor<1x16xi32> -> tensor<64x16xi32>
  %offsets = arith.addi %a0, %a1 : tensor<64x16xi32>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<64x16x!eft.ptr<f16>>
  %pa = eft.addptr %ps, %offsets : tensor<64x16x!eft.ptr<f16>>, tensor<64x16xi32>
  %b = arith.constant dense<1.0> : tensor<16x32xf16>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x32xf32>) : i32 {
    %x = eft.load %pa : tensor<64x16x!eft.ptr<f16>>
    %d = eft.dot %x, %b, %acc precision ieee : tensor<64x16xf16>, tensor<16x32xf16> -> tensor<64x32xf32>
    scf.yield %d : tensor<64x32xf32>
  }
  %scaled = arith.mulf %r, %half : tensor<64x32xf32>
  %narrow = arith.truncf %scaled : tensor<64x32xf32> to tensor<64x32xf16>
  %c2 = eft.broadcast %rowsOfC : tensor<64x1xi32> -> tensor<64x32xi32>
  %c3 = eft.broadcast %across : tensor<1x32xi32> -> tensor<64x32xi32>
  %places = arith.addi %c2, %c3 : tensor<64x32xi32>
  %qs = eft.splat %q : !eft.ptr<f16> -> tensor<64x32x!eft.ptr<f16>>
  %pc = eft.addptr %qs, %places : tensor<64x32x!eft.ptr<f16>>, tensor<64x32xi32>
  eft.store %pc, %narrow : tensor<64x32x!eft.ptr<f16>>
  return
}

// If memory is not aligned, a thread loads two f16, which it stores to shared memory as one word.
// ALL-LABEL: @unaligned
// GROUPS: eft.load %{{.*}} : tensor<64x16x!eft.ptr<f16>, #[[PAIRS]]>
func.func @unaligned(%p: !eft.ptr<f16>, %q: !eft.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %b = arith.constant dense<1.0> : tensor<16x32xf16>
  %sixteen = arith.constant dense<16> : tensor<64x1xi32>
  %i = eft.arange 0 to 64 : tensor<64xi32>
  %k = eft.arange 0 to 16 : tensor<16xi32>
  %rows = eft.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %inner = eft.expand_dims %k axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %starts = arith.muli %rows, %sixteen : tensor<64x1xi32>
  %a0 = eft.broadcast %starts : tensor<64x1xi32> -> tensor<64x16xi32>
  %a1 = eft.broadcast %inner : tensor<1x16xi32> -> tensor<64x16xi32>
  %offsets = arith.addi %a0, %a1 : tensor<64x16xi32>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<64x16x!eft.ptr<f16>>
  %pa = eft.addptr %ps, %offsets : tensor<64x16x!eft.ptr<f16>>, tensor<64x16xi32>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x32xf32>) : i32 {
    %x = eft.load %pa : tensor<64x16x!eft.ptr<f16>>
    %d = eft.dot %x, %b, %acc precision ieee : tensor<64x16xf16>, tensor<16x32xf16> -> tensor<64x32xf32>
    scf.yield %d : tensor<64x32xf32>
  }
  %qs = eft.splat %q : !eft.ptr<f32> -> tensor<64x32x!eft.ptr<f32>>
  eft.store %qs, %r : tensor<64x32x!eft.ptr<f32>>
  return
}

// The scalar condition of a select needs no conversion when a conversion moves across the select.
// ALL-LABEL: @chosen_by_a_scalar
// ALL: %[[CHOSEN:.*]] = arith.select %true, %{{.*}}, %{{.*}} : tensor<64x32xf32
// ALL: %[[NARROW:.*]] = arith.truncf %[[CHOSEN]]
// ALL: %[[C:.*]] = eft.convert_layout %[[NARROW]] : tensor<64x32xf16
// ALL: eft.store %{{.*}}, %[[C]]
func.func @chosen_by_a_scalar(%q: !eft.ptr<f16> {eft.divisibility = 16 : i32}) {
  %true = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %a = arith.constant dense<1.0> : tensor<64x16xf16>
  %b = arith.constant dense<1.0> : tensor<16x32xf16>
  %width = arith.constant dense<32> : tensor<64x1xi32>
  %i = eft.arange 0 to 64 : tensor<64xi32>
  %j = eft.arange 0 to 32 : tensor<32xi32>
  %rows = eft.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %across = eft.expand_dims %j axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %offsets = arith.muli %rows, %width : tensor<64x1xi32>
  %down = eft.broadcast %offsets : tensor<64x1xi32> -> tensor<64x32xi32>
  %right = eft.broadcast %across : tensor<1x32xi32> -> tensor<64x32xi32>
  %places = arith.addi %down, %right : tensor<64x32xi32>
  %qs = eft.splat %q : !eft.ptr<f16> -> tensor<64x32x!eft.ptr<f16>>
  %p = eft.addptr %qs, %places : tensor<64x32x!eft.ptr<f16>>, tensor<64x32xi32>
  %d = eft.dot %a, %b, %zero precision ieee : tensor<64x16xf16>, tensor<16x32xf16> -> tensor<64x32xf32>
  %chosen = arith.select %true, %d, %zero : tensor<64x32xf32>
  %narrow = arith.truncf %chosen : tensor<64x32xf32> to tensor<64x32xf16>
  eft.store %p, %narrow : tensor<64x32x!eft.ptr<f16>>
  return
}
