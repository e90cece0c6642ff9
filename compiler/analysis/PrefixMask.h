// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks that cut a range: `offsets < n` is true for the first elements of a block and false for the
// rest.
//
// Two questions, for two uses. How long are the runs inside which a mask is true first and false
// afterwards? A vector inside such a run is full just where the mask is true for its last element:
// that is all that a boundary test on a GPU needs. And is the whole block one such run, so that the
// number of true elements can be computed, and a tiled loop over it needs only one masked tile?
// That takes more: the compared numbers must not wrap around inside the block.
#pragma once

#include "compiler/analysis/AxisInfo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace eft {

/// A comparison `linear` < or ≤ `bound`.
struct Below {
  mlir::Value linear, bound;
  mlir::arith::CmpIPredicate predicate; // slt, sle, ult or ule

  bool isSigned() const {
    return predicate == mlir::arith::CmpIPredicate::slt ||
           predicate == mlir::arith::CmpIPredicate::sle;
  }
};

/// A comparison of order in this form; nothing for one of equality.
std::optional<Below> matchBelow(mlir::arith::CmpIOp compare);

/// The longest run (a power of two; from multiples of its length, as in AxisInfo.h) along the
/// dimension inside which the mask is true for some first elements and false for all others. Runs
/// of one value count.
int64_t prefixRun(const AxisInfos &infos, mlir::Value mask, unsigned dim);

/// A mask of a block of one dimension, as a conjunction of comparisons and of masks that are the
/// same everywhere. A comparison whose numbers do not wrap around inside the block is true for the
/// first elements of the block and false for the rest. If none wraps, so is the mask.
struct PrefixMask {
  /// `linear` < or ≤ `bound`. `linear` grows by one from element to element; `bound` is the same
  /// everywhere.
  struct Comparison {
    mlir::Value linear, bound;
    mlir::arith::CmpIPredicate predicate; // slt, sle, ult or ule
    /// Whether `linear` may exceed the largest number of its type (of the predicate's signedness)
    /// inside the block.
    bool mayWrap;
  };
  llvm::SmallVector<Comparison, 2> comparisons;
  /// Masks that are the same everywhere.
  llvm::SmallVector<mlir::Value, 2> uniforms;
  int64_t extent = 1;

  bool mayWrap() const {
    return llvm::any_of(comparisons, [](const Comparison &part) { return part.mayWrap; });
  }
};

/// The mask as a prefix of its block; nothing if it isn't known to be one, or if the numbers that
/// decide it can't be had as scalars.
std::optional<PrefixMask> matchPrefixMask(const AxisInfos &infos, mlir::Value mask);

/// Whether the first element of the block can be computed as a scalar: it is made by elementwise
/// operations from splats, constants and aranges.
bool hasScalarOrigin(mlir::Value block);

/// Computes the first element of a block that has a scalar origin.
mlir::Value materializeOrigin(mlir::OpBuilder &builder, mlir::Value block);

/// Computes, as an i64 from 0 to `extent`, for how many first elements the mask is true. None of
/// its comparisons may wrap.
mlir::Value materializeTrueCount(mlir::OpBuilder &builder, mlir::Location loc,
                                 const PrefixMask &mask);

} // namespace eft
