// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests in CPU code for whether the launch is to end.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// Emits a test. The code loads the word `eft$attention`. If the word is not 0, the code calls
/// `eft$poll`, and returns from the function if the answer is not 0 (runtime/cpu/Stop.h).
void emitStopPoll(mlir::ImplicitLocOpBuilder &b);

/// Emits tests into the loops of a program, so that few iterations run between two tests. Tiled
/// loops get no test: the size of a block limits their iterations.
void emitStopPolls(mlir::func::FuncOp program);

} // namespace eft
