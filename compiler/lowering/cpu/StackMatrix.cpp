// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/cpu/StackMatrix.h"

namespace eft {

std::optional<std::array<int64_t, 2>> plainStrides(const LinearLayout &layout) {
  const std::vector<int64_t> shape = layout.shape();
  if (shape.size() != 2 ||
      layout.placeBits("lane") + layout.placeBits("step") != layout.source().bits())
    return std::nullopt;
  std::array<int64_t, 2> strides = {0, 0}, next = {1, 1};
  int64_t offset = 1;
  for (const char *place : {"lane", "step"})
    for (unsigned bit = 0; bit < layout.placeBits(place); ++bit, offset *= 2) {
      Coordinates basis = layout.basis(place, bit);
      const unsigned dimension = basis[0] != 0 ? 0 : 1;
      // Each bit of a coordinate has twice the offset of the bit below it.
      if (basis[1 - dimension] != 0 || basis[dimension] != next[dimension])
        return std::nullopt;
      if (next[dimension] == 1)
        strides[dimension] = offset;
      if (strides[dimension] * basis[dimension] != offset)
        return std::nullopt;
      next[dimension] *= 2;
    }
  if (next[0] != shape[0] || next[1] != shape[1])
    return std::nullopt;
  return strides;
}

} // namespace eft
