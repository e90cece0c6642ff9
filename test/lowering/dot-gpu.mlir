// RUN: eft-opt %s -split-input-file -eft-lower-to-gpu=num-warps=1 -cse | FileCheck %s

#acc = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#a = #eft.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #eft.layout<register = [[1, 0], [8, 0], [16, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>

// Two tiles of columns and two along k. The tiles of one step along k follow each other, and each
// instruction takes the last sum as its accumulator.
// CHECK-LABEL: @halves
func.func @halves(%p: !eft.ptr<f32>, %x: f16, %y: f16, %z: f32) {
  // CHECK: %[[P0:.*]] = llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"(%[[A:.*]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %arg3, %arg3, %arg3, %arg3)
  // CHECK-SAME: (vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, f32, f32, f32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  // CHECK: %[[S0:.*]] = llvm.extractvalue %[[P0]][0]
  // CHECK: call_intrinsic
  // CHECK: call_intrinsic {{.*}}, %[[S0]], %{{.*}}, %{{.*}}, %{{.*}})
  // CHECK: call_intrinsic
  // CHECK-NOT: call_intrinsic
  %a = eft.splat %x : f16 -> tensor<16x32xf16, #a>
  %b = eft.splat %y : f16 -> tensor<32x16xf16, #b>
  %c = eft.splat %z : f32 -> tensor<16x16xf32, #acc>
  %d = eft.dot %a, %b, %c precision ieee : tensor<16x32xf16, #a>, tensor<32x16xf16, #b> -> tensor<16x16xf32, #acc>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>, #acc>
  eft.store %ps, %d : tensor<16x16x!eft.ptr<f32>, #acc>
  return
}

// -----

#acc = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#a = #eft.layout<register = [[8, 0], [0, 4], [0, 8]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #eft.layout<register = [[4, 0], [8, 0], [0, 8]], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]], warp = []>

// CHECK-LABEL: @rounded_to_tf32
func.func @rounded_to_tf32(%p: !eft.ptr<f32>, %x: f32, %z: f32) {
  // CHECK: %[[A:.*]] = llvm.inline_asm "cvt.rna.tf32.f32 $0, $1;", "=r,f" %arg1 : (f32) -> i32
  // CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.tf32"(
  // CHECK-NOT: call_intrinsic
  %a = eft.splat %x : f32 -> tensor<16x16xf32, #a>
  %b = eft.splat %x : f32 -> tensor<16x16xf32, #b>
  %c = eft.splat %z : f32 -> tensor<16x16xf32, #acc>
  %d = eft.dot %a, %b, %c precision tf32 : tensor<16x16xf32, #a>, tensor<16x16xf32, #b> -> tensor<16x16xf32, #acc>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>, #acc>
  eft.store %ps, %d : tensor<16x16x!eft.ptr<f32>, #acc>
  return
}

// -----

#acc = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#a = #eft.layout<register = [[8, 0], [0, 4], [0, 8]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #eft.layout<register = [[4, 0], [8, 0], [0, 8]], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]], warp = []>

