// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading shared memory by the tile, with a GPU's instruction `ldmatrix`.
//
// The instruction reads up to four matrices of eight rows, 16 bytes a row. Lane 8m + r gives the
// address of row r of matrix m, and every lane gets one word of 4 bytes of each matrix:
//
//   plain        word w of row r goes to lane 4r + w
//   transposed   element e of the rows 2w and 2w + 1 go to lane 4e + w, side by side in its word;
//                for elements of 2 bytes alone
//
// So it is a plain load of 16 bytes a lane, in some layout of rows, and after that a fixed exchange
// between the lanes of the warp. Given the layout that is wanted in the end, which of its bits are
// the elements of a row and which are the rows can be read off the table:
//
//                 elements of a row                             rows
//   plain         register bits inside a word, lane 1, 2        lane 4, 8, 16
//   transposed    lane 4, 8, 16                                 register 1, lane 1, 2
//
// and the next two register bits are the matrices. Shared memory is then laid out for reading in
// the layout of rows, in which everything that SharedLayout.h says about banks holds.
#pragma once

#include "compiler/layout/SharedLayout.h"

namespace eft {

struct MatrixLoad {
  /// The places (register, lane, warp) of the plain load. Its lowest register bits are the elements
  /// of a row, the others those above `wordBits + matrixBits` of what is wanted.
  LinearLayout rows;
  bool isTransposed = false;
  unsigned wordBits = 0;   ///< a lane gets 2^wordBits elements of each matrix
  unsigned matrixBits = 0; ///< 2^matrixBits matrices, at most four, are read at once

  /// Whether the elements of each row are neighbours in shared memory, in order.
  bool fits(const SharedLayout &shared) const;
};

/// The ways to read elements of so many bytes in the places of `wanted` (register, lane, warp).
std::vector<MatrixLoad> matrixLoads(const LinearLayout &wanted, unsigned elementBytes);

/// A shared layout, and how it is read: by matrices or, without them, by plain loads.
struct SharedOrder {
  SharedLayout layout;
  std::optional<MatrixLoad> matrices;
};

/// The quickest for elements of so many bytes, written in the places of `from` and read in those of
/// `wanted`.
SharedOrder chooseSharedOrder(const LinearLayout &from, const LinearLayout &wanted,
                              unsigned elementBytes);

/// The way to read, in the places of `wanted`, what lies in an order already: `order` says the
/// index at each offset.
SharedOrder readSharedOrder(const LinearLayout &order, const LinearLayout &wanted,
                            unsigned elementBytes);

} // namespace eft
