// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The number of tiles of a loop that lie inside a mask that is a prefix of the block.
#pragma once

#include "compiler/analysis/PrefixMask.h"
#include "compiler/lowering/tiling/Tiles.h"

namespace eft {

/// The bounds of the loops over a block of which only a prefix is accessed. The first loop runs the
/// tiles inside the prefix, the second runs finer tiles up to its end. Numbers of tiles, as i32.
struct TileBounds {
  mlir::Value inside;             ///< number of leading tiles in which the mask is true throughout
  mlir::Value fineStart, fineEnd; ///< the fine tiles that have the prefix's other elements
};

/// Emits the bounds for accesses in tiles and in fine tiles. Returns nothing unless all accesses
/// have the same mask, that is a prefix which can be counted, and the tiles go through the block
/// from its first element to its last.
std::optional<TileBounds> emitTileBounds(mlir::ImplicitLocOpBuilder &b, const AxisInfos &infos,
                                         llvm::ArrayRef<mlir::Operation *> accesses,
                                         const TiledDimension &steps, const TiledDimension &fine);

} // namespace eft
