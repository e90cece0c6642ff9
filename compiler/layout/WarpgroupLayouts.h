// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layouts of matrix products that four warps compute together, with the instruction `wgmma`.
//
// A *warpgroup* is four consecutive warps, of which the first has a number that is a multiple of
// four. One instruction multiplies 64 rows by up to 256 columns. Each warp of the group gets 16
// rows of the result. Inside a warp, they lie as in the tiles of `mma.sync` (MatrixLayouts.h):
//
//             register                       lane                       warp
//   result    column 1, row 8, column 8 …    column 2, 4, row 1, 2, 4   row 16, 32
//
// The second factor lies in shared memory, the first factor in shared memory or in registers. The
// *outer* dimension of a factor is the one that is not k. In shared memory, a factor is divided
// into rows along one of its two dimensions. A row has 128, 64 or 32 bytes: the whole extent of
// that dimension, or 128 bytes of it. The low offset bits select an element inside a row. The next
// bits select a row by its index along the other dimension. If the dimension of the rows is longer
// than a row, the highest bits select a part of it:
//
//   offset bits    inside a row     the other dimension      the rest of the rows' dimension
//
// A swizzle moves chunks of 16 bytes that lie below each other into different banks. The bits from
// 4 on of a byte's address are replaced by their exclusive or with the bits from 7 on: three bits
// for rows of 128 bytes, two for 64, one for 32. This pattern repeats every eight rows, so a shared
// slot begins at a multiple of eight rows. The instruction gets the order of a factor as a
// *descriptor*: the address where the factor begins, its swizzle, and two distances.
#pragma once

#include "compiler/layout/LinearLayout.h"

namespace eft {

inline constexpr int64_t warpsPerGroup = 4;

/// Returns the layout (register, lane, warp) of a product of rows × columns over the warps. Returns
/// nothing unless each warpgroup gets at least one whole instruction, of 64 rows × 8 columns.
std::optional<LinearLayout> warpgroupAccumulator(int64_t rows, int64_t columns, int64_t numWarps);

/// The instructions by which a warpgroup computes its part of an accumulator. Instruction number n
/// computes the tile in row n / acrossTiles and column n % acrossTiles of that part. Its result
/// lies in columns / 2 registers, from register n · columns / 2 on.
struct WarpgroupTiles {
  int64_t columns;     ///< the columns that one instruction computes
  int64_t acrossTiles; ///< the number of instructions along the columns
  int64_t downTiles;   ///< the number of instructions along the rows
};

/// Returns the instructions for an accumulator of this layout; nothing if `warpgroupAccumulator`
/// does not make such a layout.
std::optional<WarpgroupTiles> warpgroupTiles(const LinearLayout &accumulator);

/// Returns the order (offset → index) of a block of two dimensions in shared memory for `wgmma`,
/// with rows along the dimension `along`. The block must have at least 32 bytes along that
/// dimension, and at least 8 elements along the other one.
LinearLayout warpgroupOrder(std::span<const int64_t> shape, unsigned along, int64_t elementBytes);

/// Returns the dimension along which `warpgroupOrder` should have rows for a block that threads
/// write in the places (register, lane, warp) of `from`. It is the dimension along which a thread
/// holds more neighbours, so that it writes many at once. If a thread holds equally many along
/// both, it is the dimension along which the lanes hold more. If elements do not have 2 bytes, it
/// is always `k`, because the instruction reads such elements only with rows along k.
unsigned rowsForWarpgroups(const LinearLayout &from, int64_t elementBytes, unsigned k);

/// Returns the places (register, lane, warp) in which threads read a block whose neighbours in
/// shared memory lie along the outer dimension, and write it with rows along `k`. Elements have one
/// or four bytes. A thread's lowest registers hold 16 bytes along k, or 8 or 4 if the block is too
/// small for 16. Its next registers hold four neighbours along the outer dimension of each of these
/// elements, so that the thread reads 4 bytes or more at once. With rows of 128 bytes, lanes that
/// write together use different banks. With rows of 64 bytes two of these lanes meet in a bank,
/// with rows of 32 bytes four. Returns nothing if the block is too small for this.
std::optional<LinearLayout> rewritingPlaces(std::span<const int64_t> shape, unsigned k,
                                            int64_t elementBytes, int64_t numWarps);
/// Returns `rewritingPlaces` without the register bits along k, and without the outer dimension's
/// register bits beyond the four neighbours. The remaining registers of a thread hold the elements
/// that it reads at once.
LinearLayout readAtOnce(const LinearLayout &rewritingPlaces, unsigned k);

/// Returns the dimension along which an order that `warpgroupOrder` made has its rows; nothing for
/// other orders.
std::optional<unsigned> rowsOfWarpgroupOrder(const LinearLayout &order, int64_t elementBytes);

/// Returns the descriptor of a factor in the order `warpgroupOrder(shape, along, elementBytes)`,
/// without the address. `isAlongK` tells whether the rows lie along k or along the outer dimension.
uint64_t warpgroupDescriptor(std::span<const int64_t> shape, unsigned along, bool isAlongK,
                             int64_t elementBytes);

} // namespace eft
