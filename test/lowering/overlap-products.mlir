// RUN: eft-opt %s -pass-pipeline='builtin.module(func.func(eft-overlap-products))' | FileCheck %s

#c = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#a = #eft.layout<register = [[0, 1], [16, 0], [32, 0]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
#sa = #eft.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]>
#sb = #eft.layout<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0]]>

#sv = #eft.layout<offset = [[1], [2], [4], [8], [16], [32]]>
#v = #eft.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[0], [0]]>

// The product does not need the scale, so the program negates the scale while the product is under way.
// It also loads the other scale then. A load before the product stays there, because it is under way as
// well. A conversion may branch to write shared memory, so it stays, too.
// CHECK-LABEL: @scaled
// CHECK: %[[SCALE:.*]] = eft.load
// CHECK-NEXT: %[[CONVERTED:.*]] = eft.convert_layout %[[SCALE]]
// CHECK-NEXT: eft.barrier
// CHECK-NEXT: %[[D:.*]] = eft.dot_async
// CHECK-NEXT: %[[NEGATED:.*]] = arith.negf %[[CONVERTED]]
// CHECK-NEXT: %[[OTHER:.*]] = eft.load
// CHECK-NEXT: %[[R:.*]] = eft.wait_dots %[[D]] pending 0
// CHECK-NEXT: eft.dealloc_shared
// CHECK-NEXT: %[[ONE:.*]] = arith.mulf %[[R]], %[[NEGATED]]
// CHECK-NEXT: arith.mulf %[[ONE]], %[[OTHER]]
func.func @scaled(%s: !eft.shared<1, tensor<64x16xf16, #sa>>, %acc: tensor<64x16xf32, #c>, %p: tensor<64x16x!eft.ptr<f32>, #a>, %q: tensor<64x16x!eft.ptr<f32>, #c>) -> tensor<64x16xf32, #c> {
  %zero = arith.constant 0 : i32
  %t = eft.alloc_shared : !eft.shared<1, tensor<16x16xf16, #sb>>
  %scale = eft.load %p : tensor<64x16x!eft.ptr<f32>, #a>
  %converted = eft.convert_layout %scale : tensor<64x16xf32, #a> -> tensor<64x16xf32, #c>
  %negated = arith.negf %converted : tensor<64x16xf32, #c>
  eft.barrier
  %d = eft.dot_async %s[%zero], %t[%zero], %acc : !eft.shared<1, tensor<64x16xf16, #sa>>, !eft.shared<1, tensor<16x16xf16, #sb>> -> tensor<64x16xf32, #c>
  %r = eft.wait_dots %d pending 0 : tensor<64x16xf32, #c>
  eft.dealloc_shared %t : !eft.shared<1, tensor<16x16xf16, #sb>>
  %one = arith.mulf %r, %negated : tensor<64x16xf32, #c>
  %other = eft.load %q : tensor<64x16x!eft.ptr<f32>, #c>
  %two = arith.mulf %one, %other : tensor<64x16xf32, #c>
  return %two : tensor<64x16xf32, #c>
}

// Divisions may be calls, and a load after a store may load what was stored. The accumulator is needed
// for the product.
// CHECK-LABEL: @stays
// CHECK: arith.addf
// CHECK-NEXT: arith.divf
// CHECK-NEXT: %[[D:.*]] = eft.dot_async
// CHECK-NEXT: %[[R:.*]] = eft.wait_dots %[[D]] pending 0
// CHECK-NEXT: eft.store
// CHECK-NEXT: eft.load
func.func @stays(%s: !eft.shared<1, tensor<64x16xf16, #sa>>, %t: !eft.shared<1, tensor<16x16xf16, #sb>>, %x: tensor<64x16xf32, #c>, %q: tensor<64x16x!eft.ptr<f32>, #c>) -> (tensor<64x16xf32, #c>, tensor<64x16xf32, #c>, tensor<64x16xf32, #c>) {
  %zero = arith.constant 0 : i32
  %acc = arith.addf %x, %x : tensor<64x16xf32, #c>
  %quotient = arith.divf %acc, %x : tensor<64x16xf32, #c>
  %d = eft.dot_async %s[%zero], %t[%zero], %acc : !eft.shared<1, tensor<64x16xf16, #sa>>, !eft.shared<1, tensor<16x16xf16, #sb>> -> tensor<64x16xf32, #c>
  %r = eft.wait_dots %d pending 0 : tensor<64x16xf32, #c>
  eft.store %q, %x : tensor<64x16x!eft.ptr<f32>, #c>
  %loaded = eft.load %q : tensor<64x16x!eft.ptr<f32>, #c>
  return %r, %quotient, %loaded : tensor<64x16xf32, #c>, tensor<64x16xf32, #c>, tensor<64x16xf32, #c>
}

