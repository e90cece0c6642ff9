// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops and conditionals become blocks and branches.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace eft {

/// Replaces each `scf.for`, `scf.while` and `scf.if` of a function by branches, in time that is
/// linear in its operations. A loop that is known to run at least once tests its condition at its
/// end, which is the form that LLVM would bring it into.
///
/// Loops inside of other operations with regions stay.
void branchControlFlow(mlir::func::FuncOp function);

} // namespace eft
