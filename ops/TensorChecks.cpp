// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ops/TensorChecks.h"

#include <algorithm>
#include <vector>

namespace eft::ops {
namespace {

uint64_t bytesOf(const Tensor &tensor) { return bitsInMemory(tensor.dtype) / 8; }

std::string listText(std::initializer_list<DataType> dtypes) {
  std::string text;
  for (const DataType *each = dtypes.begin(); each != dtypes.end(); ++each) {
    if (each != dtypes.begin())
      text += each + 1 == dtypes.end() ? " or " : ", ";
    text += dataTypeName(*each);
  }
  return text;
}

/// Counts the elements. Returns false if an extent is below 0 or if the product of the extents,
/// with 1 for each 0, is above 2^60.
bool countElements(const Tensor &tensor, int64_t &count) {
  count = 1;
  bool isEmpty = false;
  for (unsigned axis = 0; axis < tensor.rank; ++axis) {
    int64_t extent = tensor.shape[axis];
    isEmpty |= extent == 0;
    if (extent < 0)
      return false;
    if (__builtin_mul_overflow(count, std::max<int64_t>(extent, 1), &count) ||
        count > (int64_t(1) << 60))
      return false;
  }
  if (isEmpty)
    count = 0;
  return true;
}

/// An axis of a tensor with an extent above 1.
struct Axis {
  uint64_t distance; // the stride's magnitude, in elements
  uint64_t last;     // the largest index
};

/// Returns the axes with an extent above 1, the longest stride first.
std::vector<Axis> axesOf(const Tensor &tensor) {
  std::vector<Axis> axes;
  for (unsigned axis = 0; axis < tensor.rank; ++axis)
    if (tensor.shape[axis] > 1) {
      int64_t stride = tensor.strides[axis];
      axes.push_back(
          {stride < 0 ? -uint64_t(stride) : uint64_t(stride), uint64_t(tensor.shape[axis] - 1)});
    }
  std::ranges::sort(axes, std::ranges::greater(), &Axis::distance);
  return axes;
}

__extension__ using Wide = __int128;

/// Returns the largest distance, in elements, between two elements along these axes.
Wide spanOf(std::span<const Axis> axes) {
  Wide span = 0;
  for (const Axis &axis : axes)
    span += Wide(axis.distance) * axis.last;
  return span;
}

/// Whether two tensors with the same axes overlap, if the second begins `distance` bytes after the
/// first. Two elements overlap if some sum of steps along the axes, forward or back, differs from
/// `distance` by less than `size`, the bytes of an element. The axes are those of a tensor with
/// distinct elements, the longest stride first. So one step along an axis is longer than the
/// distance between any two elements along the later axes, and only a few steps along each axis
/// need to be tried.
bool reaches(std::span<const Axis> axes, Wide distance, Wide size) {
  if (axes.empty())
    return distance < size && -distance < size;
  const Axis &axis = axes.front();
  Wide stride = Wide(axis.distance) * size;
  Wide reach = spanOf(axes.subspan(1)) * size + size;
  Wide last = Wide(axis.last);
  for (Wide step = std::max(-last, (distance - reach) / stride - 1);
       step <= std::min(last, (distance + reach) / stride + 1); ++step)
    if (Wide left = distance - step * stride;
        left < reach && -left < reach && reaches(axes.subspan(1), left, size))
      return true;
  return false;
}

bool haveDistinctElements(std::span<const Axis> axes) {
  for (size_t i = 0; i < axes.size(); ++i)
    if (Wide(axes[i].distance) <= spanOf(axes.subspan(i + 1)))
      return false;
  return true;
}

/// Returns the address of the first byte of a tensor's memory, and the address after its last byte.
std::pair<Wide, Wide> rangeOf(const Tensor &tensor) {
  Wide low = Wide(reinterpret_cast<uintptr_t>(tensor.data)), high = low;
  for (unsigned axis = 0; axis < tensor.rank; ++axis) {
    Wide reach = Wide(tensor.shape[axis] - 1) * tensor.strides[axis] * bytesOf(tensor);
    (reach < 0 ? low : high) += reach;
  }
  return {low, high + bytesOf(tensor)};
}

/// Whether two tensors have the same shape, strides and dtype. Strides of axes with one index don't
/// count.
bool haveSamePlaces(const Tensor &one, const Tensor &other) {
  if (one.dtype != other.dtype || one.rank != other.rank)
    return false;
  for (unsigned axis = 0; axis < one.rank; ++axis)
    if (one.shape[axis] != other.shape[axis] ||
        (one.shape[axis] > 1 && one.strides[axis] != other.strides[axis]))
      return false;
  return true;
}

/// Whether two tensors may share memory. The answer is exact for two tensors with the same shape,
/// strides and dtype whose elements are all distinct in memory. For any others it is true as soon
/// as their ranges of addresses overlap.
bool overlap(const Tensor &one, const Tensor &other) {
  if (elementsOf(one) == 0 || elementsOf(other) == 0)
    return false;
  auto [low, high] = rangeOf(one);
  auto [otherLow, otherHigh] = rangeOf(other);
  if (high <= otherLow || otherHigh <= low)
    return false;
  std::vector<Axis> axes = axesOf(one);
  if (!haveSamePlaces(one, other) || !haveDistinctElements(axes))
    return true;
  return reaches(axes, otherLow - low, Wide(bytesOf(one)));
}

} // namespace

Verdict badTensor(std::string words) { return {DropoutBadTensor, std::move(words)}; }

Verdict checkDtype(Named what, std::initializer_list<DataType> dtypes) {
  if (std::ranges::find(dtypes, what.tensor.dtype) != dtypes.end())
    return {};
  return badTensor(std::string(what.name) + " has dtype " +
                   std::string(dataTypeName(what.tensor.dtype)) + ", expected " + listText(dtypes));
}

Verdict checkTensor(Named what) {
  const auto &[name, tensor] = what;
  if (tensor.rank > Tensor::maxRank)
    return badTensor(std::string(name) + " has rank " + std::to_string(tensor.rank) +
                     ", expected at most " + std::to_string(Tensor::maxRank));
  int64_t count = 0;
  if (!countElements(tensor, count))
    return badTensor(std::string(name) + " has shape " + tensor.shapeText() +
                     ", expected extents from 0 on and at most 2^60 elements");
  if (count > 0 && !tensor.data)
    return badTensor(std::string(name) + " has no data: its pointer is null, expected " +
                     std::to_string(count) + " elements");
  if (reinterpret_cast<uintptr_t>(tensor.data) % bytesOf(tensor) != 0)
    return badTensor(std::string(name) + " has an address that is not divisible by " +
                     std::to_string(bytesOf(tensor)) + ", the size of its elements");
  return {};
}

Verdict checkDistinct(Named what) {
  const auto &[name, tensor] = what;
  if (isRowMajor(tensor) || elementsOf(tensor) == 0 || haveDistinctElements(axesOf(tensor)))
    return {};
  return badTensor(std::string(name) + " has shape " + tensor.shapeText() + " and strides " +
                   tensor.stridesText() +
                   ", by which elements may share memory, expected memory of its own for each");
}

Verdict checkDevice(Named what, Named first) {
  if (what.tensor.device == first.tensor.device)
    return {};
  return badTensor(std::string(what.name) + " is on " + what.tensor.device.name() + ", expected " +
                   first.name + "'s device " + first.tensor.device.name());
}

Verdict checkLike(Named what, Named first) {
  if (Verdict verdict = checkDevice(what, first))
    return verdict;
  const Tensor &tensor = what.tensor;
  if (tensor.rank == first.tensor.rank &&
      std::equal(tensor.shape.begin(), tensor.shape.begin() + tensor.rank,
                 first.tensor.shape.begin()))
    return {};
  return {DropoutBadShape, std::string(what.name) + " has shape " + tensor.shapeText() +
                               ", expected " + first.name + "'s shape " + first.tensor.shapeText()};
}

Verdict checkMemory(Named output, Named input, bool mayBeInPlace) {
  const auto &[name, tensor] = output;
  mayBeInPlace &= haveSamePlaces(tensor, input.tensor);
  if ((mayBeInPlace && tensor.data == input.tensor.data) || !overlap(tensor, input.tensor))
    return {};
  if (!mayBeInPlace)
    return badTensor(std::string(name) + " overlaps " + input.name +
                     ", expected memory of its own");
  return badTensor(std::string(name) + " overlaps " + input.name + " in part, expected " +
                   input.name + " itself or memory of its own");
}

Verdict checkKind(Named what, DeviceKind kind) {
  if (what.tensor.device.kind == kind)
    return {};
  return badTensor(std::string(what.name) + " is on " + what.tensor.device.name() + ", expected " +
                   (kind == DeviceKind::Host ? "the CPU" : "a CUDA device"));
}

int64_t elementsOf(const Tensor &tensor) {
  int64_t count = 1;
  for (unsigned axis = 0; axis < tensor.rank; ++axis)
    count *= tensor.shape[axis];
  return count;
}

bool isRowMajor(const Tensor &tensor) {
  if (elementsOf(tensor) == 0)
    return true;
  int64_t step = 1;
  for (unsigned axis = tensor.rank; axis-- > 0; step *= tensor.shape[axis])
    if (tensor.shape[axis] != 1 && tensor.strides[axis] != step)
      return false;
  return true;
}

} // namespace eft::ops
