// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests in code for the host whether its launch is to end.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// Emits a test: a load of the word `eft$attention`, and, where that is not 0, a call of
/// `eft$poll`, which says whether to return from the function (runtime/cpu/Stop.h).
void emitStopPoll(mlir::ImplicitLocOpBuilder &b);

/// Emits tests into the loops of a program, so that there are never many iterations between two of
/// them. Tiled loops get none: a block bounds their iterations.
void emitStopPolls(mlir::func::FuncOp program);

} // namespace eft
