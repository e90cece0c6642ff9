// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layouts that a GPU's matrix products need.
//
// A tensor core multiplies small tiles. The 32 lanes of a warp hold a tile together, in words of 32
// bits. Let a word hold p elements: one of tf32, two of 16 bits, or four of 8 bits. The instruction
// mma.m16n8k(8p) requires these layouts. The table lists what each register bit and each lane bit
// adds to the index, the lowest bit first:
//
//             register                                lane
//   A         k: 1 … p/2, then row 8, then k 4p       k: p, 2p, then row 1, 2, 4
//   B         k: 1 … p/2, then k 4p                   k: p, 2p, then column 1, 2, 4
//   result    column 1, then row 8                    column 2, 4, then row 1, 2, 4
//
// If k has only half of 8p elements, as for bytes with k = 16, a shorter form of the instruction is
// used. It lacks the register bit k 4p. For doubles there is only mma.m8n8k4: a lane holds one
// element of each factor (p = 1), and the only register bit is the result's column 1.
//
// The layout of a whole block repeats the tile in further registers, then over the warps. The
// accumulator's layout is chosen first. The factors' layouts follow from it, so that each warp
// holds what it multiplies: along the dimension that a factor shares with the accumulator, its
// tiles lie in the same registers and warps. Along k, all tiles lie in registers.
//
// If no tensor core computes the product, the accumulator is made of small patches instead. The
// fewer rows and columns a thread's elements lie in, the fewer elements of the factors the thread
// reads.
#pragma once

#include "compiler/layout/LinearLayout.h"

namespace eft {

/// The layouts (register, lane) of one instruction's factors and of its result.
struct MatrixTile {
  LinearLayout a, b, acc;
};

/// The tile of factors whose elements have 8, 16, 32 (tf32) or 64 bits; the longest along k that
/// fits into `k`.
MatrixTile matrixTile(int64_t elementBits, int64_t k);

/// The layout of a patch of 128 elements in one warp, with four neighbours of a row in each lane.
/// `columns` is the number of columns of the whole block, at least 16. For 16 columns a patch has 8
/// × 16 elements, for more columns 4 × 32.
LinearLayout patchTile(int64_t columns);

/// The layout of a block of rows × columns that is made of tiles in the layout `tile`. Each warp
/// gets a part that is as square as possible. Warps for which no tile is left hold copies.
LinearLayout accumulatorLayout(const LinearLayout &tile, int64_t rows, int64_t columns,
                               int64_t numWarps);

/// The layout of a block of rows × columns that is made of tiles in the layout `tile`, with the
/// warps below each other. Each warp has 16 rows at a time, and four warps together have 64
/// consecutive rows at a time. If there are more than four warps, each group of four has a part of
/// the block, of consecutive rows. So a reduction of a row stays inside a warp, and so does a
/// second product whose first factor is this block. But if there are more warps than parts of 16
/// rows, several warps have the same rows and divide the columns among themselves. Warps for which
/// no tile is left hold copies.
LinearLayout accumulatorLayoutByRows(const LinearLayout &tile, int64_t rows, int64_t columns,
                                     int64_t numWarps);

/// The factors' layouts, and the accumulator's register bits above those of its tile. These bits
/// are numbered from 0, in the order in which the lowering counts tiles: `rowBits` are those that
/// choose a row, `columnBits` those that choose a column.
struct FactorLayouts {
  LinearLayout a, b;
  std::vector<unsigned> rowBits, columnBits;
};

/// Returns the factors' layouts for an accumulator of this layout. Returns nothing if the
/// accumulator is not made of the tile, if `k` is no multiple of the tile's k, or if a register bit
/// above the tile's changes both row and column, or neither.
std::optional<FactorLayouts> factorLayouts(const MatrixTile &tile, const LinearLayout &accumulator,
                                           int64_t k);

} // namespace eft
