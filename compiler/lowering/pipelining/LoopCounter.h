// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters of loops that the pipeliner can trust: it asks whether an iteration some steps ahead is
// still one of the loop, and the counter must not wrap around on the way.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace eft {

/// Whether the pipeliner's comparisons can't wrap around. It adds some steps to the lower bound, or
/// takes them from the upper one, and compares.
bool countsExactly(mlir::scf::ForOp loop);

/// Lets the loop count its iterations, in 64 bits, from zero on.
void countFromZero(mlir::RewriterBase &rewriter, mlir::scf::ForOp loop);

} // namespace eft
