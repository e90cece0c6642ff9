// RUN: eft-opt %s -pass-pipeline='builtin.module(eft-place{target=sm_90 num-warps=4}, func.func(eft-pipeline-copies{num-stages=3}))' | FileCheck %s

// RUN: eft-opt %s -pass-pipeline='builtin.module(eft-place{target=sm_90 num-warps=4}, func.func(eft-pipeline-copies{num-stages=3 max-bytes=9216}))' | FileCheck %s --check-prefix=LITTLE

// A product that only adds to a carried value is under way until the next iteration has begun its
// product. The copies begin two iterations ahead, so there are four slots: two for the copies, and two
// for the products.
// CHECK-LABEL: @both_copied
// CHECK: eft.alloc_shared : <4, tensor<64x16xf16
// CHECK: eft.alloc_shared : <4, tensor<16x16xf16
// CHECK: %[[R:.*]]:{{[0-9]+}} = scf.for
// CHECK: eft.wait_copies pending 1
// CHECK: eft.dot_async %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}], %{{.*}} : !eft.shared
// CHECK-NEXT: eft.wait_dots pending 1
// CHECK: eft.copy_async
// CHECK: eft.copy_async
// CHECK: eft.commit_copies
// CHECK: scf.yield
// CHECK: eft.wait_dots %[[R]]#{{[0-9]+}} pending 0
// CHECK-NEXT: eft.wait_copies pending 0

// With less shared memory, a barrier replaces the fourth slot.
// LITTLE-LABEL: @both_copied
// LITTLE: eft.alloc_shared : <3, tensor<64x16xf16
// LITTLE: scf.for
// LITTLE: eft.wait_copies pending 1
// LITTLE: eft.dot_async
// LITTLE-NEXT: eft.wait_dots pending 1
// LITTLE-NEXT: eft.barrier
// LITTLE: eft.copy_async

// A first factor that is computed is in registers that the next iteration overwrites, so an iteration
// waits for its product.
// CHECK-LABEL: @first_computed
// CHECK: eft.alloc_shared : <3, tensor<16x16xf16
// CHECK: scf.for
// CHECK: eft.wait_copies pending 1
// CHECK: eft.copy_async
// CHECK: %[[D:.*]] = eft.dot_async %{{.*}}, %{{.*}}[%{{.*}}], %{{.*}} : tensor<64x16xf16
// CHECK-NEXT: eft.wait_dots %[[D]] pending 0

// A first factor from before the loop stays in its registers, so the product may be under way longer.
// CHECK-LABEL: @first_before_the_loop
// CHECK: eft.alloc_shared : <4, tensor<16x16xf16
// CHECK: scf.for
// CHECK: eft.dot_async %{{.*}}, %{{.*}}[%{{.*}}], %{{.*}} : tensor<64x16xf16
// CHECK-NEXT: eft.wait_dots pending 1

// A loop of two iterations needs copies only one iteration ahead.
// CHECK-LABEL: @two_iterations
// CHECK: eft.alloc_shared : <3, tensor<64x16xf16
// CHECK: eft.wait_copies pending 0

// Elements that no copy can move are loaded to registers while the last product is under way.
// CHECK-LABEL: @unaligned
// CHECK: scf.for
// CHECK: eft.wait_copies pending 1
// CHECK: eft.dot_async
// CHECK-NEXT: eft.wait_dots pending 1
// CHECK: eft.copy_async %{{.*}} mask %{{.*}} {run = 1 : i32
// CHECK: eft.copy_async %{{.*}} {run = 1 : i32

// A thread does not have enough registers for the elements of larger blocks.
// CHECK-LABEL: @unaligned_large
// CHECK-NOT: eft.copy_async

