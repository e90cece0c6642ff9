// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convergent operations: those that all threads of a warp, or of a program, must reach together.
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// True if all threads of a warp or of the program must reach the operation itself together: a
/// barrier, a shuffle, a reduction of a warp's integers, a load of matrices, a product on tensor
/// cores.
bool isConvergent(mlir::Operation *op);

/// True if one of the operations inside `op` is convergent.
bool containsConvergent(mlir::Operation *op);

/// Emits a vote. Its result is true if `condition`, an i1, is true in any thread of the program.
/// The vote is convergent.
mlir::Value ofAnyThread(mlir::ImplicitLocOpBuilder &b, mlir::Value condition);

/// True if `op` is the vote of `ofAnyThread`. All threads get the same result from it.
bool isVote(mlir::Operation *op);

} // namespace eft
