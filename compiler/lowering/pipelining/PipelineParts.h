// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop whose iteration is cut into parts, and the pipelined loop that runs parts of several
// iterations at a time. Upstream's pipeliner makes it; here is the order of the operations.
#pragma once

#include "compiler/ir/EftDialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace eft {

/// The part of the pipelined loop that an operation is in, and its place there. Operations without
/// a mark are in the second part.
enum class Mark {
  Ahead,     // in a part of its own, one iteration ahead of the first: loads addresses
  First,     // in the first part, which begins copies
  Wait,      // in the second part: waits for the copies
  AtOnce,    // in the second part: begins a product right behind that wait
  ThirdWait, // in the third part: the wait for its last products, and what directly follows
  Third,     // in the third part, behind the products that begin at once
};
void mark(mlir::Operation *op, Mark mark);
/// Lets the wait in the loop leave this many products under way; before the loop there are fewer.
void setPendingInLoop(WaitDotsOp wait, unsigned pending);

struct PipelineShape {
  unsigned distance;    // the number of iterations by which the first part runs ahead of the second
  bool copiesComeFirst; // whether an iteration begins its copies before its products
  bool hasPartAhead;    // whether there is a part that runs one iteration ahead of the first
  bool hasThirdPart;    // whether there is a third part, which runs one iteration behind the second
};

/// Lets a copy or a load access memory only if the condition is true; other operations stay as they
/// are.
void doOnlyIf(mlir::RewriterBase &rewriter, mlir::Operation *op, mlir::Value condition);

/// Pipelines the loop. One with a third part must have an iteration.
mlir::LogicalResult pipelineParts(mlir::RewriterBase &rewriter, mlir::scf::ForOp loop,
                                  const PipelineShape &shape);

} // namespace eft
