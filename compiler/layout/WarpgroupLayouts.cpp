// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/layout/WarpgroupLayouts.h"

#include "compiler/layout/MatrixLayouts.h"
#include "compiler/layout/Placement.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace eft {

namespace {

constexpr int64_t rowsOfInstruction = 64, maxColumns = 256, minColumns = 8;
/// The number of neighbours along the outer dimension that a thread reads at once to rewrite them.
constexpr int64_t acrossAtOnce = 4;
constexpr int64_t maxRowBytes = 128, minRowBytes = 32, chunkBytes = 16, rowsOfPattern = 8;

/// The parts of a product, one for each warpgroup.
struct Parts {
  int64_t rows, columns; // the extents of one part
  int64_t down = 1, across = 1;

  static std::optional<Parts> cut(int64_t rows, int64_t columns, int64_t numWarps) {
    Parts parts{rows, columns};
    if (numWarps % warpsPerGroup != 0 || rows < rowsOfInstruction || columns < minColumns)
      return std::nullopt;
    while (parts.down * parts.across < numWarps / warpsPerGroup) {
      if (parts.rows > rowsOfInstruction) {
        parts.rows /= 2;
        parts.down *= 2;
      } else if (parts.columns > minColumns) {
        parts.columns /= 2;
        parts.across *= 2;
      } else {
        return std::nullopt;
      }
    }
    return parts;
  }

  int64_t columnsOfInstruction() const { return std::min(columns, maxColumns); }
};

int64_t rowBytes(int64_t extent, int64_t elementBytes) {
  return std::min(extent * elementBytes, maxRowBytes);
}

/// The places for threads that write `bytesAtOnce` bytes of a row at once; nothing if the block is
/// too small.
std::optional<LinearLayout> rewritingPlaces(std::span<const int64_t> shape, unsigned k,
                                            int64_t elementBytes, int64_t numWarps,
                                            int64_t bytesAtOnce) {
  std::vector<int64_t> left(shape.begin(), shape.end());
  LinearLayout places = LinearLayout::unit(2);
  // Assigns up to `count` places to dimension `dim` of the block, and returns how many it assigned.
  auto take = [&](std::string_view place, unsigned dim, int64_t count) {
    count = std::min(count, left[dim]);
    std::vector<int64_t> extents(2, 1);
    extents[dim] = count;
    places = places.product(LinearLayout::identity(place, extents));
    left[dim] /= count;
    return count;
  };
  const int64_t along = take(place::registers, k, bytesAtOnce / elementBytes);
  const int64_t across = take(place::registers, 1 - k, acrossAtOnce);
  // In rows of 128 bytes, the swizzle moves chunk c (16 bytes) of row r to chunk c xor (r mod 8).
  // So 64 bytes of row r and the same 64 bytes of row r + 4 lie in different banks.
  int64_t lanes = take(place::lane, k, maxRowBytes / 2 / bytesAtOnce);
  lanes *= take(place::lane, 1 - k, lanesPerWarp / lanes);
  lanes *= take(place::lane, k, lanesPerWarp / lanes);
  int64_t warps = take(place::warp, 1 - k, numWarps);
  warps *= take(place::warp, k, numWarps / warps);
  take(place::registers, k, left[k]);
  take(place::registers, 1 - k, left[1 - k]);
  const bool isFull = across == acrossAtOnce && along * elementBytes == bytesAtOnce &&
                      lanes == lanesPerWarp && warps == numWarps;
  return isFull ? std::optional(places) : std::nullopt;
}

} // namespace

std::optional<LinearLayout> warpgroupAccumulator(int64_t rows, int64_t columns, int64_t numWarps) {
  std::optional<Parts> parts = Parts::cut(rows, columns, numWarps);
  if (!parts)
    return std::nullopt;
  const LinearLayout tile = matrixTile(16, 16).acc;
  auto along = [](std::string_view name, int64_t rowExtent, int64_t columnExtent) {
    return LinearLayout::identity(name, std::vector<int64_t>{rowExtent, columnExtent});
  };
  const int64_t width = parts->columnsOfInstruction();
  return tile.product(along(place::registers, 1, width / tile.shape()[1]))
      .product(along(place::warp, warpsPerGroup, 1))
      .product(along(place::registers, 1, parts->columns / width))
      .product(along(place::registers, parts->rows / rowsOfInstruction, 1))
      .product(along(place::warp, 1, parts->across))
      .product(along(place::warp, parts->down, 1));
}

std::optional<WarpgroupTiles> warpgroupTiles(const LinearLayout &accumulator) {
  const std::vector<int64_t> shape = accumulator.shape();
  if (shape.size() != 2)
    return std::nullopt;
  const int64_t numWarps = int64_t(1) << accumulator.placeBits(place::warp);
  std::optional<LinearLayout> expected = warpgroupAccumulator(shape[0], shape[1], numWarps);
  if (!expected || !(*expected == accumulator))
    return std::nullopt;
  const Parts parts = *Parts::cut(shape[0], shape[1], numWarps);
  const int64_t width = parts.columnsOfInstruction();
  return WarpgroupTiles{width, parts.columns / width, parts.rows / rowsOfInstruction};
}

