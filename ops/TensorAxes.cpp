// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ops/TensorAxes.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace eft::ops {
namespace {

using Strides = TensorAxes::Strides;

struct RowAxis {
  int64_t extent;
  Strides strides;
};

// Arithmetic that wraps around modulo 2⁶⁴, as in the kernels. It is defined for all numbers.

int64_t multiply(int64_t one, int64_t other) { return int64_t(uint64_t(one) * uint64_t(other)); }
int64_t subtract(int64_t one, int64_t other) { return int64_t(uint64_t(one) - uint64_t(other)); }

uint64_t magnitude(int64_t stride) { return stride < 0 ? -uint64_t(stride) : uint64_t(stride); }

Strides stridesAlong(const std::array<const Tensor *, 3> &tensors, unsigned axis) {
  Strides strides;
  std::ranges::transform(tensors, strides.begin(),
                         [&](const Tensor *tensor) { return tensor->strides[axis]; });
  return strides;
}

bool isOneAxis(const RowAxis &inner, const Strides &outer) {
  for (size_t i = 0; i < outer.size(); ++i)
    if (outer[i] != multiply(inner.strides[i], inner.extent))
      return false;
  return true;
}

/// Returns the axes of rows with an extent other than 1, the innermost first. Neighbouring axes
/// that all arrays step through like one axis are merged.
std::vector<RowAxis> rowAxesOf(const std::array<const Tensor *, 3> &tensors) {
  const Tensor &first = *tensors[0];
  std::vector<RowAxis> axes;
  for (unsigned axis = first.rank; axis-- > 0;) {
    int64_t extent = first.shape[axis];
    if (axis + 1 == first.rank || extent == 1)
      continue;
    Strides strides = stridesAlong(tensors, axis);
    if (!axes.empty() && isOneAxis(axes.back(), strides))
      axes.back().extent *= extent;
    else
      axes.push_back({extent, strides});
  }
  return axes;
}

bool isUnit(const Strides &strides) {
  return std::ranges::all_of(strides, [](int64_t stride) { return stride == 1; });
}

} // namespace

Division divisionBy(int64_t divisor) {
  uint64_t exponent = std::bit_width(uint64_t(divisor) - 1);
  __extension__ using Wide = unsigned __int128;
  Wide power = Wide(1) << (60 + exponent);
  return {uint64_t((power + uint64_t(divisor) - 1) / uint64_t(divisor)), exponent};
}

int64_t rowsOf(const Tensor &tensor) {
  int64_t rows = 1;
  for (unsigned axis = 0; axis + 1 < tensor.rank; ++axis)
    rows *= tensor.shape[axis];
  return rows;
}

int64_t columnsOf(const Tensor &tensor) { return tensor.rank ? tensor.shape[tensor.rank - 1] : 1; }

TensorAxes axesOf(const std::array<const Tensor *, 3> &tensors) {
  TensorAxes found;
  const Tensor &first = *tensors[0];
  if (first.rank > 0)
    found.column = stridesAlong(tensors, first.rank - 1);
  std::vector<RowAxis> axes = rowAxesOf(tensors);
  if (axes.empty()) {
    found.isUnit = isUnit(found.column);
    return found;
  }
  found.row = axes[0].strides;
  found.rowAxes = axes.size();
  found.rowExtent = axes[0].extent;
  for (size_t i = 0; i + 1 < axes.size(); ++i) {
    found.axes[i].division = divisionBy(axes[i].extent);
    for (size_t j = 0; j < found.row.size(); ++j)
      found.axes[i].jumps[j] =
          subtract(axes[i + 1].strides[j], multiply(axes[i].extent, axes[i].strides[j]));
  }
  // Programs walk along the axis with the smaller strides in x and y. With fewer than 16 columns
  // they walk along the rows, because a tile along the columns would be mostly idle.
  constexpr int64_t smallColumns = 16;
  found.alongRows = columnsOf(first) < smallColumns ||
                    magnitude(found.row[0]) / 2 + magnitude(found.row[1]) / 2 <
                        magnitude(found.column[0]) / 2 + magnitude(found.column[1]) / 2;
  found.isUnit = isUnit(found.alongRows ? found.row : found.column);
  return found;
}

} // namespace eft::ops
