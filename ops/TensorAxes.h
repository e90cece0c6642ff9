// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of any rank and any strides as matrices, in the form that dropout_strided.py takes. The
// last axis is the columns; all other axes together are the rows.
#pragma once

#include "eft/Tensor.h"

namespace eft::ops {

/// The number of axes of rows whose indices two divisions can find. More axes need six divisions;
/// see `all_jumps` in dropout_strided.py.
constexpr size_t shallowAxes = 3;

/// The constants by which `divide` in dropout.py divides a number below 2^60 with a multiplication
/// and a shift.
struct Division {
  uint64_t factor = 0, exponent = 0;
};

/// Returns the constants for a divisor from 1 to 2^60.
Division divisionBy(int64_t divisor);

/// The extents of an array as a matrix. An array without axes is a 1 x 1 matrix.
int64_t rowsOf(const Tensor &tensor);
int64_t columnsOf(const Tensor &tensor);

/// The strides by which kernels find rows and columns in three arrays of one shape.
struct TensorAxes {
  using Strides = std::array<int64_t, 3>; // a stride for each array

  /// The division by the extent of an axis of rows, and a jump for each array: the quotient times
  /// the jump is added to a row's offset, in elements.
  struct Axis {
    Division division = divisionBy(1);
    Strides jumps = {};
  };

  /// True if several axes of rows are left after merging.
  bool isNested() const { return rowAxes > 1; }

  bool alongRows = false;        // whether a tile's length lies along the rows
  bool isUnit = false;           // whether all arrays have a stride of 1 along a tile's length
  size_t rowAxes = 0;            // the number of axes of rows after merging
  int64_t rowExtent = 1;         // the extent of the innermost axis of rows
  Strides row = {}, column = {}; // the strides of the innermost axis of rows, and of the columns
  std::array<Axis, Tensor::maxRank - 2> axes;
};

/// Returns the strides of three arrays of one shape. Merges axes of rows where all three arrays
/// allow it. The arrays must have elements.
TensorAxes axesOf(const std::array<const Tensor *, 3> &tensors);

} // namespace eft::ops
