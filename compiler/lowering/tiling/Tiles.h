// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One iteration of a tiled loop: the work on a large block becomes work on a small one.
//
// A layout maps the bits of a place to an index. If a place keeps only the low bits of one of its
// dimensions, the places hold a smaller block, the *tile*. Each setting of the dropped bits moves
// the tile by an offset that follows from the layout. So a block of any shape is a set of tiles,
// and an elementwise operation on the block is that operation on each tile.
#pragma once

#include "compiler/ir/LayoutConversion.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// The size of a tile: a place dimension, and the number of its low bits that a tile keeps.
struct TiledDimension {
  llvm::StringRef name;
  unsigned keptBits;
};

/// The type of a tile of a block. Null if the dimension has fewer bits than a tile is to keep, or
/// if the elements of a tile do not form a block.
mlir::RankedTensorType tileType(mlir::RankedTensorType block, const TiledDimension &steps);

/// True for the operations that `Tiles` can do one tile at a time: splat constants, and operations
/// in which each place computes its result from its own elements of the operands.
bool canTile(mlir::Operation *op);

/// Clones operations on blocks as operations on tiles, for one iteration of a tiled loop.
class Tiles {
public:
  /// `step` is the number of the tile, an i32. Clones are inserted at the builder's insertion
  /// point.
  Tiles(mlir::OpBuilder &builder, mlir::Value step, TiledDimension steps)
      : builder(builder), step(step), steps(steps) {}

  /// Returns the tile of `value`. Clones the operations from which the tile is computed. A scalar
  /// is its own tile.
  mlir::Value tileOf(mlir::Value value);

  /// Returns the tile of a value of type `block`, read from a buffer that holds the value without
  /// copies.
  mlir::Value readWithoutCopies(mlir::RankedTensorType block, mlir::Value buffer);
  /// Writes the tile of a value into a buffer that holds the value without copies. Tiles with the
  /// same elements overwrite each other.
  void writeWithoutCopies(mlir::Value value, mlir::Value buffer);

  /// Sets the tile of a value that `tileOf` can't compute.
  void setTile(mlir::Value value, mlir::Value tile) { tiles.map(value, tile); }

  const TiledDimension &tiledDimension() const { return steps; }

  /// Clones an access to memory; its results become tiles. With `dropMask`, the clone has no mask.
  void cloneAccess(MemoryAccessOpInterface access, bool dropMask);

private:
  std::pair<TiledDimension, mlir::Value> tileWithoutCopies(mlir::RankedTensorType block);
  void cloneOp(mlir::Operation *op);
  mlir::Operation *makeTile(mlir::Operation *op);
  mlir::Value tileOfArange(mlir::Operation *op);

  mlir::OpBuilder &builder;
  mlir::Value step;
  TiledDimension steps;
  mlir::IRMapping tiles;
};

} // namespace eft
