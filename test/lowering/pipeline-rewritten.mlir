// RUN: eft-opt %s -pass-pipeline='builtin.module(eft-place{target=sm_90 num-warps=4}, func.func(eft-pipeline-copies{num-stages=3 max-bytes=231424}))' | FileCheck %s

// RUN: eft-opt %s -pass-pipeline='builtin.module(eft-place{target=sm_90 num-warps=4}, func.func(eft-pipeline-copies{num-stages=3 max-bytes=231424}, eft-stage-factors{max-bytes=231424}))' | FileCheck %s --check-prefix=STAGED

// RUN: eft-opt %s -pass-pipeline='builtin.module(eft-place{target=sm_90 num-warps=4}, func.func(eft-pipeline-copies{num-stages=3 max-bytes=81920}))' | FileCheck %s --check-prefix=LITTLE

// RUN: eft-opt %s -pass-pipeline='builtin.module(eft-place{target=sm_90 num-warps=4}, func.func(eft-pipeline-copies{num-stages=3 max-bytes=53248}))' | FileCheck %s --check-prefix=LESS

// The second factor is contiguous in memory along n. But warpgroups read 32-bit numbers only if they are
// contiguous along k. So copies of 16 bytes bring the factor to one slot, and threads rewrite it in this
// order to one of two more slots, while the previous iteration's product reads the other of these two.
// CHECK: #[[PLACES:.*]] = #eft.layout<register = {{\[\[}}1, 0], [2, 0], [0, 1], [0, 2], [16, 0]], lane = {{\[\[}}4, 0], [8, 0], [0, 4], [0, 8], [0, 16]], warp = {{\[\[}}0, 32], [0, 64]]>
// CHECK-LABEL: @rows_along_n
// CHECK: %[[A:.*]] = eft.alloc_shared : <3, tensor<64x32xf32
// CHECK: %[[RAW:.*]] = eft.alloc_shared : <3, tensor<32x128xf32
// CHECK: %[[B:.*]] = eft.alloc_shared : <2, tensor<32x128xf32
// CHECK: scf.for
// CHECK: eft.wait_copies pending 1
// CHECK: %[[READ:.*]] = eft.read_shared %[[RAW]][%{{.*}}] : {{.*}} -> tensor<32x128xf32, #[[PLACES]]>
// CHECK-NEXT: eft.write_shared %[[READ]], %[[B]][%[[NUMBER:.*]]] :
// CHECK-NEXT: eft.barrier
// CHECK-NEXT: eft.dot_async %[[A]][%{{.*}}], %[[B]][%[[NUMBER]]], %{{.*}}
// CHECK-NEXT: eft.wait_dots pending 1
// CHECK: eft.copy_async %{{.*}}, %[[A]]
// CHECK: eft.copy_async %{{.*}}, %[[RAW]]{{.*}}run = 4
// CHECK: scf.yield
// CHECK: eft.wait_dots
// CHECK: eft.dealloc_shared %[[B]]
// CHECK-NEXT: eft.dealloc_shared %[[RAW]]
// CHECK-NEXT: eft.dealloc_shared %[[A]]

// With less shared memory, each iteration waits for its product, and one slot for the rewritten factor
// suffices.
// LITTLE-LABEL: @rows_along_n
// LITTLE: eft.alloc_shared : <2, tensor<64x32xf32
// LITTLE: eft.alloc_shared : <2, tensor<32x128xf32
// LITTLE: %[[B:.*]] = eft.alloc_shared : <1, tensor<32x128xf32
// LITTLE: eft.wait_copies pending 0
// LITTLE: eft.write_shared %{{.*}}, %[[B]]
// LITTLE-NEXT: eft.barrier
// LITTLE-NEXT: %[[D:.*]] = eft.dot_async %{{.*}}, %[[B]]
// LITTLE-NEXT: eft.wait_dots %[[D]] pending 0