// Nothing moves across the product before. An operation that uses the accumulator stays before the
// product, which overwrites the accumulator.
// CHECK-LABEL: @two_products
// CHECK: arith.subf
// CHECK-NEXT: eft.dot_async
// CHECK-NEXT: arith.addf
// CHECK-NEXT: arith.negf
// CHECK-NEXT: eft.wait_dots
// CHECK-NEXT: eft.dot_async
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: eft.wait_dots
func.func @two_products(%s: !eft.shared<1, tensor<64x16xf16, #sa>>, %t: !eft.shared<1, tensor<16x16xf16, #sb>>, %x: tensor<64x16xf32, #c>, %y: tensor<64x16xf32, #c>) -> (tensor<64x16xf32, #c>, tensor<64x16xf32, #c>, tensor<64x16xf32, #c>, tensor<64x16xf32, #c>) {
  %zero = arith.constant 0 : i32
  %of_acc = arith.subf %x, %y : tensor<64x16xf32, #c>
  %early = arith.addf %y, %y : tensor<64x16xf32, #c>
  %next = arith.negf %early : tensor<64x16xf32, #c>
  %d = eft.dot_async %s[%zero], %t[%zero], %x : !eft.shared<1, tensor<64x16xf16, #sa>>, !eft.shared<1, tensor<16x16xf16, #sb>> -> tensor<64x16xf32, #c>
  %r = eft.wait_dots %d pending 0 : tensor<64x16xf32, #c>
  %late = arith.mulf %r, %r : tensor<64x16xf32, #c>
  %e = eft.dot_async %s[%zero], %t[%zero], %x : !eft.shared<1, tensor<64x16xf16, #sa>>, !eft.shared<1, tensor<16x16xf16, #sb>> -> tensor<64x16xf32, #c>
  %w = eft.wait_dots %e pending 0 : tensor<64x16xf32, #c>
  return %w, %next, %late, %of_acc : tensor<64x16xf32, #c>, tensor<64x16xf32, #c>, tensor<64x16xf32, #c>, tensor<64x16xf32, #c>
}

// A load under a mask may branch, so it stays after the wait, and what needs it does, too.
// CHECK-LABEL: @masked_load
// CHECK: eft.dot_async
// CHECK-NEXT: arith.addf
// CHECK-NEXT: eft.wait_dots
// CHECK-NEXT: %[[L:.*]] = eft.load
// CHECK-NEXT: arith.mulf %[[L]], %[[L]]
func.func @masked_load(%s: !eft.shared<1, tensor<64x16xf16, #sa>>, %t: !eft.shared<1, tensor<16x16xf16, #sb>>, %x: tensor<64x16xf32, #c>, %q: tensor<64x16x!eft.ptr<f32>, #c>, %m: tensor<64x16xi1, #c>) -> (tensor<64x16xf32, #c>, tensor<64x16xf32, #c>, tensor<64x16xf32, #c>) {
  %zero = arith.constant 0 : i32
  %d = eft.dot_async %s[%zero], %t[%zero], %x : !eft.shared<1, tensor<64x16xf16, #sa>>, !eft.shared<1, tensor<16x16xf16, #sb>> -> tensor<64x16xf32, #c>
  %r = eft.wait_dots %d pending 0 : tensor<64x16xf32, #c>
  %loaded = eft.load %q, mask %m : tensor<64x16x!eft.ptr<f32>, #c>
  %square = arith.mulf %loaded, %loaded : tensor<64x16xf32, #c>
  %late = arith.addf %x, %x : tensor<64x16xf32, #c>
  return %r, %square, %late : tensor<64x16xf32, #c>, tensor<64x16xf32, #c>, tensor<64x16xf32, #c>
}

