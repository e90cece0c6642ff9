// RUN: eft-opt %s -eft-place='target=gpu num-warps=4' | FileCheck %s

// The maxima of groups of a row are free of order, so they are computed where the row is loaded.
// CHECK-LABEL: @largest_of_groups
// CHECK: eft.load {{.*}} {run = 8 : i32} : tensor<1024x!eft.ptr<f16>, #[[ROW:layout[0-9]*]]>
// CHECK-NOT: eft.convert_layout
// CHECK: eft.reshape {{.*}} : tensor<1024xf16, #[[ROW]]>
// CHECK-NOT: eft.convert_layout
// CHECK: eft.reduce
func.func @largest_of_groups(%p: !eft.ptr<f16> {eft.divisibility = 16 : i32}, %q: !eft.ptr<f16>) {
  %i = eft.arange 0 to 1024 : tensor<1024xi32>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<1024x!eft.ptr<f16>>
  %pi = eft.addptr %ps, %i : tensor<1024x!eft.ptr<f16>>, tensor<1024xi32>
  %x = eft.load %pi : tensor<1024x!eft.ptr<f16>>
  %groups = eft.reshape %x : tensor<1024xf16> -> tensor<8x128xf16>
  %magnitudes = math.absf %groups : tensor<8x128xf16>
  %most = eft.reduce %magnitudes axis 1 order_free : (tensor<8x128xf16>) -> tensor<8xf16> {
  ^bb0(%a: f16, %b: f16):
    %max = arith.maximumf %a, %b : f16
    eft.yield %max : f16
  }
  %j = eft.arange 0 to 8 : tensor<8xi32>
  %qs = eft.splat %q : !eft.ptr<f16> -> tensor<8x!eft.ptr<f16>>
  %qj = eft.addptr %qs, %j : tensor<8x!eft.ptr<f16>>, tensor<8xi32>
  eft.store %qj, %most : tensor<8x!eft.ptr<f16>>
  return
}

// A sum has a fixed order, so its sources are converted. They are expensive, so they are computed once.
// CHECK-LABEL: @computed_once
// CHECK: %[[X:.*]] = eft.load
// CHECK-NOT: eft.convert_layout
// CHECK: %[[ROOT:.*]] = math.sqrt
// CHECK: arith.divf
// CHECK-NOT: math.sqrt
// CHECK: eft.convert_layout
// CHECK: eft.reduce
func.func @computed_once(%p: !eft.ptr<f16> {eft.divisibility = 16 : i32}, %q: !eft.ptr<f32>) {
  %i = eft.arange 0 to 1024 : tensor<1024xi32>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<1024x!eft.ptr<f16>>
  %pi = eft.addptr %ps, %i : tensor<1024x!eft.ptr<f16>>, tensor<1024xi32>
  %loaded = eft.load %pi : tensor<1024x!eft.ptr<f16>>
  %x = arith.extf %loaded : tensor<1024xf16> to tensor<1024xf32>
  %root = math.sqrt %x : tensor<1024xf32>
  %y = arith.divf %x, %root : tensor<1024xf32>
  %rounded = arith.truncf %y : tensor<1024xf32> to tensor<1024xf16>
  eft.store %pi, %rounded : tensor<1024x!eft.ptr<f16>>
  %groups = eft.reshape %y : tensor<1024xf32> -> tensor<8x128xf32>
  %sums = eft.reduce %groups axis 1 : (tensor<8x128xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    eft.yield %sum : f32
  }
  %j = eft.arange 0 to 8 : tensor<8xi32>
  %qs = eft.splat %q : !eft.ptr<f32> -> tensor<8x!eft.ptr<f32>>
  %qj = eft.addptr %qs, %j : tensor<8x!eft.ptr<f32>>, tensor<8xi32>
  eft.store %qj, %sums : tensor<8x!eft.ptr<f32>>
  return
}

// A thread holds as many neighbours as one store moves, not as many as one load could move. So the
// stores of neighbouring threads are neighbours in memory.
// CHECK-LABEL: @widened
// CHECK: eft.load {{.*}} {run = 4 : i32} : tensor<1024x!eft.ptr<i8>
// CHECK: eft.store {{.*}} {run = 4 : i32} : tensor<1024x!eft.ptr<f32>
func.func @widened(%p: !eft.ptr<i8> {eft.divisibility = 16 : i32}, %q: !eft.ptr<f32> {eft.divisibility = 16 : i32}) {
  %i = eft.arange 0 to 1024 : tensor<1024xi32>
  %ps = eft.splat %p : !eft.ptr<i8> -> tensor<1024x!eft.ptr<i8>>
  %pi = eft.addptr %ps, %i : tensor<1024x!eft.ptr<i8>>, tensor<1024xi32>
  %x = eft.load %pi : tensor<1024x!eft.ptr<i8>>
  %y = arith.sitofp %x : tensor<1024xi8> to tensor<1024xf32>
  %qs = eft.splat %q : !eft.ptr<f32> -> tensor<1024x!eft.ptr<f32>>
  %qi = eft.addptr %qs, %i : tensor<1024x!eft.ptr<f32>>, tensor<1024xi32>
  eft.store %qi, %y : tensor<1024x!eft.ptr<f32>>
  return
}
