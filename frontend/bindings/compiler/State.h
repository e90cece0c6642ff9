// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The owner that every object of `_compiler` in Python holds on to: one MLIR context and the IR in
// it.
//
// A handle (a type, a value, a location, …) is a pointer into a context together with a reference
// to the state that owns it, so that no order in which Python drops its objects leaves one
// dangling. The IR of a state lives as long as the state: there is no operation that erases what
// Python can see.
#pragma once

#include "frontend/bindings/Failure.h"

#include "compiler/pipeline/Diagnostics.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace eft::bindings {

/// A context with the dialects of the block IR. One thread at a time may use it.
struct State {
  State();
  ~State();

  mlir::MLIRContext context;
  /// Modules and the regions that no operation owns yet.
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
  std::vector<std::unique_ptr<mlir::Region>> regions;
  llvm::StringMap<mlir::Type> types;
  llvm::StringMap<mlir::Attribute> attributes;
};

using StateRef = std::shared_ptr<State>;

/// A pointer-like object of MLIR and the state that it lives in.
template <typename T> struct Handle {
  StateRef state;
  T object;
};

using Type = Handle<mlir::Type>;
using Attribute = Handle<mlir::Attribute>;
using Location = Handle<mlir::Location>;
using Value = Handle<mlir::Value>;
using Region = Handle<mlir::Region *>;
using Module = Handle<mlir::ModuleOp>;

/// IR that does not verify, text that does not parse, a pass that failed. Python sees it as
/// `_compiler.IRError(text, diagnostics)`.
struct IRError : std::runtime_error {
  IRError(const std::string &text, std::vector<Diagnostic> diagnostics = {})
      : std::runtime_error(text), diagnostics(std::move(diagnostics)) {}
  std::vector<Diagnostic> diagnostics;
};

/// The error that says what was reported; `otherwise` if nothing was.
IRError irError(const DiagnosticCollector &diagnostics, const std::string &otherwise);

/// Throws if `handle` belongs to another context than `state`.
template <typename T> const T &checked(const StateRef &state, const Handle<T> &handle) {
  if (handle.state != state)
    throw python::mistake("an object of another context was used");
  return handle.object;
}

} // namespace eft::bindings
