// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks without masks and remainders, and the condition under which they equal the original
// blocks.
//
// A kernel writes `(start + range) % n` and `mask = k < remaining` for the few blocks that reach
// beyond the last row or column of a matrix. In all other blocks the mask is true for all elements,
// and the remainder does not wrap around inside the block. A few scalars decide both. Here `first`,
// `bound` and `n` are scalars, and `range` is 0 … extent − 1:
//
//   mask        first + range < bound        first + extent − 1 < bound
//   remainder   (first + range) % n          first ≥ 0, n > 0 and first % n ≤ n − extent;
//                                            it is then range + first % n
//
// In both cases first + range must not wrap around in its type, so first + extent − 1 ≥ first is
// required too. A remainder that fulfils its condition is called plain.
#pragma once

#include "compiler/analysis/PrefixMask.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

namespace eft {

/// Collects the conditions under which masks are true and remainders are plain. Then emits their
/// conjunction, and the blocks that are valid under it.
class PlainBlocks {
public:
  explicit PlainBlocks(const AxisInfos &infos) : infos(infos) {}

  /// Adds the condition that the mask is true for all elements. Fails, and adds nothing, if scalars
  /// cannot decide that.
  mlir::LogicalResult require(mlir::Value mask);
  /// For each remainder from which the block is computed: adds the condition that the remainder is
  /// plain, if scalars can decide that. Returns true if it added at least one condition, or if an
  /// earlier call has added one for such a remainder.
  bool requireRemainders(mlir::Value block);

  /// Emits the conjunction of all collected conditions, as an i1.
  mlir::Value emitCondition(mlir::OpBuilder &b, mlir::Location loc);
  /// Emits the block with plain remainders. It equals `block` where the condition holds. Call
  /// `emitCondition` first: it emits the first elements of the remainders, which are used here.
  mlir::Value emitPlain(mlir::OpBuilder &b, mlir::Value block);

private:
  struct Comparison {
    Below below;    ///< its bound is uniform
    int64_t growth; ///< the last element of `below.linear` minus the first
  };

  mlir::LogicalResult collect(mlir::Value mask, unsigned depth);
  mlir::LogicalResult collect(mlir::arith::CmpIOp compare);
  bool collectRemainders(mlir::Value value, unsigned depth);
  bool isPlainable(mlir::Operation *remainder) const;
  bool isUniform(mlir::Value block) const;
  std::optional<int64_t> growthOf(mlir::Value block) const;
  int64_t divisibilityOfRest(mlir::Operation *remainder) const;
  mlir::Value makePlain(mlir::OpBuilder &b, mlir::Value value);

  const AxisInfos &infos;
  llvm::SmallVector<mlir::Value> uniforms; ///< uniform masks that must be true
  llvm::SmallVector<mlir::Value> excluded; ///< uniform masks that must be false
  llvm::SmallVector<Comparison> comparisons;
  llvm::SetVector<mlir::Operation *> remainders;
  llvm::DenseMap<mlir::Value, bool> hasRemainder;       ///< for each visited value
  llvm::DenseMap<mlir::Operation *, mlir::Value> rests; ///< the first element of each remainder
  mlir::IRMapping plain;
};

} // namespace eft
