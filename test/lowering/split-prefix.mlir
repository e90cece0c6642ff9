// RUN: eft-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(eft-tile-blocks{dimension=step elements=32 vectors=1 split-prefix=true}))' | FileCheck %s
// RUN: eft-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(eft-tile-blocks{dimension=step elements=32 vectors=1 split-prefix=true use-buffers=true}))' | FileCheck %s --check-prefix=BUFFERS

#large = #eft.layout<lane = [[1], [2], [4]], step = [[8], [16], [32], [64], [128]]>

// Tiles of 32 elements inside the prefix need no mask. The rest of the prefix is done in tiles of 8,
// with the mask. Nothing is done after the prefix.
// CHECK-DAG: #[[STEP:layout.*]] = #eft.layout<lane = {{\[\[}}1], [2], [4]], step = {{\[\[}}8], [16]]>
// CHECK-DAG: #[[FINE:layout.*]] = #eft.layout<lane = {{\[\[}}1], [2], [4]], step = []>
// CHECK-LABEL: @mask_cuts_the_block
func.func @mask_cuts_the_block(%p: !eft.ptr<f32>, %n: i32, %x: f32) {
  // CHECK: %[[INSIDE:.*]] = arith.trunci %{{.*}} : i64 to i32
  // CHECK: %[[START:.*]] = arith.muli %[[INSIDE]], %c4_i32
  // CHECK: %[[END:.*]] = arith.trunci %{{.*}} : i64 to i32
  // CHECK: scf.for %{{.*}} = %c0{{.*}} to %[[INSIDE]]
  // CHECK-NOT: arith.cmpi
  // CHECK: eft.store %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : tensor<32x!eft.ptr<f32>, #[[STEP]]>
  // CHECK: scf.for %{{.*}} = %[[START]] to %[[END]]
  // CHECK: arith.cmpi
  // CHECK: eft.store %{{.*}}, %{{.*}}, mask %{{.*}} : tensor<8x!eft.ptr<f32>, #[[FINE]]>
  %i = eft.arange 0 to 256 : tensor<256xi32, #large>
  %ns = eft.splat %n : i32 -> tensor<256xi32, #large>
  %m = arith.cmpi slt, %i, %ns : tensor<256xi32, #large>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<256x!eft.ptr<f32>, #large>
  %pi = eft.addptr %ps, %i : tensor<256x!eft.ptr<f32>, #large>, tensor<256xi32, #large>
  %xs = eft.splat %x : f32 -> tensor<256xf32, #large>
  eft.store %pi, %xs, mask %m {prefix} : tensor<256x!eft.ptr<f32>, #large>
  return
}

// -----

#large = #eft.layout<lane = [[1], [2], [4]], step = [[8], [16], [32], [64], [128]]>

// Inside the prefix the mask of a select is known to be true, too.
// CHECK-LABEL: @mask_selects
func.func @mask_selects(%p: !eft.ptr<f32>, %n: i32, %x: f32) {
  // CHECK: scf.for
  // CHECK-NOT: arith.cmpi
  // CHECK: %[[TRUE:.*]] = arith.constant dense<true>
  // CHECK-NOT: arith.cmpi
  // CHECK: arith.select %[[TRUE]]
  // CHECK: eft.store
  // CHECK: scf.for
  // CHECK: %[[MASK:.*]] = arith.cmpi
  // CHECK: arith.select %[[MASK]]
  %i = eft.arange 0 to 256 : tensor<256xi32, #large>
  %ns = eft.splat %n : i32 -> tensor<256xi32, #large>
  %m = arith.cmpi slt, %i, %ns : tensor<256xi32, #large>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<256x!eft.ptr<f32>, #large>
  %pi = eft.addptr %ps, %i : tensor<256x!eft.ptr<f32>, #large>, tensor<256xi32, #large>
  %xs = eft.splat %x : f32 -> tensor<256xf32, #large>
  %zero = arith.constant dense<0.0> : tensor<256xf32, #large>
  %y = arith.select %m, %xs, %zero : tensor<256xi1, #large>, tensor<256xf32, #large>
  eft.store %pi, %y, mask %m {prefix} : tensor<256x!eft.ptr<f32>, #large>
  return
}

// -----

#large = #eft.layout<lane = [[1], [2], [4]], step = [[8], [16], [32], [64], [128]]>

