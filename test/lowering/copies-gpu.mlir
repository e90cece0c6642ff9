// RUN: eft-opt %s -split-input-file -eft-lower-to-gpu=num-warps=1 -cse | FileCheck %s

#a = #eft.layout<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = []>
#order = #eft.layout<offset = [[1], [2], [4], [8], [16], [32], [64], [128]]>
#wide = #eft.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>
#wide_order = #eft.layout<offset = [[1], [2], [4], [8], [16], [32], [64]]>

// Two allocations are adjacent in shared memory. Later uses reuse their bytes.
// CHECK-LABEL: @slots
// CHECK-SAME: eft.shared_bytes = 2048
func.func @slots(%p: !eft.ptr<f16>, %q: !eft.ptr<f32>, %slot: i32) {
  // CHECK: %[[S:.*]] = llvm.mlir.addressof @eft$shared
  %s = eft.alloc_shared : !eft.shared<2, tensor<256xf16, #order>>
  // CHECK-NOT: nvvm.barrier0
  // CHECK: llvm.getelementptr %[[S]][1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %t = eft.alloc_shared : !eft.shared<2, tensor<128xf32, #wide_order>>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<256x!eft.ptr<f16>, #a>
  %i = eft.arange 0 to 256 : tensor<256xi32, #a>
  %pi = eft.addptr %ps, %i : tensor<256x!eft.ptr<f16>, #a>, tensor<256xi32, #a>
  // CHECK: %[[BYTES:.*]] = arith.muli %{{.*}}, %c512
  // CHECK: llvm.getelementptr %{{.*}}[%[[BYTES]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  // CHECK: "llvm.nvvm.cp.async.cg.shared.global.16"
  eft.copy_async %pi, %s[%slot] {run = 8 : i32} : tensor<256x!eft.ptr<f16>, #a>, !eft.shared<2, tensor<256xf16, #order>>
  // CHECK: "llvm.nvvm.cp.async.cg.shared.global.16"
  %qs = eft.splat %q : !eft.ptr<f32> -> tensor<128x!eft.ptr<f32>, #wide>
  eft.copy_async %qs, %t[%slot] {run = 4 : i32} : tensor<128x!eft.ptr<f32>, #wide>, !eft.shared<2, tensor<128xf32, #wide_order>>
  // CHECK: nvvm.cp.async.commit.group
  eft.commit_copies
  // CHECK: nvvm.cp.async.wait.group 1
  // CHECK-NEXT: nvvm.barrier0
  eft.wait_copies pending 1
  eft.dealloc_shared %t : !eft.shared<2, tensor<128xf32, #wide_order>>
  eft.dealloc_shared %s : !eft.shared<2, tensor<256xf16, #order>>
  %u = eft.alloc_shared : !eft.shared<2, tensor<256xf16, #order>>
  return
}

// -----

#a = #eft.layout<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = []>
#order = #eft.layout<offset = [[1], [2], [4], [8], [16], [32], [64], [128]]>

// A mask that is true for the start of a run becomes a number of bytes.
// CHECK-LABEL: @start_of_a_run
func.func @start_of_a_run(%p: !eft.ptr<f16>, %n: i32, %more: i1, %slot: i32) {
  %s = eft.alloc_shared : !eft.shared<2, tensor<256xf16, #order>>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<256x!eft.ptr<f16>, #a>
  %i = eft.arange 0 to 256 : tensor<256xi32, #a>
  %pi = eft.addptr %ps, %i : tensor<256x!eft.ptr<f16>, #a>, tensor<256xi32, #a>
  %ns = eft.splat %n : i32 -> tensor<256xi32, #a>
  %m = arith.cmpi slt, %i, %ns : tensor<256xi32, #a>
  // CHECK-COUNT-8: arith.select %{{.*}}, %c2_i32, %c0_i32
  // CHECK: %[[BYTES:.*]] = arith.select %{{.*}}, %{{.*}}, %c0_i32
  // CHECK: "llvm.nvvm.cp.async.cg.shared.global.16.s"(%{{.*}}, %{{.*}}, %[[BYTES]])
  // CHECK-NOT: scf.if
  eft.copy_async %pi, %s[%slot] if %more mask %m {run = 8 : i32, prefixRuns}
      : tensor<256x!eft.ptr<f16>, #a>, !eft.shared<2, tensor<256xf16, #order>>
  return
}

