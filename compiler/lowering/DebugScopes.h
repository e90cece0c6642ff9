// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scope of a function's places, for functions that lowering makes of a kernel's.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace eft {

/// The same place in a function of its own. A scope belongs to one function.
mlir::Location withOwnScope(mlir::Location location);

/// Gives a function, whose operations come from another one, a scope of its own.
void giveOwnScope(mlir::func::FuncOp function);

} // namespace eft
