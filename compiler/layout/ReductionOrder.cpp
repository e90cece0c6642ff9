// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/layout/ReductionOrder.h"

#include "compiler/layout/MatrixLayouts.h"
#include "compiler/layout/Placement.h"

#include <algorithm>
#include <bit>

namespace eft {

namespace {

constexpr int64_t vectorBytes = 16;

int64_t vectorElements(int64_t elementBits) {
  return vectorBytes / std::max<int64_t>(elementBits / 8, 1);
}

} // namespace

LinearLayout reductionLayout(std::span<const int64_t> shape, int64_t elementBits, int64_t numWarps,
                             int64_t accessElements) {
  const int64_t vector = vectorElements(elementBits);
  LinearLayout layout =
      placeOnGpu(shape, rowMajorOrder(static_cast<unsigned>(shape.size())), vector, numWarps);
  if (shape.empty() || accessElements >= vector)
    return layout;
  std::vector<PlaceBases> bases = layout.bases();
  auto &registers = bases[0].bases, &lanes = bases[1].bases;
  const auto held = std::min(layout.contiguousAlong(place::registers), vector);
  const auto firstBit = std::countr_zero(uint64_t(std::min(accessElements, held)));
  const auto endBit = std::countr_zero(uint64_t(held));
  // The lowest bits of the vector, those of one access, stay register bits. The next bits become
  // lane bits, and the bits that are left become register bits.
  std::vector<Coordinates> walk(registers.begin() + firstBit, registers.begin() + endBit);
  walk.insert(walk.end(), lanes.begin(), lanes.end());
  std::copy_n(walk.begin(), lanes.size(), lanes.begin());
  std::copy(walk.begin() + std::ssize(lanes), walk.end(), registers.begin() + firstBit);
  std::string error;
  return *LinearLayout::create(bases, layout.shape(), error);
}

LinearLayout reductionLayout(std::span<const int64_t> shape, int64_t elementBits,
                             int64_t numWarps) {
  return reductionLayout(shape, elementBits, numWarps, vectorElements(elementBits));
}

ReductionOrder reductionOrder(std::span<const int64_t> shape, unsigned axis, int64_t elementBits,
                              int64_t numWarps) {
  LinearLayout layout = reductionLayout(shape, elementBits, numWarps);
  auto bitsOf = [&](std::string_view place) {
    std::vector<int32_t> bits;
    for (unsigned bit = 0; bit < layout.placeBits(place); ++bit)
      if (int64_t image = layout.basis(place, bit)[axis])
        bits.push_back(static_cast<int32_t>(image));
    return bits;
  };
  // In each group the highest bit comes first. The head of ReductionOrder.h gives the reason.
  std::vector<int32_t> registers = bitsOf(place::registers), lanes = bitsOf(place::lane),
                       warps = bitsOf(place::warp);
  int32_t lowestOfThreads = static_cast<int32_t>(shape[axis]);
  for (const std::vector<int32_t> &bits : {lanes, warps})
    for (int32_t bit : bits)
      lowestOfThreads = std::min(lowestOfThreads, bit);

  ReductionOrder order;
  // A register bit above the lowest bit of lanes and warps is a step. If neither lanes nor warps
  // have a bit of the axis, all its bits are register bits. They are steps, unless the axis is the
  // last one: then they lie in the first vector.
  const bool hasVector = axis + 1 == shape.size();
  for (int32_t bit : registers) {
    const bool isStep = bit > lowestOfThreads || (!hasVector && lanes.empty() && warps.empty());
    if (isStep)
      order.steps *= 2;
    else
      order.tree.push_back(bit);
  }
  std::ranges::reverse(order.tree);
  order.tree.insert(order.tree.end(), lanes.rbegin(), lanes.rend());
  order.tree.insert(order.tree.end(), warps.rbegin(), warps.rend());
  return order;
}

ReductionOrder productReductionOrder(std::span<const int64_t> shape, unsigned axis,
                                     int64_t numWarps) {
  constexpr int64_t halfBits = 16, leastK = 16;
  const LinearLayout tile = matrixTile(halfBits, leastK).acc;
  return cheapestOrder(accumulatorLayoutByRows(tile, shape[0], shape[1], numWarps), axis);
}

ReductionOrder cheapestOrder(const LinearLayout &layout, unsigned axis) {
  ReductionOrder order;
  int64_t left = layout.shape()[axis] - 1;
  for (std::string_view place : gpuPlaces) {
    int64_t own = 0;
    for (unsigned bit = 0; bit < layout.placeBits(place); ++bit)
      own |= layout.basis(place, bit)[axis];
    for (own &= left; own != 0; own &= ~int64_t(std::bit_floor(uint64_t(own)))) {
      order.tree.push_back(static_cast<int32_t>(std::bit_floor(uint64_t(own))));
      left &= ~int64_t(order.tree.back());
    }
  }
  return order;
}

} // namespace eft
