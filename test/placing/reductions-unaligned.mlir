// RUN: eft-opt %s -eft-place="target=gpu num-warps=4" | FileCheck %s

// A row at an unaligned address is loaded one element at a time. Neighbours then lie in neighbouring
// lanes, so that a warp's access has no gaps. The order of the sum is the same as for aligned rows.
// CHECK: #[[LAYOUT:.*]] = #eft.layout<register = {{\[\[}}32], [64], [512]], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}128], [256]]>
// CHECK: #[[PAIRS:.*]] = #eft.layout<register = {{\[\[}}1], [64], [512]], lane = {{\[\[}}2], [4], [8], [16], [32]], warp = {{\[\[}}128], [256]]>
// CHECK: #[[USUAL:.*]] = #eft.layout<register = {{\[\[}}1], [2], [512]]
// CHECK-LABEL: @unaligned
// CHECK: eft.load {{.*}} : tensor<1024x!eft.ptr<f32>, #[[LAYOUT]]>
// CHECK: eft.reduce {{.*}} steps 2 tree [2, 1, 64, 32, 16, 8, 4, 256, 128] : (tensor<1024xf32, #[[LAYOUT]]>)
func.func @unaligned(%p: !eft.ptr<f32>, %n: i32) -> f32 {
  %i = eft.arange 0 to 1024 : tensor<1024xi32>
  %q = eft.addptr %p, %n : !eft.ptr<f32>, i32
  %ps = eft.splat %q : !eft.ptr<f32> -> tensor<1024x!eft.ptr<f32>>
  %at = eft.addptr %ps, %i : tensor<1024x!eft.ptr<f32>>, tensor<1024xi32>
  %x = eft.load %at : tensor<1024x!eft.ptr<f32>>
  %sum = eft.reduce %x axis 0 : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    eft.yield %c : f32
  }
  return %sum : f32
}

// If addresses are multiples of 8 bytes, a thread loads pairs of f32.
// CHECK-LABEL: @pairs
// CHECK: eft.load {{.*}} : tensor<1024x!eft.ptr<f32>, #[[PAIRS]]>
func.func @pairs(%p: !eft.ptr<f32> {eft.divisibility = 8 : i32}) -> f32 {
  %i = eft.arange 0 to 1024 : tensor<1024xi32>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<1024x!eft.ptr<f32>>
  %at = eft.addptr %ps, %i : tensor<1024x!eft.ptr<f32>>, tensor<1024xi32>
  %x = eft.load %at : tensor<1024x!eft.ptr<f32>>
  %sum = eft.reduce %x axis 0 : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    eft.yield %c : f32
  }
  return %sum : f32
}

// Each gathered element is loaded by itself, so the layout is the usual one for reductions.
// CHECK-LABEL: @gathered
// CHECK: eft.reduce {{.*}} (tensor<1024xf32, #[[USUAL]]>)
func.func @gathered(%p: !eft.ptr<f32> {eft.divisibility = 16 : i32},
                    %q: !eft.ptr<i32> {eft.divisibility = 16 : i32}) -> f32 {
  %i = eft.arange 0 to 1024 : tensor<1024xi32>
  %qs = eft.splat %q : !eft.ptr<i32> -> tensor<1024x!eft.ptr<i32>>
  %qt = eft.addptr %qs, %i : tensor<1024x!eft.ptr<i32>>, tensor<1024xi32>
  %j = eft.load %qt : tensor<1024x!eft.ptr<i32>>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<1024x!eft.ptr<f32>>
  %at = eft.addptr %ps, %j : tensor<1024x!eft.ptr<f32>>, tensor<1024xi32>
  %x = eft.load %at : tensor<1024x!eft.ptr<f32>>
  %sum = eft.reduce %x axis 0 : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    eft.yield %c : f32
  }
  return %sum : f32
}
