// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Spaces: packing and unpacking of points.
#include "compiler/layout/Space.h"

#include <cassert>

namespace eft {

Space Space::places(std::span<const std::pair<std::string, unsigned>> dims) {
  Space space;
  unsigned offset = 0;
  for (const auto &[name, bits] : dims) {
    space.all.push_back({name, bits, offset});
    offset += bits;
  }
  assert(offset <= maxBits && "too many place bits");
  return space;
}

Space Space::block(std::span<const int64_t> shape) {
  Space space;
  for (size_t i = 0; i < shape.size(); ++i) {
    assert(isPowerOfTwo(shape[i]) && "extents are powers of two");
    space.all.push_back({"dim" + std::to_string(i), exponentOf(shape[i]), 0});
  }
  unsigned offset = 0;
  for (size_t i = shape.size(); i-- > 0;) {
    space.all[i].offset = offset;
    offset += space.all[i].bits;
  }
  assert(offset <= maxBits && "too many elements");
  return space;
}

unsigned Space::bits() const {
  unsigned sum = 0;
  for (const Dim &dim : all)
    sum += dim.bits;
  return sum;
}

std::vector<int64_t> Space::shape() const {
  std::vector<int64_t> shape;
  for (unsigned i = 0; i < rank(); ++i)
    shape.push_back(extent(i));
  return shape;
}

std::optional<unsigned> Space::find(std::string_view name) const {
  for (unsigned i = 0; i < rank(); ++i)
    if (all[i].name == name)
      return i;
  return std::nullopt;
}

uint64_t Space::pack(std::span<const int64_t> coordinates) const {
  assert(coordinates.size() == all.size() && "one coordinate per dimension");
  uint64_t point = 0;
  for (unsigned i = 0; i < rank(); ++i) {
    assert(coordinates[i] >= 0 && coordinates[i] < extent(i) && "coordinate out of range");
    point |= static_cast<uint64_t>(coordinates[i]) << all[i].offset;
  }
  return point;
}

Coordinates Space::unpack(uint64_t point) const {
  Coordinates coordinates;
  for (unsigned i = 0; i < rank(); ++i)
    coordinates.push_back(static_cast<int64_t>((point & mask(i)) >> all[i].offset));
  return coordinates;
}

} // namespace eft
