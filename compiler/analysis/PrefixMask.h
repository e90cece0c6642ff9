// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prefix masks: a mask such as `offsets < n` is true for the first elements of a block and false
// for all others.
//
// The analysis answers two questions. First: how long are the runs in each of which the mask is
// true up to some element and false from there on? If the mask is true for the last element of a
// vector inside such a run, it is true for the whole vector. So, to decide whether it may access
// the whole vector, code for a GPU tests only the mask of that element. Second: is the whole block
// one such run? Then the number of true elements can be computed, and a tiled loop over the block
// needs only one masked tile. This requires that the compared numbers do not wrap around inside the
// block.
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

/// Rewrites a comparison by <, ≤, > or ≥ to the form `linear` < or ≤ `bound`. Returns nothing for =
/// and ≠.
std::optional<Below> matchBelow(mlir::arith::CmpIOp compare);

/// The length of the longest runs along the dimension in each of which the mask is true up to some
/// element and false from there on. As in AxisInfo.h, the length is a power of two, and the runs
/// start at multiples of it. A run in which the mask has only one value counts, too.
int64_t prefixRun(const AxisInfos &infos, mlir::Value mask, unsigned dim);

/// A mask of a one-dimensional block, as a conjunction of comparisons and of masks that are the
/// same for all elements. A comparison whose `linear` does not wrap around inside the block is true
/// for the first elements and false for all others. If no comparison wraps around, the whole mask
/// is a prefix.
struct PrefixMask {
  /// `linear` < or ≤ `bound`. `linear` grows by one from element to element; `bound` is the same
  /// everywhere.
  struct Comparison {
    mlir::Value linear, bound;
    mlir::arith::CmpIPredicate predicate; // slt, sle, ult or ule
    /// True if `linear` may pass the largest number of its type inside the block. The predicate's
    /// signedness decides which number is the largest.
    bool mayWrap;
  };
  llvm::SmallVector<Comparison, 2> comparisons;
  /// Masks that are the same for all elements.
  llvm::SmallVector<mlir::Value, 2> uniforms;
  int64_t extent = 1;

  bool mayWrap() const {
    return llvm::any_of(comparisons, [](const Comparison &part) { return part.mayWrap; });
  }
};

/// Returns the mask in the form of `PrefixMask`. Returns nothing if it does not have that form, or
/// if the first elements of its comparisons can't be computed as scalars. The mask may still wrap
/// around: see `mayWrap`.
std::optional<PrefixMask> matchPrefixMask(const AxisInfos &infos, mlir::Value mask);

/// True if the first element of the block can be computed as a scalar. This is so if the block is
/// computed from splats, constants and aranges by pure elementwise operations, and by element moves
/// that keep the first element first.
bool hasScalarOrigin(mlir::Value block);

/// Creates code that computes the first element of a block that has a scalar origin.
mlir::Value materializeOrigin(mlir::OpBuilder &builder, mlir::Value block);

/// Creates code that computes the number of elements for which the mask is true: an i64 from 0 to
/// `extent`. No comparison of the mask may wrap around.
mlir::Value materializeTrueCount(mlir::OpBuilder &builder, mlir::Location loc,
                                 const PrefixMask &mask);

} // namespace eft
