// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-opt: runs passes by name over block IR and prints the resulting IR. Lit tests use it.
#include "compiler/analysis/TestPasses.h"
#include "compiler/pipeline/Compile.h"
#include "compiler/pipeline/Passes.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  eft::registerDialects(registry);
  eft::registerPasses();
  eft::registerAnalysisTestPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Eft's optimizer driver\n", registry));
}
