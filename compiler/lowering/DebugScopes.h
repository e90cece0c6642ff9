// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Debug scopes (`DISubprogram`) for functions that the lowering makes from parts of a kernel.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace eft {

/// Returns the location with a copy of its scope, for use in a new function, because a scope
/// belongs to one function. Returns a location without a scope unchanged.
mlir::Location withOwnScope(mlir::Location location);

/// Gives a new function a scope of its own, in place of the scope of the function from which its
/// operations come.
void giveOwnScope(mlir::func::FuncOp function);

} // namespace eft
