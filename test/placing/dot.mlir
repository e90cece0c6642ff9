// RUN: eft-opt %s -eft-place='target=gpu num-warps=4' | FileCheck %s --check-prefix=GPU
// RUN: eft-opt %s -eft-place='target=gpu num-warps=4' | FileCheck %s --check-prefix=SHAPES
// RUN: eft-opt %s -eft-place='target=cpu vector-bits=256' | FileCheck %s --check-prefix=CPU

// On a GPU, the loop carries the accumulator in its anchor, and the factors are converted to the
// layouts that follow from the anchor. On a CPU, no factor is converted.
// GPU-DAG: #[[ACC:.*]] = #eft.layout<register = {{\[\[}}0, 1], [8, 0], [0, 8]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}0, 16], [16, 0]]>
// GPU-DAG: #[[A:.*]] = #eft.layout<register = {{\[\[}}0, 1], [8, 0], [0, 8]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}0, 0], [16, 0]]>
// GPU-DAG: #[[B:.*]] = #eft.layout<register = {{\[\[}}1, 0], [8, 0], [0, 8]], lane = {{\[\[}}2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = {{\[\[}}0, 16], [0, 0]]>
// CPU: #[[ROWS:.*]] = #eft.layout<lane = {{\[\[}}0, 1], [0, 2], [0, 4]],

// GPU-LABEL: @accumulates_in_a_loop
// GPU: %[[C:.*]] = arith.constant dense<0.000000e+00> : tensor<32x32xf32, #[[ACC]]>
// GPU: scf.for {{.*}} iter_args(%[[SUM:.*]] = %[[C]]) -> (tensor<32x32xf32, #[[ACC]]>)
// GPU: eft.dot %{{.*}}, %{{.*}}, %[[SUM]] precision ieee : tensor<32x16xf16, #[[A]]>, tensor<16x32xf16, #[[B]]> -> tensor<32x32xf32, #[[ACC]]>
// CPU-LABEL: @accumulates_in_a_loop
// CPU-NOT: eft.convert_layout
// CPU: eft.dot %{{.*}}, %{{.*}}, %{{.*}} precision ieee : tensor<32x16xf16, #{{.*}}>, tensor<16x32xf16, #{{.*}}> -> tensor<32x32xf32, #[[ROWS]]>
func.func @accumulates_in_a_loop(%p: !eft.ptr<f16>, %q: !eft.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %pa = eft.splat %p : !eft.ptr<f16> -> tensor<32x16x!eft.ptr<f16>>
  %pb = eft.splat %p : !eft.ptr<f16> -> tensor<16x32x!eft.ptr<f16>>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<32x32xf32> : i32 {
    %a = eft.load %pa : tensor<32x16x!eft.ptr<f16>>
    %b = eft.load %pb : tensor<16x32x!eft.ptr<f16>>
    %d = eft.dot %a, %b, %acc precision ieee : tensor<32x16xf16>, tensor<16x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  %pq = eft.splat %q : !eft.ptr<f32> -> tensor<32x32x!eft.ptr<f32>>
  eft.store %pq, %sum : tensor<32x32x!eft.ptr<f32>>
  return
}

// Without tensor cores, a thread computes small patches of the product. Factors may have any layout.
// GPU-LABEL: @exact_products
// GPU: eft.dot %[[X:.*]], %[[X]], %[[X2:.*]] precision ieee
func.func @exact_products(%p: !eft.ptr<f32>) {
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<32x32x!eft.ptr<f32>>
  %x = eft.load %ps : tensor<32x32x!eft.ptr<f32>>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = eft.dot %x, %x, %zero precision ieee : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  eft.store %ps, %d : tensor<32x32x!eft.ptr<f32>>
  return
}

// The maximum of a product is computed in the layout of the product, even if it is reshaped first.
// GPU-LABEL: @largest_of_a_product
// GPU: eft.dot
// GPU-NOT: eft.convert_layout
// GPU: eft.reshape
// GPU-NEXT: eft.reduce {{.*}} axis 0 order_free steps 1 tree [256, 8, 1, 128, 64, 32, 4, 2, 512, 16]
func.func @largest_of_a_product(%p: !eft.ptr<f16>, %q: !eft.ptr<f32>) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<32x32x!eft.ptr<f16>>
  %x = eft.load %ps : tensor<32x32x!eft.ptr<f16>>
  %d = eft.dot %x, %x, %zero precision ieee : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
  %flat = eft.reshape %d : tensor<32x32xf32> -> tensor<1024xf32>
  %most = eft.reduce %flat axis 0 order_free : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %max = arith.maximumf %a, %b : f32
    eft.yield %max : f32
  }
  eft.store %q, %most : !eft.ptr<f32>
  return
}

// The first factor of a product is a product, too. The warps of both lie below each other, so the first
// product needs no conversion. A product from whose rows nothing is computed has its warps in a square.
// GPU-LABEL: @product_of_a_product
// GPU: eft.dot {{.*}} -> tensor<64x64xf32, #[[ROWS:layout[0-9]*]]>
// GPU-NOT: eft.convert_layout
// GPU: eft.dot {{.*}} : tensor<64x64xf16, #[[ROWS]]>, {{.*}} -> tensor<64x64xf32, #[[ROWS]]>
// GPU: eft.convert_layout
// GPU: eft.dot {{.*}} -> tensor<64x64xf32, #[[SQUARE:layout[0-9]*]]>
// SHAPES-DAG: #[[ROWS:.*]] = #eft.layout<register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [32, 0]]>
// SHAPES-DAG: #[[SQUARE:.*]] = #eft.layout<register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [16, 0]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}0, 32], [32, 0]]>
// SHAPES-LABEL: @product_of_a_product
// SHAPES: eft.dot {{.*}} -> tensor<64x64xf32, #[[ROWS]]>
// SHAPES: eft.dot {{.*}} -> tensor<64x64xf32, #[[ROWS]]>
// SHAPES: eft.dot {{.*}} -> tensor<64x64xf32, #[[SQUARE]]>
func.func @product_of_a_product(%p: !eft.ptr<f16>, %q: !eft.ptr<f32>) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<64x64x!eft.ptr<f16>>
  %x = eft.load %ps : tensor<64x64x!eft.ptr<f16>>
  %first = eft.dot %x, %x, %zero precision ieee : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  %factor = arith.truncf %first : tensor<64x64xf32> to tensor<64x64xf16>
  %second = eft.dot %factor, %x, %zero precision ieee : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  %qs = eft.splat %q : !eft.ptr<f32> -> tensor<64x64x!eft.ptr<f32>>
  eft.store %qs, %second : tensor<64x64x!eft.ptr<f32>>
  %other = eft.dot %x, %x, %zero precision ieee : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  eft.store %qs, %other : tensor<64x64x!eft.ptr<f32>>
  return
}
