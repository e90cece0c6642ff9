// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Meetings: what the threads of a warp, or of a program, can only do together.
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// Whether all threads of a warp or of the program must come to the operation itself together: a
/// barrier, a shuffle, a load of matrices, a product on tensor cores.
bool isConvergent(mlir::Operation *op);

/// Whether one of the operations inside `op` is a meeting.
bool containsConvergent(mlir::Operation *op);

/// Whether an i1 is true in some thread of the program. All of them must come here.
mlir::Value ofAnyThread(mlir::ImplicitLocOpBuilder &b, mlir::Value condition);

/// Whether `op` is the meeting of `ofAnyThread`: all threads get the same of it.
bool isVote(mlir::Operation *op);

} // namespace eft
