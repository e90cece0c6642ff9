// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of one shape in the order of their elements in memory, in the form that
// dropout_permuted.py takes.
#pragma once

#include "eft/Tensor.h"

#include <optional>

namespace eft::ops {

/// The axes of three arrays that have their elements in the same order in memory, the axis with the
/// smallest stride first. Neighbouring axes that count as one are merged.
struct MemoryAxes {
  static constexpr size_t maxAxes = 4;

  /// A number for each array, then one for the row, and one for the column. The last axis of an
  /// array is the columns, and all other axes together are the rows.
  using Steps = std::array<int32_t, 5>;

  /// The division by an axis's extent, for numbers below 2^31, and the jumps: the quotient times a
  /// jump is added to an offset in an array, to the row or to the column.
  struct Axis {
    uint32_t factor = uint32_t(1) << 31;
    int32_t exponent = 0;
    Steps jumps = {};
  };

  int64_t extent = 1; // of the first axis
  Steps steps = {};   // from one element of the first axis to the next
  std::array<Axis, maxAxes - 1> axes;

  /// True if the arrays consist of units of so many elements that are neighbours in memory, all of
  /// which begin at multiples of as many elements from the arrays' first ones. `elements` is a
  /// power of two, because jumps are numbers modulo 2^32.
  bool consistOfUnits(int32_t elements) const;
};

/// Returns the axes of three arrays of one shape. Returns nothing if the arrays have their elements
/// in different orders, if their smallest strides are not 1, if there are more than `maxAxes` axes,
/// or none, if an array has 2^31 elements or more, or if an offset is 2^31 or more. The arrays must
/// have elements.
std::optional<MemoryAxes> memoryAxesOf(const std::array<const Tensor *, 3> &tensors);

} // namespace eft::ops