LinearLayout warpgroupOrder(std::span<const int64_t> shape, unsigned along, int64_t elementBytes) {
  assert(shape.size() == 2 && along < 2 && "a block of two dimensions");
  const int64_t bytes = rowBytes(shape[along], elementBytes), width = bytes / elementBytes;
  assert(bytes >= minRowBytes && shape[1 - along] >= rowsOfPattern && "a whole pattern");
  auto part = [&](int64_t alongExtent, int64_t otherExtent) {
    std::vector<int64_t> extents(2);
    extents[along] = alongExtent;
    extents[1 - along] = otherExtent;
    return LinearLayout::identity(place::offset, extents);
  };
  const LinearLayout plain =
      part(width, 1).product(part(1, shape[1 - along])).product(part(shape[along] / width, 1));
  // The swizzle changes the offset bits that select a chunk of a row.
  const unsigned firstChunk = exponentOf(chunkBytes / elementBytes);
  const unsigned firstRow = exponentOf(maxRowBytes / elementBytes);
  std::vector<uint64_t> columns;
  for (unsigned bit = 0; bit < plain.source().bits(); ++bit) {
    uint64_t offset = uint64_t(1) << bit;
    if (bit >= firstRow && bit - firstRow < unsigned(exponentOf(bytes / chunkBytes)))
      offset |= uint64_t(1) << (firstChunk + bit - firstRow);
    columns.push_back(plain.applyPacked(offset));
  }
  return LinearLayout::fromColumns(plain.source(), plain.target(), std::move(columns));
}

unsigned rowsForWarpgroups(const LinearLayout &from, int64_t elementBytes, unsigned k) {
  if (elementBytes != 2)
    return k;
  // If neighbouring lanes hold neighbours in one row, each lane writes its elements to a bank of
  // its own. If they hold elements of different rows, several lanes write to one bank.
  auto run = [&](unsigned dim) {
    return std::pair(from.contiguousAlong(place::registers, dim),
                     from.contiguousAlong(place::lane, dim));
  };
  return run(0) > run(1) ? 0 : 1;
}

std::optional<LinearLayout> rewritingPlaces(std::span<const int64_t> shape, unsigned k,
                                            int64_t elementBytes, int64_t numWarps) {
  // If the block is too small for 16 bytes of each row in every thread, threads get 8 or 4.
  constexpr int64_t wordBytes = 4;
  for (int64_t bytes = chunkBytes; bytes >= wordBytes; bytes /= 2)
    if (auto places = rewritingPlaces(shape, k, elementBytes, numWarps, bytes))
      return places;
  return std::nullopt;
}

LinearLayout readAtOnce(const LinearLayout &rewritingPlaces, unsigned k) {
  std::vector<PlaceBases> places = rewritingPlaces.bases();
  std::erase_if(places.front().bases, [&](const Coordinates &basis) {
    return basis[1 - k] == 0 || basis[1 - k] >= acrossAtOnce;
  });
  std::string error;
  return *LinearLayout::create(places, rewritingPlaces.shape(), error);
}

std::optional<unsigned> rowsOfWarpgroupOrder(const LinearLayout &order, int64_t elementBytes) {
  const std::vector<int64_t> shape = order.shape();
  if (shape.size() != 2)
    return std::nullopt;
  for (unsigned along = 0; along < 2; ++along) {
    const bool isPossible = shape[along] * elementBytes >= minRowBytes &&
                            shape[1 - along] >= rowsOfPattern && elementBytes <= chunkBytes;
    if (isPossible && warpgroupOrder(shape, along, elementBytes) == order)
      return along;
  }
  return std::nullopt;
}

uint64_t warpgroupDescriptor(std::span<const int64_t> shape, unsigned along, bool isAlongK,
                             int64_t elementBytes) {
  const int64_t bytes = rowBytes(shape[along], elementBytes);
  // `stride` is the distance from eight rows to the next eight, `leading` the distance from one
  // part of the rows to the next part. If rows lie along k, an instruction reads no more than one
  // row, and `leading` has no meaning.
  const uint64_t stride = rowsOfPattern * bytes;
  const uint64_t leading = isAlongK ? chunkBytes : shape[1 - along] * bytes;
  const uint64_t swizzle = bytes == 128 ? 1 : bytes == 64 ? 2 : 3;
  constexpr unsigned unitBits = 4; // distances are in units of 16 bytes
  return leading >> unitBits << 16 | stride >> unitBits << 32 | swizzle << 62;
}

} // namespace eft
