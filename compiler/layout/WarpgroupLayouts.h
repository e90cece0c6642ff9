// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layouts of matrix products that four warps compute together, with the instruction `wgmma`.
//
// A *warpgroup* is four warps of which four divides the first one's number. One instruction
// multiplies 64 rows by up to 256 columns. Each warp of the group gets 16 rows of the result, which
// lie in its lanes as the tiles of `mma.sync` do (MatrixLayouts.h):
//
//             register                       lane                       warp
//   result    column 1, row 8, column 8 …    column 2, 4, row 1, 2, 4   row 16, 32
//
// The second factor lies in shared memory, the first one there or in registers. Let the *outer*
// dimension of a factor be the one that is not k. Shared memory has rows of 128, 64 or 32 bytes
// along either dimension (as many bytes as the block has, at most 128), then all of the other
// dimension, then what is left of the first:
//
//   offset bits    inside a row     the other dimension      further rows' parts
//
// A swizzle keeps the rows' parts of 16 bytes from each other's banks: the bits 4 … of an address
// are changed by exclusive or with its bits 7 …, three bits for rows of 128 bytes, two for 64, one
// for 32. So a slot begins at a multiple of eight rows. The hardware knows these orders by a
// *descriptor*: where the factor begins, how it is swizzled, and two distances.
#pragma once

#include "compiler/layout/LinearLayout.h"

namespace eft {

inline constexpr int64_t warpsPerGroup = 4;

/// The layout (register, lane, warp) of a product of rows × columns over the warps. Nothing if
/// there is no whole instruction for each warpgroup.
std::optional<LinearLayout> warpgroupAccumulator(int64_t rows, int64_t columns, int64_t numWarps);

/// The instructions by which a warpgroup computes its part of an accumulator. Instruction number
/// row · acrossTiles + column has the registers from that number times columns / 2 on.
struct WarpgroupTiles {
  int64_t columns;     ///< the columns that one instruction computes
  int64_t acrossTiles; ///< the number of instructions along the columns
  int64_t downTiles;   ///< the number of instructions along the rows
};

/// The instructions for an accumulator of this layout; nothing if it is not one of
/// `warpgroupAccumulator`.
std::optional<WarpgroupTiles> warpgroupTiles(const LinearLayout &accumulator);

/// The order (offset → index) of a block of two dimensions in shared memory for `wgmma`, with rows
/// along the dimension `along`. Each extent must be at least 16, and 32 bytes along `along`.
LinearLayout warpgroupOrder(std::span<const int64_t> shape, unsigned along, int64_t elementBytes);

/// The dimension along which `warpgroupOrder` is to have rows for a block that threads write in the
/// places (register, lane, warp) of `from`: the one along which a thread holds neighbours, so that
/// it writes many at once, or, if no thread does, along which lanes hold neighbours. Elements that
/// have not 2 bytes are read with rows along `k` alone.
unsigned rowsForWarpgroups(const LinearLayout &from, int64_t elementBytes, unsigned k);

/// The places (register, lane, warp) in which threads read a block whose neighbours lie along the
/// outer dimension, and write it with rows along `k`, for elements of one or four bytes. In its
/// lowest registers a thread has 16 bytes along k, or 8 or 4 if there are too few, then four
/// neighbours of each. So it reads words or more. In rows of 128 bytes, lanes that write together
/// are in different banks; in rows of 64 bytes two meet in one, in rows of 32 bytes four. Nothing
/// for blocks too small for that.
std::optional<LinearLayout> rewritingPlaces(std::span<const int64_t> shape, unsigned k,
                                            int64_t elementBytes, int64_t numWarps);
/// Of these places, those of what a thread reads at once.
LinearLayout readAtOnce(const LinearLayout &rewritingPlaces, unsigned k);

/// The dimension along which an order of `warpgroupOrder` has its rows; nothing for other orders.
std::optional<unsigned> rowsOfWarpgroupOrder(const LinearLayout &order, int64_t elementBytes);

/// All of the descriptor but the address, for an order of `warpgroupOrder` whose rows lie along k
/// or along the outer dimension.
uint64_t warpgroupDescriptor(std::span<const int64_t> shape, unsigned along, bool isAlongK,
                             int64_t elementBytes);

} // namespace eft
