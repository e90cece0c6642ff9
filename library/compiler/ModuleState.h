// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state that all copies of one Module share.
#pragma once

#include "eft/Compiler.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <mutex>

namespace eft {

struct Module::State {
  State();

  std::mutex lock; // guards the context, which one thread at a time may use
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string kernelName;
  std::vector<Parameter> parameters;
};

} // namespace eft
