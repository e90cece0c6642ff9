// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loop counters for the pipeliner. The pipeliner finds out by comparisons, in several places,
// whether the loop has an iteration some steps ahead. The numbers that it compares must not wrap
// around, and all threads must compare the same numbers.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace eft {

/// Gives all threads the bounds and the step of the first thread, if they depend on loaded values
/// or on inline assembly. Threads need the same bounds if they exchange elements in the loop.
void agreeOnBounds(mlir::RewriterBase &rewriter, mlir::scf::ForOp loop);

/// Prepares the bounds and the step of a loop for the pipeliner. Unless the numbers that the
/// pipeliner compares are known not to wrap around, the loop is rewritten to count its iterations
/// from 0 in steps of 1, in 64 bits. Returns true if the loop's body was rewritten.
bool prepareCounter(mlir::RewriterBase &rewriter, mlir::scf::ForOp loop);

} // namespace eft