// Not all accesses have the mask, so every iteration has work to do.
// CHECK-LABEL: @one_access_has_no_mask
func.func @one_access_has_no_mask(%p: !eft.ptr<f32>, %n: i32) {
  // CHECK: scf.for %{{.*}} = %c0{{.*}} to %c8
  // CHECK-NOT: scf.for
  // CHECK: return
  %i = eft.arange 0 to 256 : tensor<256xi32, #large>
  %ns = eft.splat %n : i32 -> tensor<256xi32, #large>
  %m = arith.cmpi slt, %i, %ns : tensor<256xi32, #large>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<256x!eft.ptr<f32>, #large>
  %pi = eft.addptr %ps, %i : tensor<256x!eft.ptr<f32>, #large>, tensor<256xi32, #large>
  %x = eft.load %pi, mask %m {prefix} : tensor<256x!eft.ptr<f32>, #large>
  eft.store %pi, %x : tensor<256x!eft.ptr<f32>, #large>
  return
}

// -----

#large = #eft.layout<lane = [[1], [2], [4]], step = [[8], [16], [32], [64], [128]]>

// A buffer is written for the whole block: inside the prefix without the mask, and after it with the
// value of a masked load.
// BUFFERS-LABEL: @into_a_buffer
func.func @into_a_buffer(%p: !eft.ptr<f32>, %n: i32) {
  // BUFFERS: %[[INSIDE:.*]] = arith.trunci %{{.*}} : i64 to i32
  // BUFFERS: scf.for %{{.*}} = %c0{{.*}} to %[[INSIDE]]
  // BUFFERS: eft.buffer_read
  // BUFFERS-NOT: arith.cmpi
  // BUFFERS: %[[X:.*]] = eft.load %{{[a-z0-9]+}} : tensor<32x!eft.ptr<f32>
  // BUFFERS: eft.buffer_write
  // BUFFERS: scf.for %{{.*}} = %[[INSIDE]] to %c8
  // BUFFERS: eft.buffer_read
  // BUFFERS: arith.cmpi
  // BUFFERS: eft.load %{{.*}}, mask %{{.*}} : tensor<32x!eft.ptr<f32>
  // BUFFERS: eft.buffer_write
  // BUFFERS-NOT: scf.for
  // BUFFERS: return
  %zero = arith.constant 0 : i32
  %buffer = eft.buffer : <tensor<256xf32, #large>>
  %i = eft.arange 0 to 256 : tensor<256xi32, #large>
  %ns = eft.splat %n : i32 -> tensor<256xi32, #large>
  %m = arith.cmpi slt, %i, %ns : tensor<256xi32, #large>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<256x!eft.ptr<f32>, #large>
  %pi = eft.addptr %ps, %i : tensor<256x!eft.ptr<f32>, #large>, tensor<256xi32, #large>
  %a = eft.buffer_read %buffer[%zero] : <tensor<256xf32, #large>> -> tensor<256xf32, #large>
  %x = eft.load %pi, mask %m {prefix} : tensor<256x!eft.ptr<f32>, #large>
  %b = arith.addf %a, %x : tensor<256xf32, #large>
  eft.buffer_write %b, %buffer[%zero] : tensor<256xf32, #large>, <tensor<256xf32, #large>>
  return
}

// -----

#long = #eft.layout<lane = [[1], [2], [4]], step = [[8], [16], [32], [64], [128], [256], [512], [1024]]>

// The reduction combines four parts of a row, one after another. At each of the 16 positions, the first
// loop combines the parts that are inside the prefix, without a mask. The second loop combines the other
// parts, with the values of a masked load.
// BUFFERS-LABEL: @reduced
func.func @reduced(%p: !eft.ptr<f32>, %n: i32) {
  // BUFFERS: %[[INSIDE:.*]] = arith.trunci %{{.*}} : i64 to i32
  // BUFFERS: scf.for %[[POSITION:.*]] = %c0{{.*}} to %c16
  // BUFFERS: %[[REST:.*]] = arith.subi %[[INSIDE]], %[[POSITION]]
  // BUFFERS: %[[UP:.*]] = arith.addi %[[REST]], %c15
  // BUFFERS: %[[BORDER:.*]] = arith.shrui %[[UP]], %c4
  // BUFFERS: %[[PART:.*]] = scf.for %{{.*}} = %c0{{.*}} to %[[BORDER]] {{.*}} iter_args(%{{.*}} = %cst
  // BUFFERS-NOT: mask
  // BUFFERS: eft.combine
  // BUFFERS: %[[ALL:.*]] = scf.for %{{.*}} = %[[BORDER]] to %c4{{.*}} iter_args(%{{.*}} = %[[PART]])
  // BUFFERS: eft.load %{{.*}}, mask %{{.*}} other
  // BUFFERS: eft.combine
  // BUFFERS: eft.buffer_write %[[ALL]]
  %i = eft.arange 0 to 2048 : tensor<2048xi32, #long>
  %ns = eft.splat %n : i32 -> tensor<2048xi32, #long>
  %m = arith.cmpi slt, %i, %ns : tensor<2048xi32, #long>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<2048x!eft.ptr<f32>, #long>
  %pi = eft.addptr %ps, %i : tensor<2048x!eft.ptr<f32>, #long>, tensor<2048xi32, #long>
  %one = arith.constant dense<1.0> : tensor<2048xf32, #long>
  %x = eft.load %pi, mask %m other %one {prefix} : tensor<2048x!eft.ptr<f32>, #long>
  %s = eft.reduce %x axis 0 steps 4 tree [256, 128, 64, 32, 16, 8, 4, 2, 1] : (tensor<2048xf32, #long>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    eft.yield %sum : f32
  }
  eft.store %p, %s : !eft.ptr<f32>
  return
}

