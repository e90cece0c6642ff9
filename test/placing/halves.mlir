// RUN: eft-opt %s -eft-place='target=cpu vector-bits=512' | FileCheck %s
// RUN: eft-opt %s -eft-place='target=gpu num-warps=1' | FileCheck %s --check-prefix=GPU

// Splits leave one element of a block. The block itself still is not placed in a single lane.
// CHECK: #[[ALL:.*]] = #eft.layout<lane = {{\[\[}}8], [16], [32]], step = {{\[\[}}4], [2], [1]]>
// CHECK: #[[EIGHT:.*]] = #eft.layout<lane = {{\[\[}}1], [2], [4]], step = []>
// CHECK: #[[FOUR:.*]] = #eft.layout<lane = [], step = {{\[\[}}2], [1]]>
// CHECK-LABEL: @halves
// CHECK: arith.addi {{.*}} : tensor<64xi32, #[[ALL]]>
// CHECK: eft.split {{.*}} -> tensor<8xi32, #[[EIGHT]]>
// CHECK: eft.split {{.*}} -> tensor<4xi32, #[[FOUR]]>

// On a GPU, no thread holds the whole block.
// GPU: #[[ALL:.*]] = #eft.layout<register = {{\[\[}}4], [2], [1]], lane = {{\[\[}}8], [16], [32], [0], [0]], warp = []>
// GPU-LABEL: @halves
// GPU: arith.addi {{.*}} : tensor<64xi32, #[[ALL]]>
func.func @halves(%x: !eft.ptr<i32>) {
  %range = eft.arange 0 to 64 : tensor<64xi32>
  %xs = eft.splat %x : !eft.ptr<i32> -> tensor<64x!eft.ptr<i32>>
  %p = eft.addptr %xs, %range : tensor<64x!eft.ptr<i32>>, tensor<64xi32>
  %v = eft.load %p : tensor<64x!eft.ptr<i32>>
  %sum = arith.addi %v, %range : tensor<64xi32>
  %0 = eft.reshape %sum : tensor<64xi32> -> tensor<32x2xi32>
  %a, %b = eft.split %0 : tensor<32x2xi32> -> tensor<32xi32>
  %1 = eft.reshape %a : tensor<32xi32> -> tensor<16x2xi32>
  %c, %d = eft.split %1 : tensor<16x2xi32> -> tensor<16xi32>
  %2 = eft.reshape %c : tensor<16xi32> -> tensor<8x2xi32>
  %e, %f = eft.split %2 : tensor<8x2xi32> -> tensor<8xi32>
  %3 = eft.reshape %e : tensor<8xi32> -> tensor<4x2xi32>
  %g, %h = eft.split %3 : tensor<4x2xi32> -> tensor<4xi32>
  %4 = eft.reshape %g : tensor<4xi32> -> tensor<2x2xi32>
  %i, %j = eft.split %4 : tensor<2x2xi32> -> tensor<2xi32>
  %5 = eft.reshape %i : tensor<2xi32> -> tensor<1x2xi32>
  %k, %l = eft.split %5 : tensor<1x2xi32> -> tensor<1xi32>
  %s = eft.splat %x : !eft.ptr<i32> -> tensor<1x!eft.ptr<i32>>
  eft.store %s, %k : tensor<1x!eft.ptr<i32>>
  return
}