// With still less, copies of four bytes bring the factor in the order that the product reads.
// LESS-LABEL: @rows_along_n
// LESS: eft.alloc_shared : <2, tensor<64x32xf32
// LESS: %[[B:.*]] = eft.alloc_shared : <2, tensor<32x128xf32
// LESS-NOT: eft.write_shared
// LESS: eft.dot_async %{{.*}}, %[[B]]
// LESS: eft.copy_async %{{.*}}, %[[B]]
func.func @rows_along_n(%p: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %q: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %out: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %pai = eft.arange 0 to 64 : tensor<64xi32>
  %paj = eft.arange 0 to 32 : tensor<32xi32>
  %pawidth = arith.constant dense<32> : tensor<64x1xi32>
  %padown = eft.expand_dims %pai axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %paacross = eft.expand_dims %paj axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %pa0 = arith.muli %padown, %pawidth : tensor<64x1xi32>
  %pa1 = eft.broadcast %pa0 : tensor<64x1xi32> -> tensor<64x32xi32>
  %pa2 = eft.broadcast %paacross : tensor<1x32xi32> -> tensor<64x32xi32>
  %pa3 = arith.addi %pa1, %pa2 : tensor<64x32xi32>
  %pa4 = eft.splat %p : !eft.ptr<f32> -> tensor<64x32x!eft.ptr<f32>>
  %pa = eft.addptr %pa4, %pa3 : tensor<64x32x!eft.ptr<f32>>, tensor<64x32xi32>
  %pbi = eft.arange 0 to 32 : tensor<32xi32>
  %pbj = eft.arange 0 to 128 : tensor<128xi32>
  %pbwidth = arith.constant dense<128> : tensor<32x1xi32>
  %pbdown = eft.expand_dims %pbi axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %pbacross = eft.expand_dims %pbj axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %pb0 = arith.muli %pbdown, %pbwidth : tensor<32x1xi32>
  %pb1 = eft.broadcast %pb0 : tensor<32x1xi32> -> tensor<32x128xi32>
  %pb2 = eft.broadcast %pbacross : tensor<1x128xi32> -> tensor<32x128xi32>
  %pb3 = arith.addi %pb1, %pb2 : tensor<32x128xi32>
  %pb4 = eft.splat %q : !eft.ptr<f32> -> tensor<32x128x!eft.ptr<f32>>
  %pb = eft.addptr %pb4, %pb3 : tensor<32x128x!eft.ptr<f32>>, tensor<32x128xi32>
  %pci = eft.arange 0 to 64 : tensor<64xi32>
  %pcj = eft.arange 0 to 128 : tensor<128xi32>
  %pcwidth = arith.constant dense<128> : tensor<64x1xi32>
  %pcdown = eft.expand_dims %pci axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %pcacross = eft.expand_dims %pcj axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %pc0 = arith.muli %pcdown, %pcwidth : tensor<64x1xi32>
  %pc1 = eft.broadcast %pc0 : tensor<64x1xi32> -> tensor<64x128xi32>
  %pc2 = eft.broadcast %pcacross : tensor<1x128xi32> -> tensor<64x128xi32>
  %pc3 = arith.addi %pc1, %pc2 : tensor<64x128xi32>
  %pc4 = eft.splat %out : !eft.ptr<f32> -> tensor<64x128x!eft.ptr<f32>>
  %pc = eft.addptr %pc4, %pc3 : tensor<64x128x!eft.ptr<f32>>, tensor<64x128xi32>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32>) : i32 {
    %a = eft.load %pa : tensor<64x32x!eft.ptr<f32>>
    %b = eft.load %pb : tensor<32x128x!eft.ptr<f32>>
    %d = eft.dot %a, %b, %acc precision tf32 : tensor<64x32xf32>, tensor<32x128xf32> -> tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  eft.store %pc, %r : tensor<64x128x!eft.ptr<f32>>
  return
}

