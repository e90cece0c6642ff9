// If a pass fails, eft-compile writes a reproducer. eft-opt fails with the same error on that file.
// RUN: not eft-compile %s --emit=llvm -o /dev/null --mlir-pass-pipeline-crash-reproducer=%t.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=FILE < %t.mlir
// RUN: not eft-opt %t.mlir --run-reproducer 2>&1 | FileCheck %s

// CHECK: error: failed to legalize operation 'arith.ceildivsi'
// FILE: func.func @divide
// FILE: mlir_reproducer
// FILE: eft-lower-to-llvm
func.func @divide(%p: !eft.ptr<i32>, %x: i32) {
  %y = arith.ceildivsi %x, %x : i32
  eft.store %p, %y : !eft.ptr<i32>
  return
}
