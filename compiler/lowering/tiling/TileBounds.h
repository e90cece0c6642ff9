// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The number of a loop's tiles that lie inside a mask, where the mask is a prefix of the block.
#pragma once

#include "compiler/analysis/PrefixMask.h"
#include "compiler/lowering/tiling/Tiles.h"

namespace eft {

/// The bounds of two loops over a block of which only a prefix is accessed. The first loop runs the
/// tiles that lie inside the prefix. The second runs finer tiles from there to the prefix's end.
/// All bounds are numbers of tiles, as i32.
struct TileBounds {
  mlir::Value inside; ///< the number of leading tiles in which the mask is true throughout
  mlir::Value fineStart, fineEnd; ///< the range of fine tiles with the rest of the prefix
};

/// Emits the bounds for tiles of the size `steps` and fine tiles of the size `fine`. Returns
/// nothing unless three conditions hold: all accesses have the same mask, that mask is a prefix
/// whose length can be computed, and tiles of both sizes are numbered in the order of the block's
/// elements.
std::optional<TileBounds> emitTileBounds(mlir::ImplicitLocOpBuilder &b, const AxisInfos &infos,
                                         llvm::ArrayRef<mlir::Operation *> accesses,
                                         const TiledDimension &steps, const TiledDimension &fine);

} // namespace eft
