// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// State: the context in which IR is built.
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

/// If a kernel has a mistake, some regions are never finished, and operations in one region may use
/// values of another. So all references are dropped before anything is destroyed.
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
