// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks without masks and remainders, and the condition under which they are the same.
//
// A kernel writes `(start + range) % n` and `mask = k < left` for the few programs and iterations
// at the border of a matrix. Elsewhere the mask is true throughout and the remainder does not wrap
// around inside the block. Both show in a few numbers:
//
//   mask        first + range < bound        first + extent − 1 < bound
//   remainder   (first + range) % n          first ≥ 0, n > 0 and first % n ≤ n − extent;
//                                            it is then range + first % n
//
// where first + range must not wrap around in its type: its last number is not below its first.
#pragma once

#include "compiler/analysis/PrefixMask.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

namespace eft {

/// Collects what makes masks true and remainders plain; then emits the condition, and the blocks
/// that hold under it.
class PlainBlocks {
public:
  explicit PlainBlocks(const AxisInfos &infos) : infos(infos) {}

  /// Requires that the mask is true throughout. Fails, and requires nothing, if numbers can't tell.
  mlir::LogicalResult require(mlir::Value mask);
  /// Requires of all remainders from which the block is computed, as far as numbers can tell, that
  /// they are plain. True if there is one.
  bool requireRemainders(mlir::Value block);

  /// Emits the condition: a number of one bit.
  mlir::Value emitCondition(mlir::OpBuilder &b, mlir::Location loc);
  /// Emits a block that is the same where the condition holds.
  mlir::Value emitPlain(mlir::OpBuilder &b, mlir::Value block);

private:
  struct Comparison {
    Below below;    ///< with one number as its bound
    int64_t growth; ///< of the other side, from its first element to its last
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
  llvm::SmallVector<mlir::Value> uniforms; ///< masks with one value everywhere: true
  llvm::SmallVector<mlir::Value> excluded; ///< … and false
  llvm::SmallVector<Comparison> comparisons;
  llvm::SetVector<mlir::Operation *> remainders;
  llvm::DenseMap<mlir::Value, bool> hasRemainder;       ///< of values that have been visited
  llvm::DenseMap<mlir::Operation *, mlir::Value> rests; ///< the first elements of remainders
  mlir::IRMapping plain;
};

} // namespace eft
