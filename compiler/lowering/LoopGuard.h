// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts loops into conditionals, so that a loop that is reached runs at least once. The loops carry
// blocks before the lowering, and fragments after it.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace eft {

/// Moves a loop into an `scf.if` that runs it if its lower bound is less than its upper bound, and
/// otherwise yields the initial values of what the loop carries. The results of the `scf.if`, which
/// is returned, replace those of the loop.
mlir::scf::IfOp runIfAnyIteration(mlir::OpBuilder &b, mlir::scf::ForOp loop);

} // namespace eft
