// RUN: eft-opt %s | eft-opt | FileCheck %s

// CHECK-LABEL: @loads_and_stores
func.func @loads_and_stores(%p: !llvm.ptr<1>, %c: i1) {
  // CHECK: %[[A:.*]] = eft.thread_load %arg0 cache cg : !llvm.ptr<1> -> vector<4xi32>
  %a = eft.thread_load %p cache cg : !llvm.ptr<1> -> vector<4xi32>
  // CHECK: %[[B:.*]] = eft.thread_load %arg0 if %arg1 else %[[A]] evict evict_first : !llvm.ptr<1> -> vector<4xi32>
  %b = eft.thread_load %p if %c else %a evict evict_first : !llvm.ptr<1> -> vector<4xi32>
  // CHECK: eft.thread_load %arg0 if %arg1 : !llvm.ptr<1> -> i8
  %d = eft.thread_load %p if %c : !llvm.ptr<1> -> i8
  // CHECK: eft.thread_store %arg0, %[[B]] if %arg1 cache wt : !llvm.ptr<1>, vector<4xi32>
  eft.thread_store %p, %b if %c cache wt : !llvm.ptr<1>, vector<4xi32>
  // CHECK: eft.thread_store %arg0, %{{.*}} : !llvm.ptr<1>, i8
  eft.thread_store %p, %d : !llvm.ptr<1>, i8
  return
}

// CHECK-LABEL: @atomic_operations
func.func @atomic_operations(%p: !llvm.ptr<1>, %c: i1, %i: i32, %x: bf16) {
  // CHECK: eft.thread_atomic_rmw add acq_rel gpu %arg0, %arg2 if %arg1 : !llvm.ptr<1>, i32
  %0 = eft.thread_atomic_rmw add acq_rel gpu %p, %i if %c : !llvm.ptr<1>, i32
  // CHECK: eft.thread_atomic_rmw fadd relaxed cta %arg0, %arg3 : !llvm.ptr<1>, bf16
  %1 = eft.thread_atomic_rmw fadd relaxed cta %p, %x : !llvm.ptr<1>, bf16
  // CHECK: eft.thread_atomic_cas acquire sys %arg0, %{{.*}}, %arg2 if %arg1 : !llvm.ptr<1>, i32
  %2 = eft.thread_atomic_cas acquire sys %p, %0, %i if %c : !llvm.ptr<1>, i32
  // CHECK: %[[BYTE:.*]] = eft.thread_atomic_load acquire gpu %arg0 : !llvm.ptr<1> -> i8
  %3 = eft.thread_atomic_load acquire gpu %p : !llvm.ptr<1> -> i8
  // CHECK: eft.thread_atomic_store release gpu %arg0, %[[BYTE]] if %arg1 : !llvm.ptr<1>, i8
  eft.thread_atomic_store release gpu %p, %3 if %c : !llvm.ptr<1>, i8
  // CHECK: eft.thread_fence gpu
  eft.thread_fence gpu
  return
}
