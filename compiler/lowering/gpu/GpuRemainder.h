// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The exact remainder of floats on a GPU.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace eft {

/// Replaces every `arith.remf` of f32 or f64 scalars by a loop that computes the exact remainder.
/// For a GPU, LLVM would compute x − trunc(x / y)·y, which is not exact. A CPU calls fmod, which is
/// exact.
void expandRemainders(mlir::func::FuncOp kernel);

} // namespace eft
