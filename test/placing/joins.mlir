// RUN: eft-opt %s -eft-expand-philox=word-bits=32 -canonicalize -cse -eft-place='target=gpu num-warps=4' | FileCheck %s

// CHECK-DAG: #[[ONE:.*]] = #eft.layout<register = {{\[\[}}128], [256], [512]], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}32], [64]]>
// CHECK-DAG: #[[MADE:.*]] = #eft.layout<register = {{\[\[}}1], [2], [512]], lane = {{\[\[}}128], [256], [4], [8], [16]], warp = {{\[\[}}32], [64]]>
// CHECK-DAG: #[[PAIRS:.*]] = #eft.layout<register = {{\[\[}}1], [256], [512]], lane = {{\[\[}}128], [2], [4], [8], [16]], warp = {{\[\[}}32], [64]]>

// The pointer's alignment is not known, so the store has neighbours in different lanes. But the joins
// are made in a layout in which one lane holds all four words of a draw, and needs all of them.
// CHECK-LABEL: @four_words_of_a_draw
// CHECK: %[[WORDS:.*]] = eft.reshape {{.*}} -> tensor<1024xi32, #[[MADE]]>
// CHECK: %[[MOVED:.*]] = eft.convert_layout %[[WORDS]] : tensor<1024xi32, #[[MADE]]> -> tensor<1024xi32, #[[ONE]]>
// CHECK: eft.store %{{.*}}, %[[MOVED]] {{.*}} : tensor<1024x!eft.ptr<i32>, #[[ONE]]>
func.func @four_words_of_a_draw(%x: !eft.ptr<i32>, %seed: i64) {
  %zero = arith.constant dense<0> : tensor<256xi32>
  %c = eft.arange 0 to 256 : tensor<256xi32>
  %w:4 = eft.philox seed %seed counter %c, %zero, %zero, %zero rounds 10 : i64, tensor<256xi32>
  %a = eft.join %w#0, %w#2 : tensor<256xi32> -> tensor<256x2xi32>
  %b = eft.join %w#1, %w#3 : tensor<256xi32> -> tensor<256x2xi32>
  %ab = eft.join %a, %b : tensor<256x2xi32> -> tensor<256x2x2xi32>
  %words = eft.reshape %ab : tensor<256x2x2xi32> -> tensor<1024xi32>
  %i = eft.arange 0 to 1024 : tensor<1024xi32>
  %xs = eft.splat %x : !eft.ptr<i32> -> tensor<1024x!eft.ptr<i32>>
  %p = eft.addptr %xs, %i : tensor<1024x!eft.ptr<i32>>, tensor<1024xi32>
  eft.store %p, %words : tensor<1024x!eft.ptr<i32>>
  return
}

// If the store has neighbours in the registers of one lane, the joins need no conversion.
// CHECK-LABEL: @aligned_pointer
// CHECK-NOT: eft.convert_layout
// CHECK: return
func.func @aligned_pointer(%x: !eft.ptr<i32> {eft.divisibility = 16 : i32}, %seed: i64) {
  %zero = arith.constant dense<0> : tensor<512xi32>
  %c = eft.arange 0 to 512 : tensor<512xi32>
  %w:4 = eft.philox seed %seed counter %c, %zero, %zero, %zero rounds 10 : i64, tensor<512xi32>
  %a = eft.join %w#0, %w#2 : tensor<512xi32> -> tensor<512x2xi32>
  %words = eft.reshape %a : tensor<512x2xi32> -> tensor<1024xi32>
  %i = eft.arange 0 to 1024 : tensor<1024xi32>
  %xs = eft.splat %x : !eft.ptr<i32> -> tensor<1024x!eft.ptr<i32>>
  %p = eft.addptr %xs, %i : tensor<1024x!eft.ptr<i32>>, tensor<1024xi32>
  eft.store %p, %words : tensor<1024x!eft.ptr<i32>>
  return
}

