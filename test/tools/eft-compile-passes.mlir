// eft-compile has MLIR's options for printing and timing passes.
// RUN: eft-compile %s --target=sm_90 --emit=ptx -o /dev/null --mlir-print-ir-after-all 2>&1 | FileCheck %s --check-prefix=AFTER
// RUN: eft-compile %s --emit=llvm -o /dev/null --mlir-print-ir-after=eft-place 2>&1 | FileCheck %s --check-prefix=PLACE
// RUN: eft-compile %s --target=sm_90 --emit=ptx -o /dev/null --mlir-timing 2>&1 | FileCheck %s --check-prefix=TIME
// RUN: not eft-compile %s --emit=llvm -o /dev/null --mlir-print-ir-after=eft-plaec 2>&1 | FileCheck %s --check-prefix=NAME

// AFTER: IR Dump After Inliner (inline)
// AFTER: IR Dump After Place (eft-place)
// AFTER: IR Dump After LowerToLLVM (eft-lower-to-llvm)
// AFTER: llvm.func @copy
// PLACE-NOT: IR Dump After Inliner
// PLACE: IR Dump After Place (eft-place)
// PLACE-NOT: IR Dump
// TIME: Execution time report
// TIME-DAG: Parser
// TIME-DAG: Block transforms
// TIME-DAG: ExpandMath
// TIME-DAG: Placing
// TIME-DAG: Lowering
// TIME-DAG: LowerToGpu
// TIME-DAG: LLVM's optimizations
// TIME-DAG: Emission of PTX
// NAME: eft-compile: for the --mlir-print-ir-after option: Cannot find option named 'eft-plaec'!
func.func @copy(%x: !eft.ptr<f32>, %y: !eft.ptr<f32>) {
  %v = eft.load %x : !eft.ptr<f32>
  eft.store %y, %v : !eft.ptr<f32>
  return
}
