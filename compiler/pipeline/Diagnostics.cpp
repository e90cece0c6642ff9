// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pipeline/Diagnostics.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace eft {

namespace {

/// Appends the position that `location` names, and then the positions of the calls around it.
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

void appendLine(const Position *at, const std::string &severity, const std::string &words,
                std::string &text) {
  if (!text.empty())
    text += "\n";
  if (at)
    text += at->file + ":" + std::to_string(at->line) + ":" + std::to_string(at->column) + ": ";
  text += severity + ": " + words;
}

void appendLines(const Diagnostic &diagnostic, std::string &text) {
  const std::vector<Position> &places = diagnostic.positions;
  appendLine(places.empty() ? nullptr : &places.front(), diagnostic.severity, diagnostic.text,
             text);
  for (size_t caller = 1; caller < places.size(); ++caller)
    appendLine(&places[caller], "note", "called from here", text);
  for (const Diagnostic &note : diagnostic.notes)
    appendLines(note, text);
}

} // namespace

DiagnosticCollector::DiagnosticCollector(MLIRContext &context)
    : handler(&context, [this](mlir::Diagnostic &diagnostic) {
        diagnostics.push_back(convert(diagnostic));
        return success();
      }) {}

std::string DiagnosticCollector::firstError(const std::string &otherwise) const {
  for (const Diagnostic &diagnostic : diagnostics)
    if (diagnostic.severity == "error")
      return diagnostic.text;
  return otherwise;
}

std::string DiagnosticCollector::lines(const std::string &otherwise) const {
  std::string text;
  for (const Diagnostic &diagnostic : diagnostics)
    appendLines(diagnostic, text);
  return text.empty() ? otherwise : text;
}

} // namespace eft