func.func @both_copied(%p: !eft.ptr<f16> {eft.divisibility = 16 : i32}, %q: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %none = arith.constant dense<0.0> : tensor<64x16xf16>
  %width = arith.constant dense<16> : tensor<64x1xi32>
  %widthOfB = arith.constant dense<16> : tensor<16x1xi32>
  %i = eft.arange 0 to 64 : tensor<64xi32>
  %k = eft.arange 0 to 16 : tensor<16xi32>
  %rows = eft.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %rowsOfB = eft.expand_dims %k axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %across = eft.expand_dims %k axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %a0 = arith.muli %rows, %width : tensor<64x1xi32>
  %a1 = eft.broadcast %a0 : tensor<64x1xi32> -> tensor<64x16xi32>
  %a2 = eft.broadcast %across : tensor<1x16xi32> -> tensor<64x16xi32>
  %a3 = arith.addi %a1, %a2 : tensor<64x16xi32>
  %b0 = arith.muli %rowsOfB, %widthOfB : tensor<16x1xi32>
  %b1 = eft.broadcast %b0 : tensor<16x1xi32> -> tensor<16x16xi32>
  %b2 = eft.broadcast %across : tensor<1x16xi32> -> tensor<16x16xi32>
  %b3 = arith.addi %b1, %b2 : tensor<16x16xi32>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<64x16x!eft.ptr<f16>>
  %pa = eft.addptr %ps, %a3 : tensor<64x16x!eft.ptr<f16>>, tensor<64x16xi32>
  %qs = eft.splat %p : !eft.ptr<f16> -> tensor<16x16x!eft.ptr<f16>>
  %pb = eft.addptr %qs, %b3 : tensor<16x16x!eft.ptr<f16>>, tensor<16x16xi32>
  %rs = eft.splat %q : !eft.ptr<f32> -> tensor<64x16x!eft.ptr<f32>>
  %pc = eft.addptr %rs, %a3 : tensor<64x16x!eft.ptr<f32>>, tensor<64x16xi32>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x16xf32>) : i32 {
    %a = eft.load %pa : tensor<64x16x!eft.ptr<f16>>
    %b = eft.load %pb : tensor<16x16x!eft.ptr<f16>>
    %d = eft.dot %a, %b, %acc precision ieee : tensor<64x16xf16>, tensor<16x16xf16> -> tensor<64x16xf32>
    scf.yield %d : tensor<64x16xf32>
  }
  eft.store %pc, %r : tensor<64x16x!eft.ptr<f32>>
  return
}

func.func @first_computed(%p: !eft.ptr<f16> {eft.divisibility = 16 : i32}, %q: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %none = arith.constant dense<0.0> : tensor<64x16xf16>
  %width = arith.constant dense<16> : tensor<64x1xi32>
  %widthOfB = arith.constant dense<16> : tensor<16x1xi32>
  %i = eft.arange 0 to 64 : tensor<64xi32>
  %k = eft.arange 0 to 16 : tensor<16xi32>
  %rows = eft.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %rowsOfB = eft.expand_dims %k axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %across = eft.expand_dims %k axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %a0 = arith.muli %rows, %width : tensor<64x1xi32>
  %a1 = eft.broadcast %a0 : tensor<64x1xi32> -> tensor<64x16xi32>
  %a2 = eft.broadcast %across : tensor<1x16xi32> -> tensor<64x16xi32>
  %a3 = arith.addi %a1, %a2 : tensor<64x16xi32>
  %b0 = arith.muli %rowsOfB, %widthOfB : tensor<16x1xi32>
  %b1 = eft.broadcast %b0 : tensor<16x1xi32> -> tensor<16x16xi32>
  %b2 = eft.broadcast %across : tensor<1x16xi32> -> tensor<16x16xi32>
  %b3 = arith.addi %b1, %b2 : tensor<16x16xi32>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<64x16x!eft.ptr<f16>>
  %pa = eft.addptr %ps, %a3 : tensor<64x16x!eft.ptr<f16>>, tensor<64x16xi32>
  %qs = eft.splat %p : !eft.ptr<f16> -> tensor<16x16x!eft.ptr<f16>>
  %pb = eft.addptr %qs, %b3 : tensor<16x16x!eft.ptr<f16>>, tensor<16x16xi32>
  %rs = eft.splat %q : !eft.ptr<f32> -> tensor<64x16x!eft.ptr<f32>>
  %pc = eft.addptr %rs, %a3 : tensor<64x16x!eft.ptr<f32>>, tensor<64x16xi32>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x16xf32>) : i32 {
    %a = eft.load %pa : tensor<64x16x!eft.ptr<f16>>
    %m = arith.maximumf %a, %none : tensor<64x16xf16>
    %b = eft.load %pb : tensor<16x16x!eft.ptr<f16>>
    %d = eft.dot %m, %b, %acc precision ieee : tensor<64x16xf16>, tensor<16x16xf16> -> tensor<64x16xf32>
    scf.yield %d : tensor<64x16xf32>
  }
  eft.store %pc, %r : tensor<64x16x!eft.ptr<f32>>
  return
}

