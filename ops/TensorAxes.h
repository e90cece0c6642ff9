// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of any rank and any strides as rows and columns, as dropout_strided.py wants to have them:
// the last axis is the columns, all others are the rows.
#pragma once

#include "eft/Tensor.h"

namespace eft::ops {

/// Two divisions tell so many axes of rows apart; see `row_offsets` in dropout_strided.py.
constexpr size_t shallowAxes = 3;

/// For dividing numbers of 60 bits without a division; see `divide` in dropout.py.
struct Division {
  uint64_t factor = 0, exponent = 0;
};

/// `divisor` is from 1 to 2^60.
Division divisionBy(int64_t divisor);

/// The extents of an array's matrix; of one number it is 1 x 1.
int64_t rowsOf(const Tensor &tensor);
int64_t columnsOf(const Tensor &tensor);

/// The places of rows and columns in three arrays of one shape.
struct TensorAxes {
  using Strides = std::array<int64_t, 3>; // a stride for each array

  /// The division by the extent of an axis of rows, and what its quotient moves the arrays by.
  struct Axis {
    Division division = divisionBy(1);
    Strides jumps = {};
  };

  bool alongRows = false; // whether programs should walk along rows: more of the memory is together
  bool isUnit = false;    // whether all arrays have a stride of 1 along that axis
  size_t rowAxes = 0;     // how many axes of rows there are after merging
  Strides row = {}, column = {}; // the strides of the innermost axis of rows, and of the columns
  std::array<Axis, Tensor::maxRank - 2> axes;
};

/// Merges axes of rows where all arrays allow it. They have elements.
TensorAxes axesOf(const std::array<const Tensor *, 3> &tensors);

} // namespace eft::ops
