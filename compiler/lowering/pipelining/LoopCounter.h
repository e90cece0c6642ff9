// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that count their iterations exactly, also some iterations ahead.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace eft {

/// Whether the numbers of iterations ahead are exact: the pipeliner adds some steps to the lower
/// bound, or takes them from the upper one, and compares.
bool countsExactly(mlir::scf::ForOp loop);

/// Lets the loop count its iterations, in 64 bits, from zero on.
void countFromZero(mlir::RewriterBase &rewriter, mlir::scf::ForOp loop);

} // namespace eft
