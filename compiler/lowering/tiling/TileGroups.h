// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can be done together, a part at a time.
//
// The *items* of a straight line of code are the operations that can't be done just anywhere, but
// that can be done in parts: loads, stores, puts into buffers, and, if asked for, reductions. A
// *group* is a run of items over the same places with nothing between them that touches memory, of
// which none needs the result of a reduction in it. All else that an item needs is computed where
// it is needed, from *leaves*: what the group loads itself, what lies in buffers, and what comes
// from elsewhere.
#pragma once

#include "compiler/lowering/tiling/Tiles.h"

namespace eft {

/// The parts of an axis that a reduction combines one after the other, as bits of the step
/// dimension.
struct ReductionSteps {
  unsigned firstBit = 0, bits = 0;
  bool operator==(const ReductionSteps &) const = default;
};

struct TileGroup {
  llvm::SmallVector<mlir::Operation *> items;
  TiledDimension steps = {}; ///< what one step keeps, once it is decided that there are steps
  bool isSplit = false;      ///< there are steps
  bool hasReductions = false;
  ReductionSteps reductionSteps; ///< the same for all reductions of the group
  bool keepsAxis = false;        ///< a step holds all of the axis but the steps of the reductions
  bool foldsInLoops = false;     ///< what the steps of the reductions leave is folded in loops

  /// Leaves from elsewhere: loads that are done again, and values that lie in buffers.
  llvm::SetVector<mlir::Value> reloads, takes;
  /// Values that the group computes and others need: it puts them into buffers.
  llvm::SetVector<mlir::Value> puts;

  mlir::RankedTensorType block() const; ///< what its first item works on
};

/// The placed block that an item works on; null for other operations.
mlir::RankedTensorType itemBlock(mlir::Operation *op, bool withReductions);

/// The groups of one straight line of code, in its order.
std::vector<TileGroup> findTileGroups(mlir::Block &block, llvm::StringRef dimension,
                                      bool withReductions);

/// Visits the blocks that `op` is computed from, its operands first: those that tiles can be made
/// of, and then the leaves. `descend` decides about a value whether its operands are visited too.
void walkTree(mlir::Operation *op, llvm::function_ref<bool(mlir::Value)> descend);

} // namespace eft
