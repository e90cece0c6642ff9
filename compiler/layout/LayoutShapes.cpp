// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear layouts: the same places over another block (slice, broadcast, permute, reshape, …).
#include "compiler/layout/LinearLayout.h"

#include <cassert>

namespace eft {

template <typename Function>
LinearLayout LinearLayout::withTarget(Space target, Function coordinates) const {
  std::vector<uint64_t> images;
  for (uint64_t column : columns)
    images.push_back(target.pack(coordinates(to.unpack(column))));
  return LinearLayout(from, std::move(target), std::move(images));
}

LinearLayout LinearLayout::slice(unsigned axis) const {
  assert(axis < to.rank() && "no such block dimension");
  std::vector<int64_t> shape = to.shape();
  shape.erase(shape.begin() + axis);
  return withTarget(Space::block(shape), [axis](Coordinates index) {
    index.erase(index.begin() + axis);
    return index;
  });
}

LinearLayout LinearLayout::collapse(unsigned axis) const {
  assert(axis < to.rank() && "no such block dimension");
  std::vector<int64_t> shape = to.shape();
  shape[axis] = 1;
  return withTarget(Space::block(shape), [axis](Coordinates index) {
    index[axis] = 0;
    return index;
  });
}

LinearLayout LinearLayout::expandDims(unsigned axis) const {
  assert(axis <= to.rank() && "no such block dimension");
  std::vector<int64_t> shape = to.shape();
  shape.insert(shape.begin() + axis, 1);
  return withTarget(Space::block(shape), [axis](Coordinates index) {
    index.insert(index.begin() + axis, 0);
    return index;
  });
}

LinearLayout LinearLayout::broadcast(unsigned axis, int64_t extent, std::string_view place) const {
  assert(axis < to.rank() && to.extent(axis) == 1 && "a dimension of extent 1");
  std::vector<int64_t> shape(to.rank(), 1);
  shape[axis] = extent;
  return product(identity(place, shape));
}

LinearLayout LinearLayout::permute(std::span<const unsigned> order) const {
  assert(order.size() == to.rank() && "an order of all dimensions");
  auto permuted = [order](const std::vector<int64_t> &values) {
    std::vector<int64_t> result;
    for (unsigned dim : order)
      result.push_back(values[dim]);
    return result;
  };
  return withTarget(Space::block(permuted(to.shape())), permuted);
}

LinearLayout LinearLayout::reshape(std::span<const int64_t> newShape) const {
  Space target = Space::block(newShape);
  assert(target.bits() == to.bits() && "a shape of as many elements");
  // A block's points are packed in row-major order, which is just what reshaping keeps.
  return LinearLayout(from, std::move(target), columns);
}

} // namespace eft
