// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lifetimes of the arrays on a program's stack.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace eft {

/// Marks for each array in the frame of a lowered kernel the first and the last use, in the
/// innermost block that has all of its uses. LLVM then gives the same memory to arrays that are
/// never in use together. Returns the most bytes that are in use at one time.
int64_t markStackLifetimes(mlir::func::FuncOp kernel);

} // namespace eft
