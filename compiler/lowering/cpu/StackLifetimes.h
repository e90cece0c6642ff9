// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When the arrays on a program's stack are in use.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace eft {

/// Says of each array in the frame of a lowered kernel where in the kernel's body it is used first
/// and last, so that LLVM lays arrays that are never in use together over each other. Returns the
/// bytes that are in use together at most.
int64_t markStackLifetimes(mlir::func::FuncOp kernel);

} // namespace eft
