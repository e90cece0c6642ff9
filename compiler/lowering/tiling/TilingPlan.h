// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan of tiling: the groups that are tiled, the sizes of their tiles, and the values that
// groups pass to each other.
#pragma once

#include "compiler/lowering/tiling/TileGroups.h"

namespace eft {

struct TilingOptions {
  llvm::StringRef dimension; ///< "register" or "step"
  int64_t elements = 8;      ///< of a tile at each place
  int64_t vectors = 2;       ///< the fewest runs of neighbours in memory in a tile
  bool splitPrefix = false;  ///< run the tiles inside a prefix mask without it
  bool useBuffers = false;   ///< tile groups that need each other's values
};

/// The plan for one straight line of code.
struct TilingPlan {
  std::vector<TileGroup> groups;
  /// Values from no tiled group that are written into buffers where they are defined.
  llvm::SetVector<mlir::Value> wholeWrites;
  /// Values of tiled groups that are also needed as wholes.
  llvm::SetVector<mlir::Value> wholeReads;
  /// Blocks from buffers that have changed by the time that a group needs them.
  llvm::SetVector<BufferReadOp> outdated;
};

/// Makes a plan in which nothing is outdated. To that end it copies blocks between buffers.
TilingPlan planTiling(mlir::Block &block, const TilingOptions &options);

/// True if every block that a group computes, or reads from a buffer, has tiles of this size.
/// Values in `known` have them, and so have all that they are computed from. If it is true, the
/// group's are added: later groups begin with much the same values.
bool haveTiles(const TileGroup &group, const TiledDimension &steps,
               mlir::DenseSet<mlir::Value> &known);

/// The bytes that all places of a block need in memory.
int64_t bytesOf(mlir::RankedTensorType block);

/// The block that is left of a reduction's source when its steps are combined, but its tree is not
/// folded yet.
mlir::RankedTensorType partialType(mlir::RankedTensorType source, unsigned axis,
                                   llvm::StringRef dimension, const ReductionSteps &steps);

} // namespace eft
