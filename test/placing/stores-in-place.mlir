// RUN: eft-opt %s -split-input-file -eft-place='target=gpu num-warps=4' | FileCheck %s

// The maxima of 16 rows are stored by the threads that have computed them, two by each. These threads
// compute the scales once, and their elements do not cross shared memory. No load accesses blocks of 16
// elements, so no barrier is needed.
// CHECK-LABEL: @scales_of_rows
// CHECK: %[[M:.*]] = eft.reduce
// CHECK: %[[S:.*]] = arith.mulf %[[M]],
// CHECK-NOT: arith.mulf
// CHECK: %[[I:.*]] = eft.arange 0 to 16 : tensor<16xi32, #[[OWN:.*]]>
// CHECK: %[[P:.*]] = eft.addptr %{{.*}}, %[[I]] : tensor<16x!eft.ptr<f32>, #[[OWN]]>
// CHECK-NOT: eft.arange
// CHECK: %[[IN:.*]] = arith.cmpi slt, %[[I]], %{{.*}} : tensor<16xi32, #[[OWN]]>
// CHECK: %[[C:.*]] = eft.convert_layout %[[S]] : tensor<16xf32, #{{.*}}> -> tensor<16xf32, #[[OWN]]>
// CHECK: eft.store %[[P]], %[[C]], mask %[[IN]] {eft.meets_no_load, {{.*}}} : tensor<16x!eft.ptr<f32>, #[[OWN]]>
func.func @scales_of_rows(%x: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %y: !eft.ptr<f32>, %z: !eft.ptr<f32>, %n: i32) {
  %i = eft.arange 0 to 16 : tensor<16xi32>
  %j = eft.arange 0 to 128 : tensor<128xi32>
  %c128 = arith.constant dense<128> : tensor<16xi32>
  %rows = arith.muli %i, %c128 : tensor<16xi32>
  %rows1 = eft.expand_dims %rows axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %rows2 = eft.broadcast %rows1 : tensor<16x1xi32> -> tensor<16x128xi32>
  %columns1 = eft.expand_dims %j axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %columns2 = eft.broadcast %columns1 : tensor<1x128xi32> -> tensor<16x128xi32>
  %offsets = arith.addi %rows2, %columns2 : tensor<16x128xi32>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<16x128x!eft.ptr<f32>>
  %at = eft.addptr %xs, %offsets : tensor<16x128x!eft.ptr<f32>>, tensor<16x128xi32>
  %v = eft.load %at : tensor<16x128x!eft.ptr<f32>>
  %m = eft.reduce %v axis 1 order_free : (tensor<16x128xf32>) -> tensor<16xf32> {
  ^bb0(%a: f32, %b: f32):
    %max = arith.maximumf %a, %b : f32
    eft.yield %max : f32
  }
  %half = arith.constant dense<0.5> : tensor<16xf32>
  %s = arith.mulf %m, %half : tensor<16xf32>
  %s1 = eft.expand_dims %s axis 1 : tensor<16xf32> -> tensor<16x1xf32>
  %s2 = eft.broadcast %s1 : tensor<16x1xf32> -> tensor<16x128xf32>
  %q = arith.subf %v, %s2 : tensor<16x128xf32>
  %zs = eft.splat %z : !eft.ptr<f32> -> tensor<16x128x!eft.ptr<f32>>
  %to = eft.addptr %zs, %offsets : tensor<16x128x!eft.ptr<f32>>, tensor<16x128xi32>
  eft.store %to, %q : tensor<16x128x!eft.ptr<f32>>
  %ys = eft.splat %y : !eft.ptr<f32> -> tensor<16x!eft.ptr<f32>>
  %yi = eft.addptr %ys, %i : tensor<16x!eft.ptr<f32>>, tensor<16xi32>
  %ns = eft.splat %n : i32 -> tensor<16xi32>
  %in = arith.cmpi slt, %i, %ns : tensor<16xi32>
  eft.store %yi, %s, mask %in : tensor<16x!eft.ptr<f32>>
  return
}

// -----

