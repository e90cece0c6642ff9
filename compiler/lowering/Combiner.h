// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The function of a reduction or a scan, done on fragments.
#pragma once

#include "compiler/lowering/FragmentLowering.h"

namespace eft {

/// Applies a region of scalar operations, which combines two elements, to fragments. Its
/// conditionals become selections: where a fragment is a vector, each lane selects its own side.
class Combiner {
public:
  /// `like` is a block of the operation's places, with any elements.
  Combiner(FragmentLowering &lowering, mlir::Region &region, mlir::RankedTensorType like)
      : lowering(lowering), body(region.front()), like(like) {}

  /// Emits an error at an operation of the region that can't be done on fragments, if there is one.
  mlir::LogicalResult check() const;

  /// True if the region is one operation for which the order of operands doesn't matter.
  bool isCommutative() const;

  /// The region's values for a fragment of each source: those of the lower elements, and of the
  /// higher.
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

  /// Fails with an error at `op` if they have different ones.
  static mlir::FailureOr<CombinedSources> of(FragmentLowering &lowering, mlir::Operation *op,
                                             mlir::ValueRange sources);
};

} // namespace eft