// A loop before the product may contain products, so nothing moves across it. What a conditional needs
// stays before the conditional.
// CHECK-LABEL: @regions
// CHECK: arith.addf
// CHECK-NEXT: scf.for
// CHECK: scf.yield
// CHECK: eft.dot_async
// CHECK-NEXT: arith.negf
// CHECK-NEXT: eft.read_shared
// CHECK-NEXT: eft.wait_dots
// CHECK-NEXT: scf.if
// CHECK: eft.load {{.*}} volatile
func.func @regions(%s: !eft.shared<1, tensor<64x16xf16, #sa>>, %t: !eft.shared<1, tensor<16x16xf16, #sb>>, %x: tensor<64x16xf32, #c>, %y: tensor<64x16xf32, #c>, %n: i32, %c: i1, %q: tensor<64x16x!eft.ptr<f32>, #c>) -> (tensor<64x16xf32, #c>, tensor<64x16xf32, #c>, tensor<64x16xf32, #c>, tensor<64x16xf16, #a>, tensor<64x16xf32, #c>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %early = arith.addf %y, %y : tensor<64x16xf32, #c>
  %z = scf.for %i = %zero to %n step %one iter_args(%carried = %x) -> (tensor<64x16xf32, #c>) : i32 {
    %d = eft.dot_async %s[%zero], %t[%zero], %x : !eft.shared<1, tensor<64x16xf16, #sa>>, !eft.shared<1, tensor<16x16xf16, #sb>> -> tensor<64x16xf32, #c>
    %r = eft.wait_dots %d pending 0 : tensor<64x16xf32, #c>
    scf.yield %r : tensor<64x16xf32, #c>
  }
  %d = eft.dot_async %s[%zero], %t[%zero], %x : !eft.shared<1, tensor<64x16xf16, #sa>>, !eft.shared<1, tensor<16x16xf16, #sb>> -> tensor<64x16xf32, #c>
  %r = eft.wait_dots %d pending 0 : tensor<64x16xf32, #c>
  %negative = arith.negf %y : tensor<64x16xf32, #c>
  %read = eft.read_shared %s[%zero] : !eft.shared<1, tensor<64x16xf16, #sa>> -> tensor<64x16xf16, #a>
  %chosen = scf.if %c -> (tensor<64x16xf32, #c>) {
    scf.yield %negative : tensor<64x16xf32, #c>
  } else {
    scf.yield %r : tensor<64x16xf32, #c>
  }
  %anew = eft.load %q volatile : tensor<64x16x!eft.ptr<f32>, #c>
  return %chosen, %early, %z, %read, %anew : tensor<64x16xf32, #c>, tensor<64x16xf32, #c>, tensor<64x16xf32, #c>, tensor<64x16xf16, #a>, tensor<64x16xf32, #c>
}

