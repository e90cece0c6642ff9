// RUN: eft-opt %s -eft-place='target=sm_90 num-warps=4' | FileCheck %s
// RUN: eft-opt %s -eft-place='target=sm_80 num-warps=4' | FileCheck %s --check-prefix=SM80

// A thread holds as many neighbours as one atomic operation adds: 4 floats on sm_90, and one on sm_80. So
// neighbouring threads add to neighbours in memory. A load could move 8, but moves no more than these.
// CHECK-LABEL: @sums_of_floats
// CHECK: eft.load {{.*}} {run = 4
// CHECK: eft.atomic_rmw fadd acq_rel gpu {{.*}} {run = 4 : i32}
// SM80-LABEL: @sums_of_floats
// SM80: eft.load {{.*}} {run = 1
// SM80: eft.atomic_rmw fadd acq_rel gpu {{.*}} {run = 1 : i32}
func.func @sums_of_floats(%x: !eft.ptr<bf16> {eft.divisibility = 16 : i32}, %p: !eft.ptr<f32> {eft.divisibility = 16 : i32}) {
  %i = eft.arange 0 to 1024 : tensor<1024xi32>
  %xs = eft.splat %x : !eft.ptr<bf16> -> tensor<1024x!eft.ptr<bf16>>
  %from = eft.addptr %xs, %i : tensor<1024x!eft.ptr<bf16>>, tensor<1024xi32>
  %v = eft.load %from : tensor<1024x!eft.ptr<bf16>>
  %w = arith.extf %v : tensor<1024xbf16> to tensor<1024xf32>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<1024x!eft.ptr<f32>>
  %to = eft.addptr %ps, %i : tensor<1024x!eft.ptr<f32>>, tensor<1024xi32>
  eft.atomic_rmw fadd acq_rel gpu %to, %w : tensor<1024x!eft.ptr<f32>>
  return
}

// One atomic operation adds to neighbours that have the same mask: here to two.
// CHECK-LABEL: @under_a_mask
// CHECK: eft.atomic_rmw fadd relaxed gpu {{.*}} {run = 2 : i32}
// SM80-LABEL: @under_a_mask
// SM80: eft.atomic_rmw fadd relaxed gpu {{.*}} {run = 2 : i32}
func.func @under_a_mask(%p: !eft.ptr<f16> {eft.divisibility = 16 : i32}, %n: i32 {eft.divisibility = 2 : i32}) {
  %i = eft.arange 0 to 1024 : tensor<1024xi32>
  %ns = eft.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %i, %ns : tensor<1024xi32>
  %one = arith.constant dense<1.0> : tensor<1024xf16>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<1024x!eft.ptr<f16>>
  %to = eft.addptr %ps, %i : tensor<1024x!eft.ptr<f16>>, tensor<1024xi32>
  eft.atomic_rmw fadd relaxed gpu %to, %one, mask %mask : tensor<1024x!eft.ptr<f16>>
  return
}

// Other operations than `fadd`, and an `fadd` at unaligned addresses, work on single elements.
// CHECK-LABEL: @by_the_element
// CHECK: eft.atomic_rmw max relaxed gpu {{.*}} {run = 1 : i32}
// CHECK: eft.atomic_rmw fadd relaxed gpu {{.*}} {run = 1 : i32}
func.func @by_the_element(%p: !eft.ptr<i32> {eft.divisibility = 16 : i32}, %q: !eft.ptr<f32>) {
  %i = eft.arange 0 to 1024 : tensor<1024xi32>
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<1024x!eft.ptr<i32>>
  %to = eft.addptr %ps, %i : tensor<1024x!eft.ptr<i32>>, tensor<1024xi32>
  eft.atomic_rmw max relaxed gpu %to, %i : tensor<1024x!eft.ptr<i32>>
  %one = arith.constant dense<1.0> : tensor<1024xf32>
  %qs = eft.splat %q : !eft.ptr<f32> -> tensor<1024x!eft.ptr<f32>>
  %there = eft.addptr %qs, %i : tensor<1024x!eft.ptr<f32>>, tensor<1024xi32>
  eft.atomic_rmw fadd relaxed gpu %there, %one : tensor<1024x!eft.ptr<f32>>
  return
}
