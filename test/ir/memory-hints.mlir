// RUN: eft-opt %s | eft-opt | FileCheck %s
// RUN: eft-opt %s -cse | FileCheck %s --check-prefix=CSE

// CHECK-LABEL: @qualified
func.func @qualified(%p: tensor<8x!eft.ptr<f32>>, %m: tensor<8xi1>, %o: tensor<8xf32>) {
  // CHECK: eft.load %{{.*}}, mask %{{.*}} other %{{.*}} cache cg evict evict_first volatile : tensor<8x!eft.ptr<f32>>
  %0 = eft.load %p, mask %m other %o cache cg evict evict_first volatile : tensor<8x!eft.ptr<f32>>
  // CHECK: eft.store %{{.*}}, %{{.*}}, mask %{{.*}} cache wt evict evict_last : tensor<8x!eft.ptr<f32>>
  eft.store %p, %0, mask %m cache wt evict evict_last : tensor<8x!eft.ptr<f32>>
  // CHECK: eft.barrier
  eft.barrier
  return
}

// Two equal loads become one, unless they are volatile.
// CSE-LABEL: @repeated
func.func @repeated(%p: !eft.ptr<i32>) -> (i32, i32, i32, i32) {
  // CSE: %[[A:.*]] = eft.load %arg0 : !eft.ptr<i32>
  // CSE-NEXT: %[[B:.*]] = eft.load %arg0 volatile
  // CSE-NEXT: eft.load %arg0 volatile
  // CSE-NEXT: %[[C:.*]] = eft.load %arg0 cache cv
  // CSE-NEXT: return %[[A]], %[[A]], %[[B]], %[[C]]
  %0 = eft.load %p : !eft.ptr<i32>
  %1 = eft.load %p : !eft.ptr<i32>
  %2 = eft.load %p volatile : !eft.ptr<i32>
  %3 = eft.load %p volatile : !eft.ptr<i32>
  %4 = eft.load %p cache cv : !eft.ptr<i32>
  return %0, %1, %2, %4 : i32, i32, i32, i32
}

// CHECK-LABEL: @hints
func.func @hints(%x: tensor<8x4xi32>, %n: i32, %c: i1) {
  // CHECK: eft.hint %{{.*}} contiguity [1, 4] divisibility [8, 16] : tensor<8x4xi32>
  %0 = eft.hint %x contiguity [1, 4] divisibility [8, 16] : tensor<8x4xi32>
  // CHECK: eft.hint %{{.*}} constancy [1] : i32
  %1 = eft.hint %n constancy [1] : i32
  // CHECK: eft.assume %{{.*}}
  eft.assume %c
  return
}

// CHECK-LABEL: @debug
func.func @debug(%x: tensor<8xi64>, %c: tensor<8xi1>) {
  // CHECK: eft.print " here"
  eft.print " here"
  // CHECK: eft.print " x: " %{{.*}} hex 8 : tensor<8xi64>
  eft.print " x: " %x hex 8 : tensor<8xi64>
  // CHECK: eft.print " x: " %{{.*}} unsigned : tensor<8xi64>
  eft.print " x: " %x unsigned : tensor<8xi64>
  // CHECK: eft.assert %{{.*}}, "no" : tensor<8xi1>
  eft.assert %c, "no" : tensor<8xi1>
  // CHECK: eft.stop
  eft.stop
  return
}
