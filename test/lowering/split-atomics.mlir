// RUN: eft-opt %s -eft-place="target=cpu vector-bits=128" -eft-tile-blocks="dimension=step elements=8 vectors=1 split-prefix" -canonicalize | FileCheck %s

// A tiled loop does atomic operations like loads and stores, and uses their results in the same
// iteration. For tiles inside the prefix, they have no mask.
// CHECK-LABEL: @histogram
// CHECK: scf.for
// CHECK: %[[OLD:.*]] = eft.atomic_rmw add relaxed gpu %{{.*}}, %{{.*}} : tensor<8x!eft.ptr<i32>
// CHECK: %[[CHANGED:.*]] = arith.addi %[[OLD]], %{{.*}} : tensor<8xi32
// CHECK: eft.store %{{.*}}, %[[CHANGED]] {run = 4 : i32} : tensor<8x!eft.ptr<i32>
// CHECK: scf.for
// CHECK: eft.atomic_rmw add relaxed gpu %{{.*}}, %{{.*}}, mask %{{.*}} : tensor<4x!eft.ptr<i32>
// CHECK: eft.store %{{.*}} mask %{{.*}} {{{.*}}} : tensor<4x!eft.ptr<i32>
// CHECK-NOT: eft.atomic_rmw
func.func @histogram(%p: !eft.ptr<i32>, %q: !eft.ptr<i32>, %n: i32) {
  %i = eft.arange 0 to 1024 : tensor<1024xi32>
  %ns = eft.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<1024xi32>
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<1024x!eft.ptr<i32>>
  %a = eft.addptr %ps, %i : tensor<1024x!eft.ptr<i32>>, tensor<1024xi32>
  %qs = eft.splat %q : !eft.ptr<i32> -> tensor<1024x!eft.ptr<i32>>
  %c = eft.addptr %qs, %i : tensor<1024x!eft.ptr<i32>>, tensor<1024xi32>
  %old = eft.atomic_rmw add relaxed gpu %c, %i, mask %m : tensor<1024x!eft.ptr<i32>>
  %y = arith.addi %old, %i : tensor<1024xi32>
  eft.store %a, %y, mask %m : tensor<1024x!eft.ptr<i32>>
  return
}