// The differences that rounding loses are multiplied, too; for exact numbers the difference is zero.
// CHECK-LABEL: @three_products_of_tf32
func.func @three_products_of_tf32(%p: !eft.ptr<f32>, %x: f32, %z: f32) {
  // CHECK: %[[BIG:.*]] = llvm.inline_asm "cvt.rna.tf32.f32 $0, $1;", "=r,f" %[[X:.*]] :
  // CHECK: %[[BACK:.*]] = arith.bitcast %[[BIG]] : i32 to f32
  // CHECK: %[[EXACT:.*]] = arith.cmpf oeq, %[[X]], %[[BACK]]
  // CHECK: %[[LOST:.*]] = arith.subf %[[X]], %[[BACK]]
  // CHECK: %[[REST:.*]] = arith.select %[[EXACT]], %{{.*}}, %[[LOST]]
  // CHECK: %[[SMALL:.*]] = llvm.inline_asm {{.*}} %[[REST]]
  // CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.tf32"(%[[SMALL]], %[[SMALL]], %[[SMALL]], %[[SMALL]], %[[BIG]], %[[BIG]],
  // CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.tf32"(%[[BIG]], %[[BIG]], %[[BIG]], %[[BIG]], %[[SMALL]], %[[SMALL]],
  // CHECK: %[[MAGNITUDE:.*]] = math.absf %[[CORRECTION:.*]] : f32
  // CHECK: %[[FINITE:.*]] = arith.cmpf olt, %[[MAGNITUDE]]
  // CHECK: %[[FIXED:.*]] = arith.select %[[FINITE]], %[[CORRECTION]], %{{.*}}
  // CHECK: %[[START:.*]] = arith.addf %arg2, %[[FIXED]]
  // CHECK: call_intrinsic {{.*}}(%[[BIG]], %[[BIG]], %[[BIG]], %[[BIG]], %[[BIG]], %[[BIG]], %[[START]],
  // CHECK-COUNT-3: call_intrinsic
  // CHECK-NOT: call_intrinsic
  %a = eft.splat %x : f32 -> tensor<16x16xf32, #a>
  %b = eft.splat %x : f32 -> tensor<16x16xf32, #b>
  %c = eft.splat %z : f32 -> tensor<16x16xf32, #acc>
  %d = eft.dot %a, %b, %c precision tf32x3 : tensor<16x16xf32, #a>, tensor<16x16xf32, #b> -> tensor<16x16xf32, #acc>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>, #acc>
  eft.store %ps, %d : tensor<16x16x!eft.ptr<f32>, #acc>
  return
}

// -----

#acc = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#a = #eft.layout<register = [[0, 1], [0, 2], [8, 0]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #eft.layout<register = [[1, 0], [2, 0], [0, 8]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = []>

// An instruction multiplies 16 elements along k, and sums of bytes wrap around.
// CHECK-LABEL: @bytes
func.func @bytes(%p: !eft.ptr<i32>, %x: i8, %z: i32) {
  // CHECK: llvm.bitcast %{{.*}} : vector<4xi8> to i32
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.s8"({{.*}} : (i32, i32, i32, i32, i32, i32, i32)
  // CHECK-NOT: call_intrinsic
  %a = eft.splat %x : i8 -> tensor<16x16xi8, #a>
  %b = eft.splat %x : i8 -> tensor<16x16xi8, #b>
  %c = eft.splat %z : i32 -> tensor<16x16xi32, #acc>
  %d = eft.dot %a, %b, %c precision ieee : tensor<16x16xi8, #a>, tensor<16x16xi8, #b> -> tensor<16x16xi32, #acc>
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<16x16x!eft.ptr<i32>, #acc>
  eft.store %ps, %d : tensor<16x16x!eft.ptr<i32>, #acc>
  return
}

// -----

#acc = #eft.layout<register = [[0, 1], [0, 8], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#a = #eft.layout<register = [[0, 4], [0, 8], [8, 0]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #eft.layout<register = [[4, 0], [8, 0], [0, 8]], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]], warp = []>

// CHECK-LABEL: @doubles
func.func @doubles(%p: !eft.ptr<f64>, %x: f64, %z: f64) {
  // CHECK-COUNT-16: llvm.call_intrinsic "llvm.nvvm.mma.m8n8k4.row.col.f64"({{.*}} : (f64, f64, f64, f64)
  // CHECK-NOT: call_intrinsic
  %a = eft.splat %x : f64 -> tensor<16x16xf64, #a>
  %b = eft.splat %x : f64 -> tensor<16x16xf64, #b>
  %c = eft.splat %z : f64 -> tensor<16x16xf64, #acc>
  %d = eft.dot %a, %b, %c precision ieee : tensor<16x16xf64, #a>, tensor<16x16xf64, #b> -> tensor<16x16xf64, #acc>
  %ps = eft.splat %p : !eft.ptr<f64> -> tensor<16x16x!eft.ptr<f64>, #acc>
  eft.store %ps, %d : tensor<16x16x!eft.ptr<f64>, #acc>
  return
}

