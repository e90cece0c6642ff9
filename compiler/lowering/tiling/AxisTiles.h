// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tiles of a placed block for operations along an axis: scans and sorts.
#pragma once

#include "compiler/lowering/tiling/Tiles.h"

#include "llvm/ADT/SmallVector.h"

namespace eft {

/// Tiles that hold runs of 2^i neighbours along an axis, each run from a multiple of 2^i on. Every
/// bit of a tile's number moves the tile along one dimension by a power of two. For each bit of the
/// coordinate along the axis, from bit i on, one bit of the number moves the tile by that bit. The
/// other bits of the number move it along other dimensions.
struct AxisTiles {
  TiledDimension dimension;
  unsigned axis;
  mlir::RankedTensorType type;       // the type of a tile
  unsigned numberBits;               // the number of bits of a tile's number
  llvm::SmallVector<unsigned> along; // the bits of the number along the axis, the lowest first

  /// The number i of bits of the coordinate along the axis that lie inside a tile.
  unsigned indexBits() const { return llvm::Log2_64(uint64_t(type.getDimSize(axis))); }

  /// The smallest tiles of this form with at least `fragments` (a power of two) elements of each
  /// thread; nothing if the layout has none.
  static std::optional<AxisTiles> of(mlir::RankedTensorType block, unsigned axis,
                                     unsigned fragments);
};

/// Emits code that moves bit i of `number` to bit `bits[i]` of the result.
mlir::Value spreadBits(mlir::ImplicitLocOpBuilder &b, mlir::Value number,
                       llvm::ArrayRef<unsigned> bits);

/// A block in a buffer, whose tiles loops read and write.
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
