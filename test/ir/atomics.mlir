// RUN: eft-opt %s | eft-opt | FileCheck %s
// RUN: eft-opt %s -canonicalize | FileCheck %s --check-prefix=CANON

// CHECK-LABEL: @atomics
// CANON-LABEL: @atomics
func.func @atomics(%p: !eft.ptr<i32>, %x: i32, %ps: tensor<64x!eft.ptr<f16>>, %xs: tensor<64xf16>, %m: tensor<64xi1>) {
  // CHECK: eft.atomic_rmw add acq_rel gpu %{{.*}}, %{{.*}} : !eft.ptr<i32>
  // No atomic operation is removed, even if its result is unused or the operation before it is the same.
  // CANON-COUNT-2: eft.atomic_rmw add acq_rel gpu
  %0 = eft.atomic_rmw add acq_rel gpu %p, %x : !eft.ptr<i32>
  %1 = eft.atomic_rmw add acq_rel gpu %p, %x : !eft.ptr<i32>
  // CHECK: eft.atomic_rmw fadd relaxed cta %{{.*}}, %{{.*}}, mask %{{.*}} : tensor<64x!eft.ptr<f16>>
  %2 = eft.atomic_rmw fadd relaxed cta %ps, %xs, mask %m : tensor<64x!eft.ptr<f16>>
  // CHECK: eft.atomic_cas acquire sys %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x!eft.ptr<f16>>
  %3 = eft.atomic_cas acquire sys %ps, %xs, %xs : tensor<64x!eft.ptr<f16>>
  // CHECK: eft.atomic_load acquire gpu %{{.*}} : !eft.ptr<i32>
  // CANON-COUNT-2: eft.atomic_load acquire gpu
  %4 = eft.atomic_load acquire gpu %p : !eft.ptr<i32>
  %5 = eft.atomic_load acquire gpu %p : !eft.ptr<i32>
  // CHECK: eft.atomic_load relaxed cta %{{.*}}, mask %{{.*}} : tensor<64x!eft.ptr<f16>>
  %6 = eft.atomic_load relaxed cta %ps, mask %m : tensor<64x!eft.ptr<f16>>
  // CHECK: eft.atomic_store release sys %{{.*}}, %{{.*}} : !eft.ptr<i32>
  eft.atomic_store release sys %p, %x : !eft.ptr<i32>
  // CHECK: eft.atomic_store relaxed gpu %{{.*}}, %{{.*}}, mask %{{.*}} : tensor<64x!eft.ptr<f16>>
  eft.atomic_store relaxed gpu %ps, %xs, mask %m : tensor<64x!eft.ptr<f16>>
  return
}

// CANON-LABEL: @constant_masks
func.func @constant_masks(%p: !eft.ptr<i32>, %x: i32) -> (i32, i32) {
  %true = arith.constant true
  %false = arith.constant false
  // CANON: %[[ZERO:.*]] = arith.constant 0 : i32
  // CANON: %[[OLD:.*]] = eft.atomic_rmw max release gpu %{{.*}}, %{{.*}} : !eft.ptr<i32>
  %0 = eft.atomic_rmw max release gpu %p, %x, mask %true : !eft.ptr<i32>
  // CANON-NOT: eft.atomic_rmw
  %1 = eft.atomic_rmw max release gpu %p, %x, mask %false : !eft.ptr<i32>
  // CANON: return %[[OLD]], %[[ZERO]]
  return %0, %1 : i32, i32
}

// CHECK-LABEL: @cast_ptr
// CANON-LABEL: @cast_ptr
func.func @cast_ptr(%p: tensor<8x!eft.ptr<f32>>) -> (tensor<8x!eft.ptr<i64>>, tensor<8x!eft.ptr<f32>>) {
  // CHECK: eft.cast_ptr %{{.*}} : tensor<8x!eft.ptr<f32>> -> tensor<8x!eft.ptr<i32>>
  // CANON-NEXT: %[[TO:.*]] = eft.cast_ptr %arg0 : tensor<8x!eft.ptr<f32>> -> tensor<8x!eft.ptr<i64>>
  // CANON-NEXT: return %[[TO]], %arg0
  %0 = eft.cast_ptr %p : tensor<8x!eft.ptr<f32>> -> tensor<8x!eft.ptr<i32>>
  %1 = eft.cast_ptr %0 : tensor<8x!eft.ptr<i32>> -> tensor<8x!eft.ptr<i64>>
  %2 = eft.cast_ptr %0 : tensor<8x!eft.ptr<i32>> -> tensor<8x!eft.ptr<f32>>
  return %1, %2 : tensor<8x!eft.ptr<i64>>, tensor<8x!eft.ptr<f32>>
}

// CHECK-LABEL: @cast_address
// CANON-LABEL: @cast_address
func.func @cast_address(%p: tensor<8x!eft.ptr<f32>>, %a: i64) -> (tensor<8x!eft.ptr<f32>>, !eft.ptr<i8>) {
  // CHECK: eft.cast_ptr %{{.*}} : tensor<8x!eft.ptr<f32>> -> tensor<8xi64>
  // CANON-NEXT: %[[TO:.*]] = eft.cast_ptr %arg1 : i64 -> !eft.ptr<i8>
  // CANON-NEXT: return %arg0, %[[TO]]
  %0 = eft.cast_ptr %p : tensor<8x!eft.ptr<f32>> -> tensor<8xi64>
  %1 = eft.cast_ptr %0 : tensor<8xi64> -> tensor<8x!eft.ptr<f32>>
  %2 = eft.cast_ptr %a : i64 -> !eft.ptr<i8>
  return %1, %2 : tensor<8x!eft.ptr<f32>>, !eft.ptr<i8>
}