// -----

#acc = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#a = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #eft.layout<register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>

// CHECK-LABEL: @bfloats
func.func @bfloats(%p: !eft.ptr<f32>, %x: bf16, %z: f32) {
  // CHECK: llvm.insertelement %{{.*}} : vector<2xi16>
  // CHECK: llvm.bitcast %{{.*}} : vector<2xi16> to i32
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.bf16"({{.*}} : (i32, i32, i32, i32, i32, i32, f32, f32, f32, f32)
  // CHECK-NOT: call_intrinsic
  %a = eft.splat %x : bf16 -> tensor<16x16xbf16, #a>
  %b = eft.splat %x : bf16 -> tensor<16x16xbf16, #b>
  %c = eft.splat %z : f32 -> tensor<16x16xf32, #acc>
  %d = eft.dot %a, %b, %c precision ieee : tensor<16x16xbf16, #a>, tensor<16x16xbf16, #b> -> tensor<16x16xf32, #acc>
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>, #acc>
  eft.store %ps, %d : tensor<16x16x!eft.ptr<f32>, #acc>
  return
}

// -----

#acc = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#a = #eft.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
#b = #eft.layout<register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#rows = #eft.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = []>

// Factors that threads hold by rows go through shared memory, even inside a warp. Both are written
// before either is read. They are read by matrix loads, the second factor transposed.
// CHECK-LABEL: @factors_in_rows
func.func @factors_in_rows(%p: !eft.ptr<f16>, %q: !eft.ptr<f16>, %r: !eft.ptr<f32>, %z: f32) {
  // CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
  // CHECK-NOT: barrier
  // CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
  // CHECK: nvvm.barrier0
  // CHECK-NOT: barrier
  // CHECK: nvvm.ldmatrix %{{.*}} {layout = #nvvm.mma_layout<row>, num = 4 : i32} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
  // CHECK: nvvm.ldmatrix %{{.*}} {layout = #nvvm.mma_layout<col>, num = 4 : i32} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
  // CHECK: llvm.call_intrinsic
  // CHECK-NOT: ldmatrix
  // CHECK: llvm.call_intrinsic
  %i = eft.arange 0 to 256 : tensor<256xi32, #eft.layout<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = []>>
  %ps = eft.splat %p : !eft.ptr<f16> -> tensor<256x!eft.ptr<f16>, #eft.layout<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = []>>
  %qs = eft.splat %q : !eft.ptr<f16> -> tensor<256x!eft.ptr<f16>, #eft.layout<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = []>>
  %pi = eft.addptr %ps, %i : tensor<256x!eft.ptr<f16>, #eft.layout<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = []>>, tensor<256xi32, #eft.layout<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = []>>
  %qi = eft.addptr %qs, %i : tensor<256x!eft.ptr<f16>, #eft.layout<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = []>>, tensor<256xi32, #eft.layout<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = []>>
  %x = eft.load %pi : tensor<256x!eft.ptr<f16>, #eft.layout<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = []>>
  %y = eft.load %qi : tensor<256x!eft.ptr<f16>, #eft.layout<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = []>>
  %xr = eft.reshape %x : tensor<256xf16, #eft.layout<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = []>> -> tensor<16x16xf16, #rows>
  %yr = eft.reshape %y : tensor<256xf16, #eft.layout<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = []>> -> tensor<16x16xf16, #rows>
  %a = eft.convert_layout %xr : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #a>
  %b = eft.convert_layout %yr : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #b>
  %c = eft.splat %z : f32 -> tensor<16x16xf32, #acc>
  %d = eft.dot %a, %b, %c precision ieee : tensor<16x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<16x16xf32, #acc>
  %rs = eft.splat %r : !eft.ptr<f32> -> tensor<16x16x!eft.ptr<f32>, #acc>
  eft.store %rs, %d : tensor<16x16x!eft.ptr<f32>, #acc>
  return
}
