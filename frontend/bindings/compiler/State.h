// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// State: an MLIR context and the IR in it. Every Python object of `_compiler` that refers to IR
// shares ownership of its State.
//
// A handle (of a type, a value, a location, …) is a pointer into a context together with a
// reference to the State that owns the context. So handles never dangle, in whatever order Python
// drops its objects. The IR of a State lives as long as the State: no function erases IR that a
// Python object may refer to.
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
  /// The modules, and the regions that were made without an owner.
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
  std::vector<std::unique_ptr<mlir::Region>> regions;
  llvm::StringMap<mlir::Type> types;
  llvm::StringMap<mlir::Attribute> attributes;
};

using StateRef = std::shared_ptr<State>;

/// A pointer-like object of MLIR and the State that owns its context.
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

/// The error for IR that does not verify, text that does not parse, or a pass that failed. In
/// Python it is `_compiler.IRError(text, diagnostics)`.
struct IRError : std::runtime_error {
  IRError(const std::string &text, std::vector<Diagnostic> diagnostics = {})
      : std::runtime_error(text), diagnostics(std::move(diagnostics)) {}
  std::vector<Diagnostic> diagnostics;
};

/// Returns an IRError with the first reported error as its text, and all diagnostics. If nothing
/// was reported, the text is `otherwise`.
IRError irError(const DiagnosticCollector &diagnostics, const std::string &otherwise);

/// Returns the object of a handle. Throws if the handle belongs to another State.
template <typename T> const T &checked(const StateRef &state, const Handle<T> &handle) {
  if (handle.state != state)
    throw python::mistake("an object of another context was used");
  return handle.object;
}

} // namespace eft::bindings
