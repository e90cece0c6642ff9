// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layouts that a GPU's matrix products need.
//
// A tensor core multiplies small tiles, whose elements the 32 lanes of a warp hold together, in
// words of 32 bits. Let a word hold p elements (one of tf32, two halves, four bytes). The
// instruction mma.m16n8k(8p) wants
//
//             register                                lane
//   A         k: 1 … p/2, then row 8, then k 4p       k: p, 2p, then row 1, 2, 4
//   B         k: 1 … p/2, then k 4p                   k: p, 2p, then column 1, 2, 4
//   result    column 1, then row 8                    column 2, 4, then row 1, 2, 4
//
// Bytes have a shorter form with half of k, which lacks the register bit k 4p. Doubles have
// mma.m8n8k4 only: one element a lane, with p = 1, and no register bit but the result's column 1.
//
// The block's layout is made of such tiles: more registers, then warps. The accumulator's is chosen
// first; the factors' follow from it, so that each warp has what it multiplies: a factor's tiles
// are the accumulator's along their common dimension, and all of k in registers.
//
// Where no tensor core computes, an accumulator of small patches is chosen instead: the fewer rows
// and columns a thread's elements lie in, the less it reads.
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

/// The layout of a patch of 128 elements in a warp, four neighbours of a row in each lane; of a
/// block with at least 16 columns.
LinearLayout patchTile(int64_t columns);

/// A block of rows × columns, made of such tiles, over the warps: each of them gets a part that is
/// as square as possible. Warps for which no tile is left hold copies.
LinearLayout accumulatorLayout(const LinearLayout &tile, int64_t rows, int64_t columns,
                               int64_t numWarps);

/// A block of rows × columns, made of such tiles, whose warps lie below each other as far as they
/// have 16 rows each. Four warps take turns with 64 rows; further ones cut all rows into parts. A
/// reduction of the rows then stays inside of a warp, and so does a second product, of which this
/// block is the first factor. Warps beyond the rows share the columns; those for which no tile is
/// left hold copies.
LinearLayout accumulatorLayoutByRows(const LinearLayout &tile, int64_t rows, int64_t columns,
                                     int64_t numWarps);

/// The bits of the accumulator's registers above those of its tile: those that choose a row, and
/// those that choose a column, as numbers of tiles in the order that the lowering counts them.
struct FactorLayouts {
  LinearLayout a, b;
  std::vector<unsigned> rowBits, columnBits;
};

/// The factors' layouts for an accumulator of this layout. Nothing if that is not made of the tile,
/// or has tiles that lie askew.
std::optional<FactorLayouts> factorLayouts(const MatrixTile &tile, const LinearLayout &accumulator,
                                           int64_t k);

} // namespace eft
