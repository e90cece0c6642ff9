// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which groups are done in steps, how large the steps are, and what groups leave for each other.
#pragma once

#include "compiler/lowering/tiling/TileGroups.h"

namespace eft {

struct TilingOptions {
  llvm::StringRef dimension; ///< "register" or "step"
  int64_t elements = 8;      ///< that a step holds at each place
  int64_t vectors = 2;       ///< runs of neighbours in memory that a step holds at least
  bool splitPrefix = false;  ///< run the steps inside a prefix mask without it
  bool useBuffers = false;   ///< split groups that need each other's values
};

/// The plan for one straight line of code.
struct TilingPlan {
  std::vector<TileGroup> groups;
  /// Values from no split group that are put into buffers where they are defined.
  llvm::SetVector<mlir::Value> wholeWrites;
  /// Values of split groups that are also needed as wholes.
  llvm::SetVector<mlir::Value> wholeReads;
  /// Blocks from buffers that have changed by the time that a group needs them.
  llvm::SetVector<BufferReadOp> outdated;
};

/// Makes a plan in which nothing is outdated; to that end, copies blocks between buffers.
TilingPlan planTiling(mlir::Block &block, const TilingOptions &options);

/// Whether every block that a group computes, or takes, has tiles of such steps.
bool haveTiles(const TileGroup &group, const TiledDimension &steps);

/// What all places of a block take in memory.
int64_t bytesOf(mlir::RankedTensorType block);

/// The block of what is left of a reduction's source when its steps are combined, and only they.
mlir::RankedTensorType partialType(mlir::RankedTensorType source, unsigned axis,
                                   llvm::StringRef dimension, const ReductionSteps &steps);

} // namespace eft