// A load of 16 elements may have to come before the store, or after it. So both have one layout, and the
// sums are converted to it.
// CHECK-LABEL: @with_a_load
// CHECK: eft.convert_layout %{{.*}} : tensor<16xf32, #{{.*}}> -> tensor<16xf32, #[[ONE:.*]]>
// CHECK: eft.load %{{.*}} : tensor<16x!eft.ptr<f32>, #[[ONE]]>
// CHECK: eft.store %{{.*}} {run = 1 : i32} : tensor<16x!eft.ptr<f32>, #[[ONE]]>
func.func @with_a_load(%x: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %y: !eft.ptr<f32>) {
  %i = eft.arange 0 to 16 : tensor<16xi32>
  %j = eft.arange 0 to 128 : tensor<128xi32>
  %rows1 = eft.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %rows2 = eft.broadcast %rows1 : tensor<16x1xi32> -> tensor<16x128xi32>
  %columns1 = eft.expand_dims %j axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %columns2 = eft.broadcast %columns1 : tensor<1x128xi32> -> tensor<16x128xi32>
  %offsets = arith.addi %rows2, %columns2 : tensor<16x128xi32>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<16x128x!eft.ptr<f32>>
  %at = eft.addptr %xs, %offsets : tensor<16x128x!eft.ptr<f32>>, tensor<16x128xi32>
  %v = eft.load %at : tensor<16x128x!eft.ptr<f32>>
  %m = eft.reduce %v axis 1 order_free : (tensor<16x128xf32>) -> tensor<16xf32> {
  ^bb0(%a: f32, %b: f32):
    %max = arith.maximumf %a, %b : f32
    eft.yield %max : f32
  }
  %ys = eft.splat %y : !eft.ptr<f32> -> tensor<16x!eft.ptr<f32>>
  %yi = eft.addptr %ys, %i : tensor<16x!eft.ptr<f32>>, tensor<16xi32>
  %old = eft.load %yi : tensor<16x!eft.ptr<f32>>
  %sum = arith.addf %old, %m : tensor<16xf32>
  eft.store %yi, %sum : tensor<16x!eft.ptr<f32>>
  return
}

// -----

// Each thread has the maxima of 16 of the 128 rows, too many to store them one by one.
// CHECK-LABEL: @many_elements
// CHECK: %[[M:.*]] = eft.reduce
// CHECK: eft.convert_layout %{{.*}} : tensor<128xf32, #{{.*}}> -> tensor<128xf32, #[[ONE:.*]]>
// CHECK: eft.store %{{.*}} {run = 1 : i32} : tensor<128x!eft.ptr<f32>, #[[ONE]]>
func.func @many_elements(%x: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %y: !eft.ptr<f32>) {
  %i = eft.arange 0 to 128 : tensor<128xi32>
  %j = eft.arange 0 to 16 : tensor<16xi32>
  %rows1 = eft.expand_dims %i axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %rows2 = eft.broadcast %rows1 : tensor<128x1xi32> -> tensor<128x16xi32>
  %columns1 = eft.expand_dims %j axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %columns2 = eft.broadcast %columns1 : tensor<1x16xi32> -> tensor<128x16xi32>
  %offsets = arith.addi %rows2, %columns2 : tensor<128x16xi32>
  %xs = eft.splat %x : !eft.ptr<f32> -> tensor<128x16x!eft.ptr<f32>>
  %at = eft.addptr %xs, %offsets : tensor<128x16x!eft.ptr<f32>>, tensor<128x16xi32>
  %v = eft.load %at : tensor<128x16x!eft.ptr<f32>>
  %m = eft.reduce %v axis 1 order_free : (tensor<128x16xf32>) -> tensor<128xf32> {
  ^bb0(%a: f32, %b: f32):
    %max = arith.maximumf %a, %b : f32
    eft.yield %max : f32
  }
  %ys = eft.splat %y : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>>
  %yi = eft.addptr %ys, %i : tensor<128x!eft.ptr<f32>>, tensor<128xi32>
  eft.store %yi, %m : tensor<128x!eft.ptr<f32>>
  return
}
