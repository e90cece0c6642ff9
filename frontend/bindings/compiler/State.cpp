// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The context that IR is built in.
#include "frontend/bindings/compiler/State.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

#include "compiler/ir/EftDialect.h"
#include "compiler/pipeline/Compile.h"

using namespace mlir;

namespace eft::bindings {

State::State() : context(MLIRContext::Threading::DISABLED) {
  DialectRegistry registry;
  registerDialects(registry);
  context.appendDialectRegistry(registry);
  // The passes load the dialects that they lower to when they run.
  context.loadDialect<EftDialect, arith::ArithDialect, math::MathDialect, scf::SCFDialect,
                      func::FuncDialect>();
}

/// After a mistake in a kernel there are regions that were never finished, and operations in one
/// that use values of another.
State::~State() {
  for (auto &module : modules)
    (*module)->dropAllReferences();
  for (auto &region : regions)
    region->dropAllReferences();
}

IRError irError(const DiagnosticCollector &diagnostics, const std::string &otherwise) {
  return IRError(diagnostics.firstError(otherwise), diagnostics.all());
}

} // namespace eft::bindings
