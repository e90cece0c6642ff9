// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops and conditionals become blocks and branches.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace eft {

/// The place where a loop that is known to run at least once tests its condition.
enum class LoopTest {
  AtStart, ///< As in all other loops, and in upstream's conversion.
  AtEnd,   ///< The form that LLVM would bring it into.
};

/// Replaces each `scf.for`, `scf.while` and `scf.if` of a function by branches, in time that is
/// linear in its operations.
///
/// Loops inside of other operations with regions stay.
void branchControlFlow(mlir::func::FuncOp function, LoopTest test);

} // namespace eft