// Few operations are computed for both sources in each lane, which costs less than moving the result.
// CHECK-LABEL: @little_to_compute
// CHECK-NOT: eft.convert_layout
// CHECK: return
func.func @little_to_compute(%x: !eft.ptr<i32>, %n: i32) {
  %c = eft.arange 0 to 512 : tensor<512xi32>
  %ns = eft.splat %n : i32 -> tensor<512xi32>
  %d = arith.muli %c, %ns : tensor<512xi32>
  %a = eft.join %c, %d : tensor<512xi32> -> tensor<512x2xi32>
  %words = eft.reshape %a : tensor<512x2xi32> -> tensor<1024xi32>
  %i = eft.arange 0 to 1024 : tensor<1024xi32>
  %xs = eft.splat %x : !eft.ptr<i32> -> tensor<1024x!eft.ptr<i32>>
  %p = eft.addptr %xs, %i : tensor<1024x!eft.ptr<i32>>, tensor<1024xi32>
  eft.store %p, %words : tensor<1024x!eft.ptr<i32>>
  return
}

// Each thread holds one element of the result, so no lane can hold two words.
// CHECK-LABEL: @one_element_a_thread
// CHECK-NOT: eft.convert_layout
// CHECK: return
func.func @one_element_a_thread(%x: !eft.ptr<i32>, %seed: i64) {
  %zero = arith.constant dense<0> : tensor<64xi32>
  %c = eft.arange 0 to 64 : tensor<64xi32>
  %w:4 = eft.philox seed %seed counter %c, %zero, %zero, %zero rounds 10 : i64, tensor<64xi32>
  %a = eft.join %w#0, %w#2 : tensor<64xi32> -> tensor<64x2xi32>
  %words = eft.reshape %a : tensor<64x2xi32> -> tensor<128xi32>
  %i = eft.arange 0 to 128 : tensor<128xi32>
  %xs = eft.splat %x : !eft.ptr<i32> -> tensor<128x!eft.ptr<i32>>
  %p = eft.addptr %xs, %i : tensor<128x!eft.ptr<i32>>, tensor<128xi32>
  eft.store %p, %words : tensor<128x!eft.ptr<i32>>
  return
}

// Sums and differences of neighbours, as in a Hadamard transform: the neighbours come into the
// registers of one lane, which then needs both results.
// CHECK-LABEL: @sums_and_differences
// CHECK: eft.split %{{.*}} -> tensor<512xf32, #[[HALF:.*]]>
// CHECK: arith.addf {{.*}} : tensor<512xf32, #[[HALF]]>
// CHECK: arith.subf {{.*}} : tensor<512xf32, #[[HALF]]>
// CHECK: %[[Y:.*]] = eft.reshape {{.*}} -> tensor<1024xf32, #[[PAIRS]]>
// CHECK: eft.convert_layout %[[Y]] : tensor<1024xf32, #[[PAIRS]]> -> tensor<1024xf32, #[[ONE]]>
func.func @sums_and_differences(%x: !eft.ptr<f32>) {
  %i = eft.arange 0 to 1024 : tensor<1024xi32>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<1024x!eft.ptr<f32>>
  %p = eft.addptr %xs, %i : tensor<1024x!eft.ptr<f32>>, tensor<1024xi32>
  %v = eft.load %p : tensor<1024x!eft.ptr<f32>>
  %pairs = eft.reshape %v : tensor<1024xf32> -> tensor<512x2xf32>
  %a, %b = eft.split %pairs : tensor<512x2xf32> -> tensor<512xf32>
  %sum = arith.addf %a, %b : tensor<512xf32>
  %difference = arith.subf %a, %b : tensor<512xf32>
  %both = eft.join %sum, %difference : tensor<512xf32> -> tensor<512x2xf32>
  %y = eft.reshape %both : tensor<512x2xf32> -> tensor<1024xf32>
  eft.store %p, %y : tensor<1024x!eft.ptr<f32>>
  return
}
