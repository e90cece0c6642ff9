// A product of 8-bit floats. The first factor lies by rows, the second by columns: both are
// contiguous along k, as tensor cores require.

// Warpgroups read both factors from shared memory, where copies have written them.
// RUN: eft-compile %s --target=sm_90 --emit=ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=GROUPS < %t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_90a %t.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty %}
// GROUPS: .target sm_90a
// GROUPS-NOT: {{ld.global|st.shared}}
// GROUPS: cp.async.wait_group 1
// GROUPS-NOT: fence.proxy
// GROUPS: wgmma.fence.sync.aligned
// GROUPS-COUNT-2: wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e5m2 {{.*}}, da, db, yes, 1, 1;
// GROUPS: wgmma.commit_group.sync.aligned
// GROUPS: wgmma.wait_group.sync.aligned 1
// GROUPS: cp.async.cg.shared.global
// QUIET-NOT: {{serialized|warning|error}}

// Code for all GPUs from 9.0 on, and for 8.9, multiplies in single warps.
// RUN: eft-compile %s --target=compute_90 --emit=ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=WARPS < %t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_90 %t.ptx -o %t.cubin %}
// RUN: eft-compile %s --target=sm_89 --emit=ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=WARPS < %t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_89 %t.ptx -o %t.cubin %}
// WARPS: cp.async.wait_group 1
// WARPS: ldmatrix.sync.aligned.m8n8.x4
// WARPS: mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%f{{[0-9]+}}, %f{{[0-9]+}}, %f{{[0-9]+}}, %f{{[0-9]+}}}, {%r

// Older GPUs multiply f16 numbers.
// RUN: eft-compile %s --target=sm_80 --emit=ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=HALVES < %t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_80 %t.ptx -o %t.cubin %}
// HALVES: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// HALVES-NOT: {{e4m3|e5m2}}

func.func @matmul(%a_ptr: !eft.ptr<i8> {eft.divisibility = 16 : i32},
                  %b_ptr: !eft.ptr<i8> {eft.divisibility = 16 : i32},
                  %c_ptr: !eft.ptr<f32> {eft.divisibility = 16 : i32},
                  %k: i32 {eft.divisibility = 16 : i32}) {
  %zero = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %acc = arith.constant dense<0.0> : tensor<128x128xf32>
  %range = eft.arange 0 to 128 : tensor<128xi32>
  %ks = eft.arange 0 to 64 : tensor<64xi32>
  %rows = eft.expand_dims %range axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %columns = eft.expand_dims %range axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %k_rows = eft.splat %k : i32 -> tensor<128x1xi32>
  %k_columns = eft.splat %k : i32 -> tensor<1x128xi32>
  %row_starts = arith.muli %rows, %k_rows : tensor<128x1xi32>
  %column_starts = arith.muli %columns, %k_columns : tensor<1x128xi32>
  %a_starts = eft.broadcast %row_starts : tensor<128x1xi32> -> tensor<128x64xi32>
  %b_starts = eft.broadcast %column_starts : tensor<1x128xi32> -> tensor<64x128xi32>
  %as = eft.splat %a_ptr : !eft.ptr<i8> -> tensor<128x64x!eft.ptr<i8>>
  %bs = eft.splat %b_ptr : !eft.ptr<i8> -> tensor<64x128x!eft.ptr<i8>>
  %sum = scf.for %start = %zero to %k step %c64 iter_args(%before = %acc) -> (tensor<128x128xf32>) : i32 {
    %starts = eft.splat %start : i32 -> tensor<64xi32>
    %at = arith.addi %starts, %ks : tensor<64xi32>
    %at_row = eft.expand_dims %at axis 0 : tensor<64xi32> -> tensor<1x64xi32>
    %at_column = eft.expand_dims %at axis 1 : tensor<64xi32> -> tensor<64x1xi32>
    %a_at = eft.broadcast %at_row : tensor<1x64xi32> -> tensor<128x64xi32>
    %b_at = eft.broadcast %at_column : tensor<64x1xi32> -> tensor<64x128xi32>
    %a_off = arith.addi %a_starts, %a_at : tensor<128x64xi32>
    %b_off = arith.addi %b_starts, %b_at : tensor<64x128xi32>
    %p = eft.addptr %as, %a_off : tensor<128x64x!eft.ptr<i8>>, tensor<128x64xi32>
    %q = eft.addptr %bs, %b_off : tensor<64x128x!eft.ptr<i8>>, tensor<64x128xi32>
    %a = eft.load %p : tensor<128x64x!eft.ptr<i8>>
    %b = eft.load %q : tensor<64x128x!eft.ptr<i8>>
    %after = eft.dot %a, %b, %before precision ieee formats e4m3fn, e5m2
        : tensor<128x64xi8>, tensor<64x128xi8> -> tensor<128x128xf32>
    scf.yield %after : tensor<128x128xf32>
  }
  %c128 = arith.constant dense<128> : tensor<128x1xi32>
  %to_rows = arith.muli %rows, %c128 : tensor<128x1xi32>
  %to_row = eft.broadcast %to_rows : tensor<128x1xi32> -> tensor<128x128xi32>
  %to_column = eft.broadcast %columns : tensor<1x128xi32> -> tensor<128x128xi32>
  %to = arith.addi %to_row, %to_column : tensor<128x128xi32>
  %cs = eft.splat %c_ptr : !eft.ptr<f32> -> tensor<128x128x!eft.ptr<f32>>
  %r = eft.addptr %cs, %to : tensor<128x128x!eft.ptr<f32>>, tensor<128x128xi32>
  eft.store %r, %sum : tensor<128x128x!eft.ptr<f32>>
  return
}