func.func @first_before_the_loop(%p: !eft.ptr<f16> {eft.divisibility = 16 : i32}, %q: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %none = arith.constant dense<0.0> : tensor<64x16xf16>
  %width = arith.constant dense<16> : tensor<64x1xi32>
  %widthOfB = arith.constant dense<16> : tensor<16x1xi32>
  %i = eft.arange 0 to 64 : tensor<64xi32>
  %k = eft.arange 0 to 16 : tensor<16xi32>
  %rows = eft.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %rowsOfB = eft.expand_dims %k axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %across = eft.expand_dims %k axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %a0 = arith.muli %rows, %width : tensor<64x1xi32>
  %a1 = eft.broadcast %a0 : tensor<64x1xi32> -> tensor<64x16xi32>
  %a2 = eft.broadcast %across : tensor<1x16xi32> -> tensor<64x16xi32>
  %a3 = arith.addi %a1, %a2 : tensor<64x16xi32>
  %b0 = arith.muli %rowsOfB, %widthOfB : tensor<16x1xi32>
  %b1 = eft.broadcast %b0 : tensor<16x1xi32> -> tensor<16x16xi32>
  %b2 = eft.broadcast %across : tensor<1x16xi32> -> tensor<16x16xi32>
  %b3 = arith.addi %b1, %b2 : tensor<16x16xi32>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<64x16x!eft.ptr<f16>>
  %pa = eft.addptr %ps, %a3 : tensor<64x16x!eft.ptr<f16>>, tensor<64x16xi32>
  %qs = eft.splat %p : !eft.ptr<f16> -> tensor<16x16x!eft.ptr<f16>>
  %pb = eft.addptr %qs, %b3 : tensor<16x16x!eft.ptr<f16>>, tensor<16x16xi32>
  %rs = eft.splat %q : !eft.ptr<f32> -> tensor<64x16x!eft.ptr<f32>>
  %pc = eft.addptr %rs, %a3 : tensor<64x16x!eft.ptr<f32>>, tensor<64x16xi32>
  %a = eft.load %pa : tensor<64x16x!eft.ptr<f16>>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x16xf32>) : i32 {
    %b = eft.load %pb : tensor<16x16x!eft.ptr<f16>>
    %d = eft.dot %a, %b, %acc precision ieee : tensor<64x16xf16>, tensor<16x16xf16> -> tensor<64x16xf32>
    scf.yield %d : tensor<64x16xf32>
  }
  eft.store %pc, %r : tensor<64x16x!eft.ptr<f32>>
  return
}

func.func @two_iterations(%p: !eft.ptr<f16> {eft.divisibility = 16 : i32}, %q: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %none = arith.constant dense<0.0> : tensor<64x16xf16>
  %width = arith.constant dense<16> : tensor<64x1xi32>
  %widthOfB = arith.constant dense<16> : tensor<16x1xi32>
  %i = eft.arange 0 to 64 : tensor<64xi32>
  %k = eft.arange 0 to 16 : tensor<16xi32>
  %rows = eft.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %rowsOfB = eft.expand_dims %k axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %across = eft.expand_dims %k axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %a0 = arith.muli %rows, %width : tensor<64x1xi32>
  %a1 = eft.broadcast %a0 : tensor<64x1xi32> -> tensor<64x16xi32>
  %a2 = eft.broadcast %across : tensor<1x16xi32> -> tensor<64x16xi32>
  %a3 = arith.addi %a1, %a2 : tensor<64x16xi32>
  %b0 = arith.muli %rowsOfB, %widthOfB : tensor<16x1xi32>
  %b1 = eft.broadcast %b0 : tensor<16x1xi32> -> tensor<16x16xi32>
  %b2 = eft.broadcast %across : tensor<1x16xi32> -> tensor<16x16xi32>
  %b3 = arith.addi %b1, %b2 : tensor<16x16xi32>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<64x16x!eft.ptr<f16>>
  %pa = eft.addptr %ps, %a3 : tensor<64x16x!eft.ptr<f16>>, tensor<64x16xi32>
  %qs = eft.splat %p : !eft.ptr<f16> -> tensor<16x16x!eft.ptr<f16>>
  %pb = eft.addptr %qs, %b3 : tensor<16x16x!eft.ptr<f16>>, tensor<16x16xi32>
  %rs = eft.splat %q : !eft.ptr<f32> -> tensor<64x16x!eft.ptr<f32>>
  %pc = eft.addptr %rs, %a3 : tensor<64x16x!eft.ptr<f32>>, tensor<64x16xi32>
  %r = scf.for %t = %c0 to %c2 step %c1 iter_args(%acc = %zero) -> (tensor<64x16xf32>) : i32 {
    %a = eft.load %pa : tensor<64x16x!eft.ptr<f16>>
    %b = eft.load %pb : tensor<16x16x!eft.ptr<f16>>
    %d = eft.dot %a, %b, %acc precision ieee : tensor<64x16xf16>, tensor<16x16xf16> -> tensor<64x16xf32>
    scf.yield %d : tensor<64x16xf32>
  }
  eft.store %pc, %r : tensor<64x16x!eft.ptr<f32>>
  return
}

