// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loop counters that do not overflow in the pipeliner. The pipeliner finds out by a comparison
// whether the loop has an iteration some steps ahead. The numbers that it compares must not wrap
// around.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace eft {

/// True if the numbers that the pipeliner compares are known not to wrap around. The pipeliner adds
/// a few steps to the lower bound, or subtracts them from the upper bound. So the numbers don't
/// wrap around if the lower bound and the step are small constants.
bool countsExactly(mlir::scf::ForOp loop);

/// Rewrites the loop to count its iterations from 0 in steps of 1, in 64 bits.
void countFromZero(mlir::RewriterBase &rewriter, mlir::scf::ForOp loop);

} // namespace eft
