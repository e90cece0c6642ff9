// RUN: eft-opt %s -eft-place='target=cpu vector-bits=512' | FileCheck %s
// RUN: eft-opt %s -eft-place='target=cpu vector-bits=256' | FileCheck %s --check-prefix=AVX2

// CHECK: #[[L16:.*]] = #eft.layout<lane = {{\[\[}}1], [2], [4], [8]], step = {{\[\[}}16], [32]]>
// CHECK: #[[L8:.*]] = #eft.layout<lane = {{\[\[}}1], [2], [4]], step = {{\[\[}}8], [16], [32]]>
// CHECK: #[[L4:.*]] = #eft.layout<lane = {{\[\[}}1], [2]], step = []>
// AVX2: #[[L8:.*]] = #eft.layout<lane = {{\[\[}}1], [2], [4]], step = {{\[\[}}8], [16], [32]]>

// CHECK-LABEL: @lanes_and_steps
// CHECK: eft.store {{.*}} {run = 16 : i32} : tensor<64x!eft.ptr<f32>, #[[L16]]>
// AVX2-LABEL: @lanes_and_steps
// AVX2: eft.store {{.*}} {run = 8 : i32} : tensor<64x!eft.ptr<f32>, #[[L8]]>
func.func @lanes_and_steps(%x: !eft.ptr<f32>) {
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %range = eft.arange 0 to 64 : tensor<64xi32>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<64x!eft.ptr<f32>>
  %p = eft.addptr %xs, %range : tensor<64x!eft.ptr<f32>>, tensor<64xi32>
  eft.store %p, %zero : tensor<64x!eft.ptr<f32>>
  return
}

// A vector has as many elements as a register holds of the widest type in memory.
// CHECK-LABEL: @widest_type_decides
// CHECK: eft.load {{.*}} {run = 8 : i32} : tensor<64x!eft.ptr<f16>, #[[L8]]>
// CHECK: eft.store {{.*}} {run = 8 : i32} : tensor<64x!eft.ptr<f64>, #[[L8]]>
func.func @widest_type_decides(%x: !eft.ptr<f16>, %y: !eft.ptr<f64>) {
  %range = eft.arange 0 to 64 : tensor<64xi32>
  %xs = eft.splat %x : !eft.ptr<f16> -> tensor<64x!eft.ptr<f16>>
  %p = eft.addptr %xs, %range : tensor<64x!eft.ptr<f16>>, tensor<64xi32>
  %v = eft.load %p : tensor<64x!eft.ptr<f16>>
  %w = arith.extf %v : tensor<64xf16> to tensor<64xf64>
  %ys = eft.splat %y : !eft.ptr<f64> -> tensor<64x!eft.ptr<f64>>
  %q = eft.addptr %ys, %range : tensor<64x!eft.ptr<f64>>, tensor<64xi32>
  eft.store %q, %w : tensor<64x!eft.ptr<f64>>
  return
}

// CHECK-LABEL: @block_smaller_than_a_vector
// CHECK: eft.store {{.*}} {run = 4 : i32} : tensor<4x!eft.ptr<i32>, #[[L4]]>
func.func @block_smaller_than_a_vector(%x: !eft.ptr<i32>) {
  %range = eft.arange 0 to 4 : tensor<4xi32>
  %xs = eft.splat %x : !eft.ptr<i32> -> tensor<4x!eft.ptr<i32>>
  %p = eft.addptr %xs, %range : tensor<4x!eft.ptr<i32>>, tensor<4xi32>
  eft.store %p, %range : tensor<4x!eft.ptr<i32>>
  return
}

// CHECK-LABEL: @every_other_element
// CHECK: eft.store {{.*}} {run = 1 : i32}
func.func @every_other_element(%x: !eft.ptr<i32>) {
  %two = arith.constant dense<2> : tensor<64xi32>
  %range = eft.arange 0 to 64 : tensor<64xi32>
  %even = arith.muli %range, %two : tensor<64xi32>
  %xs = eft.splat %x : !eft.ptr<i32> -> tensor<64x!eft.ptr<i32>>
  %p = eft.addptr %xs, %even : tensor<64x!eft.ptr<i32>>, tensor<64xi32>
  eft.store %p, %range : tensor<64x!eft.ptr<i32>>
  return
}

// CHECK-LABEL: @mask_cuts_the_block
// CHECK: eft.store {{.*}} {prefix, run = 16 : i32}
func.func @mask_cuts_the_block(%x: !eft.ptr<i32>, %n: i32) {
  %range = eft.arange 0 to 64 : tensor<64xi32>
  %ns = eft.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %range, %ns : tensor<64xi32>
  %xs = eft.splat %x : !eft.ptr<i32> -> tensor<64x!eft.ptr<i32>>
  %p = eft.addptr %xs, %range : tensor<64x!eft.ptr<i32>>, tensor<64xi32>
  eft.store %p, %range, mask %mask : tensor<64x!eft.ptr<i32>>
  return
}

// One element for each row is loaded in the layout of vectors along the rows, without a conversion.
// CHECK-LABEL: @an_element_for_each_row
// CHECK: %[[SCALE:.*]] = eft.load {{.*}} : tensor<32x1x!eft.ptr<f32>
// CHECK-NOT: eft.convert_layout
// CHECK: eft.broadcast %[[SCALE]] : tensor<32x1xf32
func.func @an_element_for_each_row(%x: !eft.ptr<f32>, %s: !eft.ptr<f32>) {
  %rows = eft.arange 0 to 32 : tensor<32xi32>
  %row = eft.expand_dims %rows axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %columns = eft.arange 0 to 64 : tensor<64xi32>
  %column = eft.expand_dims %columns axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %ss = eft.splat %s : !eft.ptr<f32> -> tensor<32x1x!eft.ptr<f32>>
  %sp = eft.addptr %ss, %row : tensor<32x1x!eft.ptr<f32>>, tensor<32x1xi32>
  %scale = eft.load %sp : tensor<32x1x!eft.ptr<f32>>
  %scales = eft.broadcast %scale : tensor<32x1xf32> -> tensor<32x64xf32>
  %width = arith.constant dense<64> : tensor<32x1xi32>
  %starts = arith.muli %row, %width : tensor<32x1xi32>
  %across = eft.broadcast %starts : tensor<32x1xi32> -> tensor<32x64xi32>
  %down = eft.broadcast %column : tensor<1x64xi32> -> tensor<32x64xi32>
  %offsets = arith.addi %across, %down : tensor<32x64xi32>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<32x64x!eft.ptr<f32>>
  %p = eft.addptr %xs, %offsets : tensor<32x64x!eft.ptr<f32>>, tensor<32x64xi32>
  eft.store %p, %scales : tensor<32x64x!eft.ptr<f32>>
  return
}
