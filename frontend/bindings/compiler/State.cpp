// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The context that IR is built in, and what it reports.
#include "frontend/bindings/compiler/State.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/PatternMatch.h"

#include "compiler/ir/EftDialect.h"
#include "compiler/pipeline/Compile.h"

#include "llvm/ADT/TypeSwitch.h"

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

namespace {

/// Appends the place that `location` names and then the places that it was called from.
void appendPositions(mlir::Location location, std::vector<Position> &positions) {
  llvm::TypeSwitch<LocationAttr>(location)
      .Case([&](FileLineColLoc at) {
        positions.push_back({at.getFilename().str(), at.getLine(), at.getColumn()});
      })
      .Case([&](CallSiteLoc at) {
        appendPositions(at.getCallee(), positions);
        appendPositions(at.getCaller(), positions);
      })
      .Case([&](NameLoc at) { appendPositions(at.getChildLoc(), positions); })
      .Case([&](FusedLoc at) {
        if (!at.getLocations().empty())
          appendPositions(at.getLocations().front(), positions);
      });
}

std::string severityName(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Remark:
    return "remark";
  case DiagnosticSeverity::Error:
    break;
  }
  return "error";
}

Diagnostic convert(const mlir::Diagnostic &diagnostic) {
  Diagnostic result{severityName(diagnostic.getSeverity()), diagnostic.str(), {}, {}};
  appendPositions(diagnostic.getLocation(), result.positions);
  for (const mlir::Diagnostic &note : diagnostic.getNotes())
    result.notes.push_back(convert(note));
  return result;
}

} // namespace

DiagnosticCollector::DiagnosticCollector(MLIRContext &context)
    : handler(&context, [this](mlir::Diagnostic &diagnostic) {
        diagnostics.push_back(convert(diagnostic));
        return success();
      }) {}

IRError DiagnosticCollector::error(const std::string &otherwise) {
  for (const Diagnostic &diagnostic : diagnostics)
    if (diagnostic.severity == "error")
      return IRError(diagnostic.text, diagnostics);
  return IRError(otherwise, diagnostics);
}

} // namespace eft::bindings
