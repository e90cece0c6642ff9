// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Applies the function of a reduction or a scan to fragments.
#pragma once

#include "compiler/lowering/FragmentLowering.h"

namespace eft {

/// Applies a region, which combines two elements by scalar operations, to fragments. Conditionals
/// of the region become selects: where a fragment is a vector, each lane selects for itself.
class Combiner {
public:
  /// `like` is a block in the layout of the operation's sources. Its element type does not matter.
  Combiner(FragmentLowering &lowering, mlir::Region &region, mlir::RankedTensorType like)
      : lowering(lowering), body(region.front()), like(like) {}

  /// Fails with an error at the first operation of the region that can't be done on fragments.
  mlir::LogicalResult check() const;

  /// Returns the region's operation on its two arguments, if the region has no other operation and
  /// the order of the arguments doesn't matter. Otherwise null.
  mlir::Operation *commutativeOperation() const;

  /// An estimate of the instructions that the region takes for one pair of elements.
  int64_t cost() const;

  /// Emits the region on fragments, and returns its results. `lower` and `higher` each have one
  /// fragment of each source. The elements in `lower` have lower indices than those in `higher`
  /// with which they are combined.
  llvm::SmallVector<mlir::Value> combine(mlir::ImplicitLocOpBuilder &b,
                                         llvm::ArrayRef<mlir::Value> lower,
                                         llvm::ArrayRef<mlir::Value> higher);

private:
  using Values = llvm::DenseMap<mlir::Value, mlir::Value>;

  llvm::SmallVector<mlir::Value> cloneBlock(mlir::ImplicitLocOpBuilder &b, mlir::Block &block,
                                            Values &values);
  void cloneOp(mlir::ImplicitLocOpBuilder &b, mlir::Operation &op, Values &values);
  mlir::Type fragmentTypeOf(mlir::Type scalar) const;

  FragmentLowering &lowering;
  mlir::Block &body;
  mlir::RankedTensorType like;
};

/// The sources of a reduction or a scan, which all have one layout.
struct CombinedSources {
  LinearLayout layout;
  llvm::SmallVector<FragmentLowering::Fragments> fragments;

  /// Collects the sources. Fails with an error at `op` if their layouts differ.
  static mlir::FailureOr<CombinedSources> of(FragmentLowering &lowering, mlir::Operation *op,
                                             mlir::ValueRange sources);
};

} // namespace eft
