// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan of tiling: the groups that are tiled, the sizes of their tiles, and the values that
// groups pass to each other.
#pragma once

#include "compiler/lowering/tiling/TileGroups.h"

namespace eft {

struct TilingOptions {
  llvm::StringRef dimension; ///< "register" or "step"
  int64_t elements = 8;      ///< of a tile in one GPU thread, or of a whole tile on a CPU
  int64_t vectors = 2;       ///< the fewest runs of neighbours in memory that a tile has
  bool splitPrefix = false;  ///< run the tiles inside a prefix mask without the mask
  /// A value that takes more operations than this to compute from loaded values is kept in a
  /// buffer for later groups. Cheaper values are computed again.
  unsigned cheapOperations = 8;
  /// Let loops over blocks of one layout run in turns forwards and backwards, where the order of a
  /// reduction allows that. A loop then begins with the tiles that the loop before it has loaded
  /// last, which caches still hold.
  bool alternate = false;
  bool useBuffers = false; ///< also tile reductions, and groups that need each other's values
};

/// The plan for one basic block.
struct TilingPlan {
  std::vector<TileGroup> groups;
  /// Values that tiled groups need and no tiled group computes. Each is written whole into a
  /// buffer, where it is defined.
  llvm::SetVector<mlir::Value> wholeWrites;
  /// Values of tiled groups that other operations need as whole blocks.
  llvm::SetVector<mlir::Value> wholeReads;
  /// Reads of buffers whose contents change before a group needs the block that was read.
  llvm::SetVector<BufferReadOp> outdated;
};

/// Makes a plan in which `outdated` is empty. A block whose buffer would change too early is first
/// copied to another buffer.
TilingPlan planTiling(mlir::Block &block, const TilingOptions &options);

/// True if every block that a group computes, or reads from a buffer, has tiles of this size. The
/// values in `known` have such tiles, and so do all values from which they are computed. If the
/// result is true, the group's values are added to `known`, because later groups are computed from
/// much the same values.
bool haveTiles(const TileGroup &group, const TiledDimension &steps,
               mlir::DenseSet<mlir::Value> &known);

/// The bytes of memory that a block needs with all its places, copies included.
int64_t bytesOf(mlir::RankedTensorType block);

/// The type of a reduction's source after its steps are combined, and before its tree is folded.
/// Null if the places that remain are no layout of a block of this type.
mlir::RankedTensorType partialType(mlir::RankedTensorType source, unsigned axis,
                                   llvm::StringRef dimension, const ReductionSteps &steps);

} // namespace eft
