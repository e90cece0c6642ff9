// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/layout/MatrixLayouts.h"

#include "compiler/layout/Placement.h"

#include <algorithm>
#include <cassert>

namespace eft {

namespace {

using Bases = std::vector<Coordinates>;

LinearLayout build(const std::vector<PlaceBases> &places, std::span<const int64_t> shape) {
  std::string error;
  std::optional<LinearLayout> layout = LinearLayout::create(places, shape, error);
  assert(layout && "tiles of powers of two make a layout");
  return *layout;
}

LinearLayout tileOf(Bases registers, Bases lanes, std::initializer_list<int64_t> shape) {
  return build({{std::string(place::registers), std::move(registers)},
                {std::string(place::lane), std::move(lanes)}},
               std::vector<int64_t>(shape));
}

/// Exchanges the coordinates of each basis. So the bases of a first factor, whose k is its second
/// dimension, become those of a second factor, whose k is its first dimension.
Bases swapped(Bases bases) {
  for (Coordinates &basis : bases)
    std::swap(basis[0], basis[1]);
  return bases;
}

/// A layout whose only place dimension is `name`, with these bases.
LinearLayout placesOf(std::string_view name, Bases bases, int64_t rows, int64_t columns) {
  return build({{std::string(name), std::move(bases)}}, std::vector<int64_t>{rows, columns});
}

/// A layout whose only place dimension is `name`. Its places hold the elements in row-major order.
LinearLayout along(std::string_view name, int64_t rows, int64_t columns) {
  return LinearLayout::identity(name, std::vector<int64_t>{rows, columns});
}

MatrixTile doubleTile() {
  Bases outerAndK = {{0, 1}, {0, 2}, {1, 0}, {2, 0}, {4, 0}};
  return {tileOf({}, outerAndK, {8, 4}), tileOf({}, swapped(outerAndK), {4, 8}),
          tileOf({{0, 1}}, {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}, {8, 8})};
}

} // namespace

MatrixTile matrixTile(int64_t elementBits, int64_t k) {
  if (elementBits == 64)
    return doubleTile();
  const int64_t perWord = 32 / elementBits;
  const bool isLong = k >= 8 * perWord;
  const int64_t tileK = isLong ? 8 * perWord : 4 * perWord;
  assert(k >= tileK && "a block of at least one tile");
  Bases word, lanes = {{0, perWord}, {0, 2 * perWord}, {1, 0}, {2, 0}, {4, 0}};
  for (int64_t bit = 1; bit < perWord; bit *= 2)
    word.push_back({0, bit});
  Bases a = word, b = word;
  a.push_back({8, 0});
  if (isLong) {
    a.push_back({0, 4 * perWord});
    b.push_back({0, 4 * perWord});
  }
  return {tileOf(a, lanes, {16, tileK}), tileOf(swapped(b), swapped(lanes), {tileK, 8}),
          tileOf({{0, 1}, {8, 0}}, {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}, {16, 8})};
}

LinearLayout patchTile(int64_t columns) {
  assert(columns >= 16 && "a block of at least one patch");
  if (columns == 16)
    return tileOf({{0, 1}, {0, 2}}, {{0, 4}, {0, 8}, {1, 0}, {2, 0}, {4, 0}}, {8, 16});
  return tileOf({{0, 1}, {0, 2}}, {{0, 4}, {0, 8}, {0, 16}, {1, 0}, {2, 0}}, {4, 32});
}

LinearLayout accumulatorLayout(const LinearLayout &tile, int64_t rows, int64_t columns,
                               int64_t numWarps) {
  // The extents of a warp's part; how many parts lie below and beside each other; and how many
  // warps hold the same part.
  int64_t partRows = rows, partColumns = columns, down = 1, across = 1, copies = 1;
  const int64_t tileRows = tile.shape()[0], tileColumns = tile.shape()[1];
  assert(rows % tileRows == 0 && columns % tileColumns == 0 && "a block made of tiles");
  while (down * across * copies < numWarps) {
    const bool canGoDown = partRows > tileRows, canGoAcross = partColumns > tileColumns;
    if (canGoDown && (partRows >= partColumns || !canGoAcross)) {
      partRows /= 2;
      down *= 2;
    } else if (canGoAcross) {
      partColumns /= 2;
      across *= 2;
    } else {
      copies *= 2;
    }
  }
  return tile.product(along(place::registers, 1, partColumns / tileColumns))
      .product(along(place::registers, partRows / tileRows, 1))
      .product(along(place::warp, 1, across))
      .product(along(place::warp, down, 1))
      .product(placesOf(place::warp, Bases(exponentOf(copies), {0, 0}), 1, 1));
}

LinearLayout accumulatorLayoutByRows(const LinearLayout &tile, int64_t rows, int64_t columns,
                                     int64_t numWarps) {
  constexpr int64_t rowsOfWarp = 16, warpsOfGroup = 4;
  const int64_t tileRows = tile.shape()[0], tileColumns = tile.shape()[1];
  assert(rows % tileRows == 0 && columns % tileColumns == 0 && "a block made of tiles");
  const int64_t partRows = std::clamp(rowsOfWarp, tileRows, rows);
  const int64_t down = std::min(numWarps, rows / partRows), group = std::min(down, warpsOfGroup);
  const int64_t across = std::min(numWarps / down, columns / tileColumns);
  const int64_t copies = numWarps / down / across;
  return tile.product(along(place::registers, 1, columns / tileColumns / across))
      .product(along(place::registers, partRows / tileRows, 1))
      .product(along(place::warp, group, 1))
      .product(along(place::registers, rows / partRows / down, 1))
      .product(along(place::warp, down / group, 1))
      .product(along(place::warp, 1, across))
      .product(placesOf(place::warp, Bases(exponentOf(copies), {0, 0}), 1, 1));
}

std::optional<FactorLayouts> factorLayouts(const MatrixTile &tile, const LinearLayout &accumulator,
                                           int64_t k) {
  std::optional<LinearLayout> rest = accumulator.divide(tile.acc);
  const int64_t tileK = tile.a.shape()[1];
  if (!rest || k % tileK != 0 || rest->placeBits(place::lane) != 0)
    return std::nullopt;
  const int64_t rows = rest->shape()[0], columns = rest->shape()[1];
  Bases rowRegisters, columnRegisters, rowWarps, columnWarps;
  std::vector<unsigned> rowBits, columnBits;
  for (unsigned bit = 0; bit < rest->placeBits(place::registers); ++bit) {
    Coordinates basis = rest->basis(place::registers, bit);
    if ((basis[0] == 0) == (basis[1] == 0))
      return std::nullopt;
    (basis[0] ? rowBits : columnBits).push_back(bit);
    (basis[0] ? rowRegisters : columnRegisters).push_back(basis);
  }
  for (unsigned bit = 0; bit < rest->placeBits(place::warp); ++bit) {
    Coordinates basis = rest->basis(place::warp, bit);
    rowWarps.push_back({basis[0], 0});
    columnWarps.push_back({0, basis[1]});
  }
  // A factor repeats its tile along the dimension that it shares with the accumulator, in the same
  // registers and warps.
  auto tiles = [](const Bases &registers, const Bases &warps, int64_t rowExtent,
                  int64_t columnExtent) {
    return build({{std::string(place::registers), registers}, {std::string(place::warp), warps}},
                 std::vector<int64_t>{rowExtent, columnExtent});
  };
  auto steps = [&](int64_t rowExtent, int64_t columnExtent) {
    return LinearLayout::identity(place::registers, std::vector<int64_t>{rowExtent, columnExtent});
  };
  return FactorLayouts{
      tile.a.product(steps(1, k / tileK)).product(tiles(rowRegisters, rowWarps, rows, 1)),
      tile.b.product(steps(k / tileK, 1)).product(tiles(columnRegisters, columnWarps, 1, columns)),
      std::move(rowBits), std::move(columnBits)};
}

} // namespace eft
