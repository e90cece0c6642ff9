// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear layouts: operations that keep the places and change the block (slice, collapse, permute,
// reshape, …).
#include "compiler/layout/LinearLayout.h"

#include "compiler/layout/Echelon.h"

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

LinearLayout LinearLayout::covering(std::string_view place) const {
  Echelon reached(columns);
  std::vector<uint64_t> added;
  for (unsigned bit = 0; bit < to.bits(); ++bit)
    if (uint64_t element = uint64_t(1) << bit; reached.insert(element, bit))
      added.push_back(element);
  std::vector<std::pair<std::string, unsigned>> dims;
  std::vector<uint64_t> images;
  auto add = [&](std::string_view name, std::span<const uint64_t> own) {
    images.insert(images.end(), own.begin(), own.end());
    if (name == place)
      images.insert(images.end(), added.begin(), added.end());
    dims.emplace_back(name, unsigned(own.size() + (name == place ? added.size() : 0)));
  };
  for (const Space::Dim &dim : from.dims())
    add(dim.name, std::span(columns).subspan(dim.offset, dim.bits));
  if (!added.empty() && !from.find(place))
    add(place, {});
  return LinearLayout(Space::places(dims), to, std::move(images));
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
  // Reshaping keeps the row-major order, in which a block's points are packed. So the packed
  // columns stay.
  return LinearLayout(from, std::move(target), columns);
}

} // namespace eft
