// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tiles of a placed block, as work along an axis sees them.
#pragma once

#include "compiler/lowering/tiling/Tiles.h"

#include "llvm/ADT/SmallVector.h"

namespace eft {

/// The tiles of a block of which each holds a run of 2^i neighbours along an axis, starting at a
/// multiple of 2^i. A tile has a number. One bit of it stands for each bit of the axis's index
/// above i, and the others for dimensions beside the axis.
struct AxisTiles {
  TiledDimension dimension;
  unsigned axis;
  mlir::RankedTensorType type;       // of a tile
  unsigned numberBits;               // of a tile's number
  llvm::SmallVector<unsigned> along; // the bits of the number along the axis, the lowest first

  /// The bits of the index along the axis that lie in a tile.
  unsigned indexBits() const { return llvm::Log2_64(uint64_t(type.getDimSize(axis))); }

  /// Tiles of at least `fragments` (a power of two) elements of a thread; nothing if the layout has
  /// none of this form.
  static std::optional<AxisTiles> of(mlir::RankedTensorType block, unsigned axis,
                                     unsigned fragments);
};

/// Emits code that gives bit i of `number` to the bit `bits[i]` of the result.
mlir::Value spreadBits(mlir::ImplicitLocOpBuilder &b, mlir::Value number,
                       llvm::ArrayRef<unsigned> bits);

/// A block in a buffer, of which loops read and write tiles.
class TiledBuffer {
public:
  TiledBuffer(mlir::Value buffer, AxisTiles tiles) : buffer(buffer), tiles(std::move(tiles)) {}

  mlir::Type elementType() const;
  mlir::Value read(mlir::ImplicitLocOpBuilder &b, mlir::Value number) const;
  void write(mlir::ImplicitLocOpBuilder &b, mlir::Value tile, mlir::Value number) const;

private:
  mlir::Value buffer;
  AxisTiles tiles;
};

} // namespace eft
