// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of operations that one tiled loop can do together.
//
// The *items* of a basic block are those operations that can be tiled and whose order matters:
// accesses to memory and, if the caller asks for them, reductions and writes of buffers. A *group*
// is a sequence of items over the same places, with nothing between them that touches memory,
// except for reads of buffers that the group does not write. No item of a group needs the result of
// a reduction in the group. All other values that an item needs are computed in the same tile, from
// *leaves*: values that the group loads itself, that lie in buffers, or that come from elsewhere.
#pragma once

#include "compiler/lowering/tiling/Tiles.h"

namespace eft {

/// The bits of the tiled dimension that number the parts of an axis which a reduction combines one
/// after the other. They are `bits` consecutive bits from `firstBit` on.
struct ReductionSteps {
  unsigned firstBit = 0, bits = 0;
  bool operator==(const ReductionSteps &) const = default;
};

struct TileGroup {
  llvm::SmallVector<mlir::Operation *> items;
  TiledDimension steps = {}; ///< the size of a tile, if `isSplit`
  bool isSplit = false;      ///< the group is tiled
  bool hasReductions = false;
  ReductionSteps reductionSteps; ///< the same for all reductions of the group
  bool keepsAxis = false;        ///< a tile has the whole axis apart from `reductionSteps`
  bool foldsInLoops = false;     ///< loops fold the reductions' partial results
  bool runsBackwards = false;    ///< the loop begins with the last tile

  /// Leaves that come from elsewhere: loads of other groups, which this one repeats, and values
  /// that lie in buffers.
  llvm::SetVector<mlir::Value> reloads, bufferReads;
  /// Values that the group computes and other operations need. The group writes them into buffers.
  llvm::SetVector<mlir::Value> bufferWrites;

  mlir::RankedTensorType block() const; ///< the block on which the first item works
  /// True if the group becomes a tiled loop, and is more than loads whose values other groups load
  /// again.
  bool hasLoop() const;
};

/// The placed block on which an item works; null for operations that are not items. With
/// `withReductions`, reductions and writes of buffers are items, too.
mlir::RankedTensorType itemBlock(mlir::Operation *op, bool withReductions);

/// The groups of one basic block, in its order. `dimension` is the place dimension to be tiled.
std::vector<TileGroup> findTileGroups(mlir::Block &block, llvm::StringRef dimension,
                                      bool withReductions);

/// Visits the blocks from which `op` is computed, each of them once, beginning with its operands.
/// `descend` is called for each block, and returns true if the operands of the block's definition
/// are to be visited too.
void walkTree(mlir::Operation *op, llvm::function_ref<bool(mlir::Value)> descend);

} // namespace eft
