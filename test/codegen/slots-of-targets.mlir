// The slots for copies fit into the shared memory of every GPU that runs the target's code. GPUs of
// compute capability 8.6, 8.9 and 12.0 have less of it than the others, and they also run portable
// code.

// RUN: sed -e 's/A_ROW/%%a/; s/A_COLUMN/%%one/; s/B_ROW/%%b/; s/B_COLUMN/%%one/' %S/matmul-ptx.mlir > %t.mlir
// RUN: eft-opt %t.mlir -eft-pipeline='target=sm_80 num-stages=8' | FileCheck %s --check-prefix=EIGHT
// RUN: eft-opt %t.mlir -eft-pipeline='target=sm_90 num-stages=8' | FileCheck %s --check-prefix=EIGHT
// RUN: eft-opt %t.mlir -eft-pipeline='target=sm_86 num-stages=8' | FileCheck %s --check-prefix=SIX
// RUN: eft-opt %t.mlir -eft-pipeline='target=sm_120 num-stages=8' | FileCheck %s --check-prefix=SIX
// RUN: eft-opt %t.mlir -eft-pipeline='target=gpu num-stages=8' | FileCheck %s --check-prefix=SIX
// RUN: eft-opt %t.mlir -eft-pipeline='target=compute_90 num-stages=8' | FileCheck %s --check-prefix=SIX
// EIGHT: nvvm.cp.async.wait.group 6
// SIX: nvvm.cp.async.wait.group 4
