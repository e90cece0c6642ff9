// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many steps of a loop lie inside a mask that is a prefix of the block.
#pragma once

#include "compiler/analysis/PrefixMask.h"
#include "compiler/lowering/tiling/Tiles.h"

namespace eft {

/// How to go through a block of which only a prefix is accessed: first in steps that lie inside it,
/// then in finer ones to its end. Numbers of steps, i32.
struct TileBounds {
  mlir::Value inside;             ///< the first so many steps have every element under the mask
  mlir::Value fineStart, fineEnd; ///< the fine steps that hold the other elements under the mask
};

/// Emits the bounds for accesses in steps and fine steps, if all have the same mask, it is a prefix
/// that can be counted, and the steps go through the block from its first element to its last.
std::optional<TileBounds> emitTileBounds(mlir::ImplicitLocOpBuilder &b, const AxisInfos &infos,
                                         llvm::ArrayRef<mlir::Operation *> accesses,
                                         const TiledDimension &steps, const TiledDimension &fine);

} // namespace eft
