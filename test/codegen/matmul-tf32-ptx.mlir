// The product of matmul-float8-ptx.mlir with f32 factors that are multiplied as tf32. Warpgroups
// read factors that lie along k unchanged from shared memory, and ignore the bits that tf32 lacks.

// RUN: sed -e 's/i8/f32/g; s/ieee formats e4m3fn, e5m2/tf32/' %S/matmul-float8-ptx.mlir > %t.mlir
// RUN: eft-compile %t.mlir --target=sm_90 --emit=ptx -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_90a %t.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty %}
// CHECK: .target sm_90a
// CHECK-NOT: {{ld.global|st.shared|cvt.rna}}
// CHECK: cp.async.wait_group 1
// CHECK: wgmma.fence.sync.aligned
// CHECK-COUNT-16: wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {
// CHECK-SAME: da, db, yes, 1, 1;
// CHECK: wgmma.commit_group.sync.aligned
// CHECK: wgmma.wait_group.sync.aligned 1
// CHECK: bar.sync
// CHECK: cp.async.cg.shared.global
// QUIET-NOT: {{serialized|warning|error}}

// In code for all GPUs from 9.0 on, single warps multiply, and round to tf32 first.
// RUN: eft-compile %t.mlir --target=compute_90 --emit=ptx | FileCheck %s --check-prefix=WARPS
// WARPS: cvt.rna.tf32.f32
// WARPS: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