// Copies begin after the product: they are under way with it in either order. The copies before a wait
// for copies stay there.
// CHECK-LABEL: @copies
// CHECK: eft.copy_async %{{.*}}, %[[S:.*]][%c1
// CHECK-NEXT: eft.commit_copies
// CHECK-NEXT: eft.wait_copies
// CHECK-NEXT: eft.barrier
// CHECK-NEXT: %[[READ:.*]] = eft.read_shared %[[S]][%c0
// CHECK-NEXT: eft.dot_async %[[S]][%c0
// CHECK: eft.copy_async %{{.*}}, %[[S]][%c2
// CHECK-NEXT: eft.commit_copies
// CHECK-NEXT: eft.wait_dots
func.func @copies(%s: !eft.shared<3, tensor<64x16xf16, #sa>>, %t: !eft.shared<1, tensor<16x16xf16, #sb>>, %x: tensor<64x16xf32, #c>, %p: tensor<64x16x!eft.ptr<f16>, #a>) -> (tensor<64x16xf32, #c>, tensor<64x16xf16, #a>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  eft.copy_async %p, %s[%c1] {run = 2 : i32} : tensor<64x16x!eft.ptr<f16>, #a>, !eft.shared<3, tensor<64x16xf16, #sa>>
  eft.commit_copies
  eft.wait_copies pending 1
  eft.barrier
  eft.copy_async %p, %s[%c2] {run = 2 : i32} : tensor<64x16x!eft.ptr<f16>, #a>, !eft.shared<3, tensor<64x16xf16, #sa>>
  eft.commit_copies
  %read = eft.read_shared %s[%c0] : !eft.shared<3, tensor<64x16xf16, #sa>> -> tensor<64x16xf16, #a>
  %d = eft.dot_async %s[%c0], %t[%c0], %x : !eft.shared<3, tensor<64x16xf16, #sa>>, !eft.shared<1, tensor<16x16xf16, #sb>> -> tensor<64x16xf32, #c>
  %r = eft.wait_dots %d pending 0 : tensor<64x16xf32, #c>
  return %r, %read : tensor<64x16xf32, #c>, tensor<64x16xf16, #a>
}

// Each lane copies an element of two bytes, which passes through a register. Such a copy stays.
// CHECK-LABEL: @elements
// CHECK: eft.copy_async
// CHECK-NEXT: eft.dot_async
// CHECK-NEXT: eft.commit_copies
// CHECK-NEXT: eft.wait_dots
func.func @elements(%s: !eft.shared<3, tensor<64x16xf16, #sa>>, %t: !eft.shared<1, tensor<16x16xf16, #sb>>, %x: tensor<64x16xf32, #c>, %p: tensor<64x16x!eft.ptr<f16>, #a>, %slot: i32) -> tensor<64x16xf32, #c> {
  %c0 = arith.constant 0 : i32
  eft.copy_async %p, %s[%slot] {run = 1 : i32} : tensor<64x16x!eft.ptr<f16>, #a>, !eft.shared<3, tensor<64x16xf16, #sa>>
  eft.commit_copies
  %d = eft.dot_async %s[%c0], %t[%c0], %x : !eft.shared<3, tensor<64x16xf16, #sa>>, !eft.shared<1, tensor<16x16xf16, #sb>> -> tensor<64x16xf32, #c>
  %r = eft.wait_dots %d pending 0 : tensor<64x16xf32, #c>
  return %r : tensor<64x16xf32, #c>
}

// Several threads hold an element of the copied block, and one of them copies it, in a branch. Such a copy
// stays, too.
// CHECK-LABEL: @shared_elements
// CHECK: eft.copy_async
// CHECK-NEXT: eft.dot_async
// CHECK-NEXT: eft.commit_copies
// CHECK-NEXT: eft.wait_dots
func.func @shared_elements(%s: !eft.shared<1, tensor<64x16xf16, #sa>>, %t: !eft.shared<1, tensor<16x16xf16, #sb>>, %v: !eft.shared<2, tensor<64xf32, #sv>>, %x: tensor<64x16xf32, #c>, %p: tensor<64x!eft.ptr<f32>, #v>, %slot: i32) -> tensor<64x16xf32, #c> {
  %c0 = arith.constant 0 : i32
  eft.copy_async %p, %v[%slot] {run = 2 : i32} : tensor<64x!eft.ptr<f32>, #v>, !eft.shared<2, tensor<64xf32, #sv>>
  eft.commit_copies
  %d = eft.dot_async %s[%c0], %t[%c0], %x : !eft.shared<1, tensor<64x16xf16, #sa>>, !eft.shared<1, tensor<16x16xf16, #sb>> -> tensor<64x16xf32, #c>
  %r = eft.wait_dots %d pending 0 : tensor<64x16xf32, #c>
  return %r : tensor<64x16xf32, #c>
}
