// RUN: eft-opt %s -eft-add-debug-scopes --mlir-print-debuginfo | FileCheck %s
// RUN: eft-opt %s -eft-add-debug-scopes=lines-only --mlir-print-debuginfo | FileCheck %s --check-prefix=PTX

// PTX: emissionKind = DebugDirectivesOnly

// CHECK-LABEL: func.func @kernel
func.func @kernel(%p: !eft.ptr<f32>) {
  // CHECK: eft.load {{.*}} loc(#[[LOAD:.*]])
  %0 = eft.load %p : !eft.ptr<f32> loc("kernels.py":30:1)
  // CHECK: arith.addf {{.*}} loc(#[[ADD:.*]])
  %1 = arith.addf %0, %0 : f32 loc("helpers.py":3:9)
  // This operation has no known location.
  // CHECK: arith.mulf {{.*}} loc(#[[UNKNOWN:.*]])
  %2 = arith.mulf %1, %1 : f32 loc(unknown)
  eft.store %p, %2 : !eft.ptr<f32> loc("kernels.py":33:1)
  return loc("kernels.py":34:1)
} loc("kernels.py":29:1)

// CHECK-LABEL: func.func private @without_a_place
func.func private @without_a_place(%x: f32) -> f32 {
  // CHECK: arith.addf {{.*}} loc(#[[PLAIN:.*]])
  %0 = arith.addf %x, %x : f32 loc("helpers.py":5:1)
  return %0 : f32
} loc(unknown)

// CHECK-DAG: #[[UNKNOWN]] = loc(unknown)
// CHECK-DAG: #[[PLAIN]] = loc("helpers.py":5:1)
// CHECK-DAG: #[[PLACE:.*]] = loc("kernels.py":30:1)
// CHECK-DAG: #[[SUM:.*]] = loc("helpers.py":3:9)
// CHECK-DAG: #[[FILE:.*]] = #llvm.di_file<"kernels.py" in "">
// CHECK-DAG: #[[OTHER:.*]] = #llvm.di_file<"helpers.py" in "">
// CHECK-DAG: #[[UNIT:.*]] = #llvm.di_compile_unit<{{.*}}emissionKind = LineTablesOnly>
// CHECK-DAG: #[[KERNEL:.*]] = #llvm.di_subprogram<{{.*}}compileUnit = #[[UNIT]], scope = #[[FILE]], name = "kernel", file = #[[FILE]], line = 29
// CHECK-DAG: #[[LEXICAL:.*]] = #llvm.di_lexical_block_file<scope = #[[KERNEL]], file = #[[OTHER]], discriminator = 0>
// CHECK-DAG: #[[LOAD]] = loc(fused<#[[KERNEL]]>[#[[PLACE]]])
// CHECK-DAG: #[[ADD]] = loc(fused<#[[LEXICAL]]>[#[[SUM]]])