// -----

#pairs = #eft.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []>
#order = #eft.layout<offset = [[1], [2], [4], [8], [16], [32], [64]]>

// Runs of less than four bytes go through registers, with all loads before the stores. Neighbours in
// shared memory are stored by one access.
// CHECK-LABEL: @short_runs
func.func @short_runs(%p: !eft.ptr<i8>, %n: i32, %more: i1, %slot: i32) {
  %s = eft.alloc_shared : !eft.shared<1, tensor<128xi8, #order>>
  %ps = eft.splat %p : !eft.ptr<i8> -> tensor<128x!eft.ptr<i8>, #pairs>
  %i = eft.arange 0 to 128 : tensor<128xi32, #pairs>
  %pi = eft.addptr %ps, %i : tensor<128x!eft.ptr<i8>, #pairs>, tensor<128xi32, #pairs>
  %ns = eft.splat %n : i32 -> tensor<128xi32, #pairs>
  %m = arith.cmpi slt, %i, %ns : tensor<128xi32, #pairs>
  // CHECK-NOT: cp.async
  // CHECK-COUNT-4: llvm.load {{.*}} -> i8
  // CHECK: llvm.store {{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<3>
  eft.copy_async %pi, %s[%slot] if %more mask %m {run = 2 : i32}
      : tensor<128x!eft.ptr<i8>, #pairs>, !eft.shared<1, tensor<128xi8, #order>>
  return
}

// -----

#a = #eft.layout<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = []>
#order = #eft.layout<offset = [[1], [2], [4], [8], [16], [32], [64], [128]]>

// A thread with a run whose first element is elsewhere copies its elements through registers.
// CHECK-LABEL: @headless
func.func @headless(%ps: !eft.ptr<f16>, %slot: i32) {
  %s = eft.alloc_shared : !eft.shared<1, tensor<256xf16, #order>>
  %p = eft.splat %ps : !eft.ptr<f16> -> tensor<256x!eft.ptr<f16>, #a>
  // CHECK: scf.if
  // CHECK: "llvm.nvvm.cp.async.cg.shared.global.16"
  // CHECK: } else {
  // CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
  eft.copy_async %p, %s[%slot] {run = 8 : i32, headless} : tensor<256x!eft.ptr<f16>, #a>, !eft.shared<1, tensor<256xf16, #order>>
  return
}

// -----

#copies = #eft.layout<register = [[1], [2]], lane = [[4], [8], [16], [0], [0]], warp = []>
#order = #eft.layout<offset = [[1], [2], [4], [8], [16]]>

// If several threads hold an element, one of them copies it.
// CHECK-LABEL: @copies_in_lanes
func.func @copies_in_lanes(%ps: !eft.ptr<f32>, %slot: i32) {
  %s = eft.alloc_shared : !eft.shared<1, tensor<32xf32, #order>>
  %p = eft.splat %ps : !eft.ptr<f32> -> tensor<32x!eft.ptr<f32>, #copies>
  // CHECK: %[[BITS:.*]] = arith.andi %{{.*}}, %c24_i32
  // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[BITS]], %c0_i32
  // CHECK: scf.if %[[FIRST]]
  // CHECK: "llvm.nvvm.cp.async.cg.shared.global.16"
  eft.copy_async %p, %s[%slot] {run = 4 : i32} : tensor<32x!eft.ptr<f32>, #copies>, !eft.shared<1, tensor<32xf32, #order>>
  // CHECK: llvm.load {{.*}} !llvm.ptr<3>
  %v = eft.read_shared %s[%slot] : !eft.shared<1, tensor<32xf32, #order>> -> tensor<32xf32, #copies>
  eft.store %p, %v : tensor<32x!eft.ptr<f32>, #copies>
  return
}
