// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ops/MemoryAxes.h"

#include "ops/TensorChecks.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace eft::ops {
namespace {

/// For each array, for the row and for the column: what one step along an axis adds.
using WideSteps = std::array<int64_t, 5>;

struct WideAxis {
  int64_t extent;
  WideSteps steps;
};

/// True if the steps of the outer axis continue those of the inner one.
bool isOneAxis(const WideAxis &inner, const WideAxis &outer) {
  for (size_t i = 0; i < outer.steps.size(); ++i)
    if (outer.steps[i] != inner.steps[i] * inner.extent)
      return false;
  return true;
}

/// True if the offsets of all elements are from 0 to 2^31 - 1.
bool isSmall(const std::vector<WideAxis> &axes) {
  for (size_t array = 0; array < 3; ++array) {
    int64_t last = 0;
    for (const WideAxis &axis : axes) {
      int64_t step = axis.steps[array], further = 0;
      if (step < 0 || __builtin_mul_overflow(step, axis.extent - 1, &further) ||
          __builtin_add_overflow(last, further, &last) || last > INT32_MAX)
        return false;
    }
  }
  return true;
}

/// Returns the axes with an extent other than 1.
std::vector<WideAxis> axesOf(const std::array<const Tensor *, 3> &tensors) {
  const Tensor &first = *tensors[0];
  std::vector<WideAxis> axes;
  int64_t rows = 1;
  for (unsigned axis = first.rank; axis-- > 0;) {
    const bool isColumns = axis + 1 == first.rank;
    WideSteps steps = {tensors[0]->strides[axis], tensors[1]->strides[axis],
                       tensors[2]->strides[axis], isColumns ? 0 : rows, isColumns ? 1 : 0};
    if (first.shape[axis] != 1)
      axes.push_back({first.shape[axis], steps});
    if (!isColumns)
      rows *= first.shape[axis];
  }
  return axes;
}

} // namespace

std::optional<MemoryAxes> memoryAxesOf(const std::array<const Tensor *, 3> &tensors) {
  if (elementsOf(*tensors[0]) > INT32_MAX)
    return std::nullopt;
  std::vector<WideAxis> axes = axesOf(tensors);
  if (axes.empty() || !isSmall(axes))
    return std::nullopt;
  std::ranges::stable_sort(axes, {}, [](const WideAxis &axis) { return axis.steps[0]; });
  for (size_t i = 0; i < axes.size(); ++i)
    for (size_t array = 0; array < 3; ++array)
      if (i == 0 ? axes[i].steps[array] != 1 : axes[i].steps[array] < axes[i - 1].steps[array])
        return std::nullopt;
  std::vector<WideAxis> merged;
  for (const WideAxis &axis : axes) {
    if (!merged.empty() && isOneAxis(merged.back(), axis))
      merged.back().extent *= axis.extent;
    else
      merged.push_back(axis);
  }
  if (merged.size() > MemoryAxes::maxAxes)
    return std::nullopt;
  MemoryAxes found;
  found.extent = merged[0].extent;
  std::ranges::transform(merged[0].steps, found.steps.begin(),
                         [](int64_t step) { return int32_t(step); });
  for (size_t i = 0; i + 1 < merged.size(); ++i) {
    MemoryAxes::Axis &axis = found.axes[i];
    const auto extent = uint64_t(merged[i].extent);
    axis.exponent = std::bit_width(extent - 1);
    axis.factor = uint32_t(((uint64_t(1) << (31 + axis.exponent)) + extent - 1) / extent);
    // The kernel's sums are right modulo 2^32, and their results fit into 31 bits.
    for (size_t j = 0; j < axis.jumps.size(); ++j)
      axis.jumps[j] =
          int32_t(uint32_t(merged[i + 1].steps[j] - merged[i].extent * merged[i].steps[j]));
  }
  return found;
}

bool MemoryAxes::consistOfUnits(int32_t elements) const {
  return extent % elements == 0 && std::ranges::all_of(axes, [&](const Axis &axis) {
           return std::all_of(axis.jumps.begin(), axis.jumps.begin() + 3,
                              [&](int32_t jump) { return jump % elements == 0; });
         });
}

} // namespace eft::ops
