// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads of matrix tiles from shared memory, with a GPU's instruction `ldmatrix`.
//
// The instruction reads up to four matrices of eight rows, 16 bytes a row. Lane 8m + r gives the
// address of row r of matrix m, and every lane gets one word of 4 bytes of each matrix:
//
//   plain        word w of row r goes to lane 4r + w
//   transposed   elements e of the rows 2w and 2w + 1 go to lane 4e + w, side by side in its word;
//                only for elements of 2 bytes
//
// So `ldmatrix` acts as a plain load of 16 bytes per lane, in which each lane reads one row,
// followed by a fixed exchange between the lanes of the warp. Take the layout that the result
// should have. The table lists its bits that select an element inside a row, and its bits that
// select a row:
//
//                 elements of a row                             rows
//   plain         register bits inside a word, lane 1, 2        lane 4, 8, 16
//   transposed    lane 4, 8, 16                                 register 1, lane 1, 2
//
// The next two register bits select the matrix. The layout in shared memory is chosen for the plain
// load. All that SharedLayout.h says about banks applies to that load.
#pragma once

#include "compiler/layout/SharedLayout.h"

namespace eft {

struct MatrixLoad {
  /// The places (register, lane, warp) of the plain load. Its lowest register bits select an
  /// element inside a row. Its other register bits are those of the wanted layout above the lowest
  /// `wordBits + matrixBits`.
  LinearLayout rows;
  bool isTransposed = false;
  unsigned wordBits = 0;   ///< a lane gets 2^wordBits elements of each matrix
  unsigned matrixBits = 0; ///< 2^matrixBits matrices, at most four, are read at once

  /// Whether the elements of each row are neighbours in shared memory, in the same order.
  bool fits(const SharedLayout &shared) const;
};

/// Returns the ways in which `ldmatrix` reads elements of `elementBytes` into the places of
/// `wanted` (register, lane, warp): the plain form, and the transposed form for elements of 2
/// bytes. Empty if there is none.
std::vector<MatrixLoad> matrixLoads(const LinearLayout &wanted, unsigned elementBytes);

/// A shared layout, and how it is read: with `ldmatrix`, or with plain loads if `matrices` is
/// empty.
struct SharedOrder {
  SharedLayout layout;
  std::optional<MatrixLoad> matrices;
};

/// Returns the cheapest shared layout for elements of `elementBytes` that are written in the places
/// of `from` and read in those of `wanted`.
SharedOrder chooseSharedOrder(const LinearLayout &from, const LinearLayout &wanted,
                              unsigned elementBytes);

/// Returns how to read, in the places of `wanted`, a block whose order in shared memory is already
/// fixed: `order` maps each offset to its index.
SharedOrder readSharedOrder(const LinearLayout &order, const LinearLayout &wanted,
                            unsigned elementBytes);

} // namespace eft