func.func @unaligned(%p: !eft.ptr<f16>, %q: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %none = arith.constant dense<0.0> : tensor<64x16xf16>
  %width = arith.constant dense<16> : tensor<64x1xi32>
  %widthOfB = arith.constant dense<16> : tensor<16x1xi32>
  %i = eft.arange 0 to 64 : tensor<64xi32>
  %k = eft.arange 0 to 16 : tensor<16xi32>
  %rows = eft.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %rowsOfB = eft.expand_dims %k axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %across = eft.expand_dims %k axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %a0 = arith.muli %rows, %width : tensor<64x1xi32>
  %a1 = eft.broadcast %a0 : tensor<64x1xi32> -> tensor<64x16xi32>
  %a2 = eft.broadcast %across : tensor<1x16xi32> -> tensor<64x16xi32>
  %a3 = arith.addi %a1, %a2 : tensor<64x16xi32>
  %b0 = arith.muli %rowsOfB, %widthOfB : tensor<16x1xi32>
  %b1 = eft.broadcast %b0 : tensor<16x1xi32> -> tensor<16x16xi32>
  %b2 = eft.broadcast %across : tensor<1x16xi32> -> tensor<16x16xi32>
  %b3 = arith.addi %b1, %b2 : tensor<16x16xi32>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<64x16x!eft.ptr<f16>>
  %pa = eft.addptr %ps, %a3 : tensor<64x16x!eft.ptr<f16>>, tensor<64x16xi32>
  %qs = eft.splat %p : !eft.ptr<f16> -> tensor<16x16x!eft.ptr<f16>>
  %pb = eft.addptr %qs, %b3 : tensor<16x16x!eft.ptr<f16>>, tensor<16x16xi32>
  %rs = eft.splat %q : !eft.ptr<f32> -> tensor<64x16x!eft.ptr<f32>>
  %pc = eft.addptr %rs, %a3 : tensor<64x16x!eft.ptr<f32>>, tensor<64x16xi32>
  %ms = eft.splat %m : i32 -> tensor<64x16xi32>
  %inside = arith.cmpi slt, %a2, %ms : tensor<64x16xi32>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x16xf32>) : i32 {
    %a = eft.load %pa, mask %inside other %none : tensor<64x16x!eft.ptr<f16>>
    %b = eft.load %pb : tensor<16x16x!eft.ptr<f16>>
    %d = eft.dot %a, %b, %acc precision ieee : tensor<64x16xf16>, tensor<16x16xf16> -> tensor<64x16xf32>
    scf.yield %d : tensor<64x16xf32>
  }
  eft.store %pc, %r : tensor<64x16x!eft.ptr<f32>>
  return
}

