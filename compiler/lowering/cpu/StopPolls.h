// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where code for the host looks whether its launch is to end.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// Emits a look: one load of the word `eft$attention`, and, where that is not 0, a call of
/// `eft$poll`, which says whether to return from the function (runtime/cpu/Stop.h).
void emitStopPoll(mlir::ImplicitLocOpBuilder &b);

/// Emits looks into the loops of a program, so that there are never many turns between two of them.
/// Loops of steps are left alone: a block bounds their turns.
void emitStopPolls(mlir::func::FuncOp program);

} // namespace eft
