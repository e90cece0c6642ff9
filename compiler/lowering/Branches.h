// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces loops and conditionals by blocks and branches.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace eft {

/// The position of the test of an `scf.for` that is known to run at least once. Every other
/// `scf.for` tests its condition before each iteration.
enum class LoopTest {
  AtStart, ///< Before each iteration, as in upstream's conversion.
  AtEnd,   ///< After each iteration, as in a loop that LLVM has rotated.
};

/// Replaces each `scf.for`, `scf.while` and `scf.if` of a function by branches. The time is linear
/// in the number of operations.
///
/// Loops and conditionals that are nested in operations of any other kind are not replaced.
void branchControlFlow(mlir::func::FuncOp function, LoopTest test);

} // namespace eft