// -----

#long = #eft.layout<lane = [[1], [2], [4]], step = [[8], [16], [32], [64], [128], [256], [512]]>

// There are two parts. At the positions where both are inside the prefix, they are combined without a
// loop and without a mask.
// BUFFERS-LABEL: @two_parts
func.func @two_parts(%p: !eft.ptr<f32>, %n: i32) {
  // BUFFERS: %[[INSIDE:.*]] = arith.trunci %{{.*}} : i64 to i32
  // BUFFERS: %[[LAST:.*]] = arith.subi %[[INSIDE]], %c16
  // BUFFERS: %[[WHOLE:.*]] = arith.maxsi %[[LAST]], %c0
  // BUFFERS: scf.for %{{.*}} = %c0{{.*}} to %[[WHOLE]]
  // BUFFERS-NOT: {{mask|scf.for}}
  // BUFFERS: %[[FIRST:.*]] = eft.combine %cst
  // BUFFERS-NOT: {{mask|scf.for}}
  // BUFFERS: %[[BOTH:.*]] = eft.combine %[[FIRST]]
  // BUFFERS: eft.buffer_write %[[BOTH]]
  // BUFFERS: scf.for %{{.*}} = %[[WHOLE]] to %c16
  // BUFFERS: scf.for
  // BUFFERS: scf.for
  // BUFFERS: eft.load %{{.*}}, mask %{{.*}} other
  // BUFFERS: eft.buffer_write
  %i = eft.arange 0 to 1024 : tensor<1024xi32, #long>
  %ns = eft.splat %n : i32 -> tensor<1024xi32, #long>
  %m = arith.cmpi slt, %i, %ns : tensor<1024xi32, #long>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<1024x!eft.ptr<f32>, #long>
  %pi = eft.addptr %ps, %i : tensor<1024x!eft.ptr<f32>, #long>, tensor<1024xi32, #long>
  %one = arith.constant dense<1.0> : tensor<1024xf32, #long>
  %x = eft.load %pi, mask %m other %one {prefix} : tensor<1024x!eft.ptr<f32>, #long>
  %s = eft.reduce %x axis 0 steps 2 tree [256, 128, 64, 32, 16, 8, 4, 2, 1] : (tensor<1024xf32, #long>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    eft.yield %sum : f32
  }
  eft.store %p, %s : !eft.ptr<f32>
  return
}

// -----

#long = #eft.layout<lane = [[1], [2], [4]], step = [[8], [16], [32], [64], [128], [256], [512]]>

// Without a mask, one loop does all positions. If there is much to compute for each part, two copies
// of it would be too much code, so the parts have a loop.
// BUFFERS-LABEL: @without_a_mask
func.func @without_a_mask(%p: !eft.ptr<f32>) {
  // BUFFERS: scf.for %{{.*}} = %c0{{.*}} to %c16
  // BUFFERS-NOT: scf.for
  // BUFFERS: %[[FIRST:.*]] = eft.combine %cst
  // BUFFERS-NOT: scf.for
  // BUFFERS: eft.combine %[[FIRST]]
  // BUFFERS: scf.for %{{.*}} = %c0{{.*}} to %c16
  // BUFFERS: scf.for %{{.*}} = %c0{{.*}} to %c2
  // BUFFERS: math.fma
  // BUFFERS: eft.combine
  %i = eft.arange 0 to 1024 : tensor<1024xi32, #long>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<1024x!eft.ptr<f32>, #long>
  %pi = eft.addptr %ps, %i : tensor<1024x!eft.ptr<f32>, #long>, tensor<1024xi32, #long>
  %x = eft.load %pi : tensor<1024x!eft.ptr<f32>, #long>
  %s = eft.reduce %x axis 0 steps 2 tree [256, 128, 64, 32, 16, 8, 4, 2, 1] : (tensor<1024xf32, #long>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    eft.yield %sum : f32
  }
  %ss = eft.splat %s : f32 -> tensor<1024xf32, #long>
  %y = math.fma %x, %x, %ss : tensor<1024xf32, #long>
  %t = eft.reduce %y axis 0 steps 2 tree [256, 128, 64, 32, 16, 8, 4, 2, 1] : (tensor<1024xf32, #long>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    eft.yield %sum : f32
  }
  eft.store %p, %t : !eft.ptr<f32>
  return
}
