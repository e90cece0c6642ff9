// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The diagnostics of an MLIR context, without MLIR's types and as text.
#pragma once

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <string>
#include <vector>

namespace eft {

/// A position in a source file.
struct Position {
  std::string file;
  unsigned line, column;
};

/// One diagnostic of MLIR.
struct Diagnostic {
  std::string severity, text;
  /// The position of the diagnostic, then the position of the call through which it was reached,
  /// and so on outward.
  std::vector<Position> positions;
  std::vector<Diagnostic> notes;
};

/// Collects what a context reports while the object lives.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext &context);

  const std::vector<Diagnostic> &all() const { return diagnostics; }

  /// The text of the first error; `otherwise` if there is none.
  std::string firstError(const std::string &otherwise) const;

  /// A line `FILE:LINE:COLUMN: error: …` for each diagnostic, caller and note; `otherwise` if
  /// nothing was reported.
  std::string lines(const std::string &otherwise) const;

private:
  std::vector<Diagnostic> diagnostics;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace eft
