// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop whose iteration is cut into parts, and the pipelined loop that runs parts of several
// iterations at a time. Upstream's pipeliner makes it; here is the order of the operations.
#pragma once

#include "compiler/ir/EftDialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace eft {

/// The part of the pipelined loop that an operation is in. Operations without a mark are in the
/// second.
enum class Mark {
  First,     // of the first part, which begins copies
  Wait,      // of the second part: waits for the copies
  AtOnce,    // of the second part: begins a product right behind
  ThirdWait, // of the third part: what must be done when its products of one iteration before are
  Third,     // of the third part, behind the products that begin at once
};
void mark(mlir::Operation *op, Mark mark);
/// Lets the wait in the loop leave this many products under way; before the loop there are fewer.
void setPendingInLoop(WaitDotsOp wait, unsigned pending);

struct PipelineShape {
  unsigned distance;    // of iterations, by which the first part comes before the second
  bool copiesComeFirst; // in an iteration, or else behind the products that it begins
  bool hasThirdPart;    // one iteration behind the second
};

/// Pipelines the loop. One with a third part must have an iteration.
mlir::LogicalResult pipelineParts(mlir::RewriterBase &rewriter, mlir::scf::ForOp loop,
                                  const PipelineShape &shape);

} // namespace eft