// If the iteration uses the product's result, it waits for the product. The factor is then written to
// its slot like any other factor in registers.
// CHECK-LABEL: @used_at_once
// CHECK: eft.wait_copies pending 1
// CHECK: %[[READ:.*]] = eft.read_shared %{{.*}} -> tensor<32x128xf32, #[[PLACES]]>
// CHECK-NOT: eft.write_shared
// CHECK: eft.dot %
// STAGED-LABEL: @used_at_once
// STAGED: eft.wait_copies pending 1
// STAGED: %[[READ:.*]] = eft.read_shared %{{.*}} : <3, tensor<32x128xf32
// STAGED: %[[B:.*]] = eft.alloc_shared : <1, tensor<32x128xf32
// STAGED: eft.write_shared %[[READ]], %[[B]]
// STAGED-NEXT: eft.barrier
// STAGED-NEXT: %[[D:.*]] = eft.dot_async %{{.*}}, %[[B]]
// STAGED-NEXT: eft.wait_dots %[[D]] pending 0
func.func @used_at_once(%p: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %q: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %out: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %pai = eft.arange 0 to 64 : tensor<64xi32>
  %paj = eft.arange 0 to 32 : tensor<32xi32>
  %pawidth = arith.constant dense<32> : tensor<64x1xi32>
  %padown = eft.expand_dims %pai axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %paacross = eft.expand_dims %paj axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %pa0 = arith.muli %padown, %pawidth : tensor<64x1xi32>
  %pa1 = eft.broadcast %pa0 : tensor<64x1xi32> -> tensor<64x32xi32>
  %pa2 = eft.broadcast %paacross : tensor<1x32xi32> -> tensor<64x32xi32>
  %pa3 = arith.addi %pa1, %pa2 : tensor<64x32xi32>
  %pa4 = eft.splat %p : !eft.ptr<f32> -> tensor<64x32x!eft.ptr<f32>>
  %pa = eft.addptr %pa4, %pa3 : tensor<64x32x!eft.ptr<f32>>, tensor<64x32xi32>
  %pbi = eft.arange 0 to 32 : tensor<32xi32>
  %pbj = eft.arange 0 to 128 : tensor<128xi32>
  %pbwidth = arith.constant dense<128> : tensor<32x1xi32>
  %pbdown = eft.expand_dims %pbi axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %pbacross = eft.expand_dims %pbj axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %pb0 = arith.muli %pbdown, %pbwidth : tensor<32x1xi32>
  %pb1 = eft.broadcast %pb0 : tensor<32x1xi32> -> tensor<32x128xi32>
  %pb2 = eft.broadcast %pbacross : tensor<1x128xi32> -> tensor<32x128xi32>
  %pb3 = arith.addi %pb1, %pb2 : tensor<32x128xi32>
  %pb4 = eft.splat %q : !eft.ptr<f32> -> tensor<32x128x!eft.ptr<f32>>
  %pb = eft.addptr %pb4, %pb3 : tensor<32x128x!eft.ptr<f32>>, tensor<32x128xi32>
  %pci = eft.arange 0 to 64 : tensor<64xi32>
  %pcj = eft.arange 0 to 128 : tensor<128xi32>
  %pcwidth = arith.constant dense<128> : tensor<64x1xi32>
  %pcdown = eft.expand_dims %pci axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %pcacross = eft.expand_dims %pcj axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %pc0 = arith.muli %pcdown, %pcwidth : tensor<64x1xi32>
  %pc1 = eft.broadcast %pc0 : tensor<64x1xi32> -> tensor<64x128xi32>
  %pc2 = eft.broadcast %pcacross : tensor<1x128xi32> -> tensor<64x128xi32>
  %pc3 = arith.addi %pc1, %pc2 : tensor<64x128xi32>
  %pc4 = eft.splat %out : !eft.ptr<f32> -> tensor<64x128x!eft.ptr<f32>>
  %pc = eft.addptr %pc4, %pc3 : tensor<64x128x!eft.ptr<f32>>, tensor<64x128xi32>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32>) : i32 {
    %a = eft.load %pa : tensor<64x32x!eft.ptr<f32>>
    %b = eft.load %pb : tensor<32x128x!eft.ptr<f32>>
    %twice = arith.addf %acc, %acc : tensor<64x128xf32>
    %d = eft.dot %a, %b, %twice precision tf32 : tensor<64x32xf32>, tensor<32x128xf32> -> tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  eft.store %pc, %r : tensor<64x128x!eft.ptr<f32>>
  return
}
