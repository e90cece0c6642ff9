// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One step of the work on large blocks, as work on small ones.
//
// A layout gives a place's bits to the index. Keep the low bits of one place dimension, and what
// the places then hold is a smaller block, the *tile*; each setting of the other bits moves the
// tile by an offset that follows from the layout. So a block of any shape is a set of tiles, and an
// elementwise operation on the block is that operation on each.
#pragma once

#include "compiler/ir/LayoutConversion.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// Where the steps lie: a place dimension, and how many of its low bits one step keeps.
struct TiledDimension {
  llvm::StringRef name;
  unsigned keptBits;
};

/// The type of one step's part of a block; null if what a step holds is not a block.
mlir::RankedTensorType tileType(mlir::RankedTensorType block, const TiledDimension &steps);

/// The same block with one place for each that `dimension` has for the same elements.
mlir::RankedTensorType withoutCopies(mlir::RankedTensorType block, llvm::StringRef dimension);

/// True for the operations that `Tiles` can do a part of: pure ones that compute each element
/// by itself.
bool canTile(mlir::Operation *op);

/// Clones operations on blocks as operations on the tiles of one step.
class Tiles {
public:
  /// `step` is the number of the step, an i32; all that is cloned goes to `builder`'s place.
  Tiles(mlir::OpBuilder &builder, mlir::Value step, TiledDimension steps)
      : builder(builder), step(step), steps(steps) {}

  /// The tile of `value`, with all that it is computed from. A scalar is its own tile.
  mlir::Value tileOf(mlir::Value value);

  /// The tile of `block` out of a buffer that holds it without copies.
  mlir::Value takeWithoutCopies(mlir::RankedTensorType block, mlir::Value buffer);

  /// Says what the tile of a value is that tiles can't be computed of.
  void setTile(mlir::Value value, mlir::Value tile) { tiles.map(value, tile); }

  const TiledDimension &tiledDimension() const { return steps; }

  /// Clones an access to memory; its results become tiles. If `dropMask`, all of it is accessed.
  void cloneAccess(mlir::Operation *access, bool dropMask);

private:
  mlir::Operation *cloneOp(mlir::Operation *op);
  mlir::Value tileOfArange(mlir::Operation *op);

  mlir::OpBuilder &builder;
  mlir::Value step;
  TiledDimension steps;
  mlir::IRMapping tiles;
};

} // namespace eft
