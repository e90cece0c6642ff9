// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that stand in a conditional, so that they have an iteration. They may carry blocks, or what
// a thread holds of them.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace eft {

/// Moves a loop into a conditional that runs it if it has an iteration, and gives what the loop
/// begins with if not. The conditional's results stand for the loop's.
mlir::scf::IfOp runIfAnyIteration(mlir::OpBuilder &b, mlir::scf::ForOp loop);

} // namespace eft