func.func @unaligned_large(%p: !eft.ptr<f16>, %q: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %none = arith.constant dense<0.0> : tensor<64x128xf16>
  %width = arith.constant dense<128> : tensor<64x1xi32>
  %widthOfB = arith.constant dense<128> : tensor<128x1xi32>
  %i = eft.arange 0 to 64 : tensor<64xi32>
  %k = eft.arange 0 to 128 : tensor<128xi32>
  %rows = eft.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %rowsOfB = eft.expand_dims %k axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %across = eft.expand_dims %k axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %a0 = arith.muli %rows, %width : tensor<64x1xi32>
  %a1 = eft.broadcast %a0 : tensor<64x1xi32> -> tensor<64x128xi32>
  %a2 = eft.broadcast %across : tensor<1x128xi32> -> tensor<64x128xi32>
  %a3 = arith.addi %a1, %a2 : tensor<64x128xi32>
  %b0 = arith.muli %rowsOfB, %widthOfB : tensor<128x1xi32>
  %b1 = eft.broadcast %b0 : tensor<128x1xi32> -> tensor<128x128xi32>
  %b2 = eft.broadcast %across : tensor<1x128xi32> -> tensor<128x128xi32>
  %b3 = arith.addi %b1, %b2 : tensor<128x128xi32>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<64x128x!eft.ptr<f16>>
  %pa = eft.addptr %ps, %a3 : tensor<64x128x!eft.ptr<f16>>, tensor<64x128xi32>
  %qs = eft.splat %p : !eft.ptr<f16> -> tensor<128x128x!eft.ptr<f16>>
  %pb = eft.addptr %qs, %b3 : tensor<128x128x!eft.ptr<f16>>, tensor<128x128xi32>
  %rs = eft.splat %q : !eft.ptr<f32> -> tensor<64x128x!eft.ptr<f32>>
  %pc = eft.addptr %rs, %a3 : tensor<64x128x!eft.ptr<f32>>, tensor<64x128xi32>
  %ms = eft.splat %m : i32 -> tensor<64x128xi32>
  %inside = arith.cmpi slt, %a2, %ms : tensor<64x128xi32>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x128xf32>) : i32 {
    %a = eft.load %pa, mask %inside other %none : tensor<64x128x!eft.ptr<f16>>
    %b = eft.load %pb : tensor<128x128x!eft.ptr<f16>>
    %d = eft.dot %a, %b, %acc precision ieee : tensor<64x128xf16>, tensor<128x128xf16> -> tensor<64x128xf32>
    scf.yield %d : tensor<64x128xf32>
  }
  eft.store %pc, %r : tensor<64x128x!eft.ptr<f32>>
  return
}

// Weights of one byte are converted before they are multiplied. Copies bring them to slots, and threads
// read them from the slots and convert each element once.
// CHECK-LABEL: @converted_weights
// CHECK: %[[X:.*]] = eft.alloc_shared : <3, tensor<64x64xf16
// CHECK: %[[W:.*]] = eft.alloc_shared : <3, tensor<64x64xi8
// CHECK: scf.for
// CHECK: eft.copy_async %{{.*}}, %[[X]]
// CHECK: eft.copy_async %{{.*}}, %[[W]]
// CHECK: %[[R:.*]] = eft.read_shared %[[W]][%{{.*}}] : {{.*}} -> tensor<64x64xi8, #[[ROWS:layout[0-9]*]]>
// CHECK-NEXT: %[[H:.*]] = arith.sitofp %[[R]] : tensor<64x64xi8, #[[ROWS]]> to tensor<64x64xf16, #[[ROWS]]>
// CHECK-NEXT: eft.convert_layout %[[H]]
func.func @converted_weights(%p: !eft.ptr<f16> {eft.divisibility = 16 : i32}, %q: !eft.ptr<i8> {eft.divisibility = 16 : i32}, %o: !eft.ptr<f32> {eft.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %width = arith.constant dense<64> : tensor<64x1xi32>
  %i = eft.arange 0 to 64 : tensor<64xi32>
  %rows = eft.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %across = eft.expand_dims %i axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %a0 = arith.muli %rows, %width : tensor<64x1xi32>
  %a1 = eft.broadcast %a0 : tensor<64x1xi32> -> tensor<64x64xi32>
  %a2 = eft.broadcast %across : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %a1, %a2 : tensor<64x64xi32>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<64x64x!eft.ptr<f16>>
  %px = eft.addptr %ps, %at : tensor<64x64x!eft.ptr<f16>>, tensor<64x64xi32>
  %qs = eft.splat %q : !eft.ptr<i8> -> tensor<64x64x!eft.ptr<i8>>
  %pw = eft.addptr %qs, %at : tensor<64x64x!eft.ptr<i8>>, tensor<64x64xi32>
  %os = eft.splat %o : !eft.ptr<f32> -> tensor<64x64x!eft.ptr<f32>>
  %po = eft.addptr %os, %at : tensor<64x64x!eft.ptr<f32>>, tensor<64x64xi32>
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %x = eft.load %px : tensor<64x64x!eft.ptr<f16>>
    %w = eft.load %pw : tensor<64x64x!eft.ptr<i8>>
    %h = arith.sitofp %w : tensor<64x64xi8> to tensor<64x64xf16>
    %d = eft.dot %x, %h, %acc precision ieee : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  eft.store %po, %r : tensor<64x64x!eft.ptr<f32>>
  return
}
