// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts the iteration of a loop into parts, and makes a pipelined loop that runs parts of several
// iterations at a time. Upstream's pipeliner makes the loop; this file gives it the order of the
// operations.
#pragma once

#include "compiler/ir/EftDialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace eft {

/// The part of an iteration to which an operation belongs, and its position in the part. An
/// operation without a mark is in the second part.
enum class Mark {
  Ahead,     // in a part of its own, one iteration ahead of the first part: loads
  First,     // in the first part, which begins copies
  Wait,      // in the second part: waits for the copies
  AtOnce,    // in the second part: begins a product right after the wait for the copies
  ThirdWait, // in the third part: waits for its earlier products, then narrows first factors
  Third,     // in the third part: the rest of it, after the products that begin at once
};
void mark(mlir::Operation *op, Mark mark);
/// Sets the number of products that `wait` leaves under way inside the pipelined loop. The clones
/// of `wait` outside the loop keep their own, smaller number.
void setPendingInLoop(WaitDotsOp wait, unsigned pending);

/// True if `value` is the result of an operation in the loop's body.
bool isComputedIn(mlir::scf::ForOp loop, mlir::Value value);
/// Returns `value` as the result of a new operation, which belongs to `part`. Upstream's pipeliner
/// requires that an iteration yields results of operations in the loop: neither arguments nor
/// values from before the loop.
mlir::Value emitSame(mlir::RewriterBase &rewriter, mlir::Location loc, mlir::Value value,
                     std::optional<Mark> part = std::nullopt);

struct PipelineShape {
  unsigned distance;    // the number of iterations by which the first part runs ahead of the second
  bool copiesComeFirst; // true if an iteration begins its copies before its products
  bool hasPartAhead;    // true if there is a part that runs one iteration ahead of the first
  bool hasThirdPart;    // true if there is a third part, which runs one iteration behind the second
};

/// Makes a copy or a load access memory only if `condition` is true; leaves other operations as
/// they are.
void doOnlyIf(mlir::RewriterBase &rewriter, mlir::Operation *op, mlir::Value condition);

/// Pipelines the loop. A loop with a third part must run at least one iteration. Emits an error and
/// fails if upstream's pipeliner fails.
mlir::LogicalResult pipelineParts(mlir::RewriterBase &rewriter, mlir::scf::ForOp loop,
                                  const PipelineShape &shape);

} // namespace eft
