// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-lsp-server: MLIR's language server with Eft's dialect. In an editor, it shows the mistakes,
// definitions and uses in files of block IR.
#include "compiler/pipeline/Compile.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

#include <cstdlib>

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  eft::registerDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry)) ? EXIT_FAILURE : EXIT_SUCCESS;
}
