// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of operations that one tiled loop can do together.
//
// The *items* of a straight line of code are the operations whose place in the order matters, but
// that can be tiled: loads, stores, writes of buffers, and, if asked for, reductions. A *group* is
// a sequence of items over the same places, with nothing between them that touches memory. No item
// of a group needs the result of a reduction in it. Whatever else an item needs is computed where
// it is needed, from *leaves*: values that the group loads itself, that lie in buffers, or that
// come from elsewhere.
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
  TiledDimension steps = {}; ///< the size of a tile, if `isSplit`
  bool isSplit = false;      ///< the group becomes a tiled loop
  bool hasReductions = false;
  ReductionSteps reductionSteps; ///< the same for all reductions of the group
  bool keepsAxis = false;        ///< a tile has the whole axis but for `reductionSteps`
  bool foldsInLoops = false;     ///< loops fold the elements that the reductions' steps leave

  /// Leaves from elsewhere: loads that are done again, and values that lie in buffers.
  llvm::SetVector<mlir::Value> reloads, bufferReads;
  /// Values that the group computes and others need: it writes them into buffers.
  llvm::SetVector<mlir::Value> bufferWrites;

  mlir::RankedTensorType block() const; ///< the block that its first item works on
};

/// The placed block that an item works on; null for other operations.
mlir::RankedTensorType itemBlock(mlir::Operation *op, bool withReductions);

/// The groups of one straight line of code, in its order.
std::vector<TileGroup> findTileGroups(mlir::Block &block, llvm::StringRef dimension,
                                      bool withReductions);

/// Visits the blocks from which `op` is computed, its operands first: those of which tiles can be
/// made, and then the leaves. `descend` says of a value whether its operands are visited too.
void walkTree(mlir::Operation *op, llvm::function_ref<bool(mlir::Value)> descend);

} // namespace eft
