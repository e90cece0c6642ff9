// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/tiling/AxisTiles.h"

#include "compiler/layout/Placement.h"
#include "compiler/lowering/LinearCode.h"

using namespace mlir;

namespace eft {

namespace {

/// The bits of a tile's number that move the tile along the axis, the lowest first. Nothing if some
/// bit of the number does not move the tile along one dimension alone, or not by a power of two of
/// at least a tile's extent along the axis.
std::optional<SmallVector<unsigned>> bitsAlong(const LinearLayout &layout, const AxisTiles &tiles) {
  const unsigned inTile = tiles.indexBits();
  constexpr unsigned none = ~0u;
  SmallVector<unsigned> along(llvm::Log2_64(uint64_t(layout.shape()[tiles.axis])) - inTile, none);
  for (unsigned bit = 0; bit < tiles.numberBits; ++bit) {
    Coordinates basis = layout.basis(tiles.dimension.name, tiles.dimension.keptBits + bit);
    if (llvm::count_if(basis, [](int64_t each) { return each != 0; }) > 1)
      return std::nullopt;
    const int64_t image = basis[tiles.axis];
    if (image == 0)
      continue;
    if (!isPowerOfTwo(image) || exponentOf(image) < inTile)
      return std::nullopt;
    along[exponentOf(image) - inTile] = bit;
  }
  if (llvm::is_contained(along, none))
    return std::nullopt;
  return along;
}

} // namespace

std::optional<AxisTiles> AxisTiles::of(RankedTensorType block, unsigned axis, unsigned fragments) {
  const LinearLayout layout = *layoutOf(block);
  const unsigned allBits = layout.placeBits(place::registers);
  for (unsigned kept = llvm::Log2_32(fragments); kept < allBits; ++kept) {
    AxisTiles tiles = {{place::registers, kept}, axis, {}, allBits - kept, {}};
    tiles.type = tileType(block, tiles.dimension);
    if (!tiles.type)
      continue;
    if (std::optional<SmallVector<unsigned>> along = bitsAlong(layout, tiles)) {
      tiles.along = *std::move(along);
      return tiles;
    }
  }
  return std::nullopt;
}

Value spreadBits(ImplicitLocOpBuilder &b, Value number, ArrayRef<unsigned> bits) {
  SmallVector<int64_t> images;
  for (unsigned bit : bits)
    images.push_back(int64_t(1) << bit);
  return emitLinearMap(b, number, images);
}

Type TiledBuffer::elementType() const {
  return cast<BufferType>(buffer.getType()).getBlock().getElementType();
}

Value TiledBuffer::read(ImplicitLocOpBuilder &b, Value number) const {
  return b.create<BufferReadOp>(withElementType(tiles.type, elementType()), buffer, number,
                                /*elements=*/LayoutAttr(), /*flipped=*/IntegerAttr());
}

void TiledBuffer::write(ImplicitLocOpBuilder &b, Value tile, Value number) const {
  b.create<BufferWriteOp>(tile, buffer, number);
}

} // namespace eft
