// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Placements: the assignment of the bits of a walk over the block to the places.
#include "compiler/layout/Placement.h"

#include <algorithm>
#include <cassert>

namespace eft {

// A program's threads are in one thread block, which has at most 1024 threads.
std::string validateNumWarps(int64_t count) {
  constexpr int64_t most = 1024 / lanesPerWarp;
  if (isPowerOfTwo(count) && count <= most)
    return {};
  return "must be a power of two from 1 to " + std::to_string(most) + ", got " +
         std::to_string(count);
}

namespace {

/// Hands out the index bits of a block, those of the fastest dimension (`order[0]`) first, and
/// zeros when no bits are left.
class Walk {
public:
  Walk(std::span<const int64_t> shape, std::span<const unsigned> order) : rank(shape.size()) {
    assert(order.size() == shape.size() && "an order of all dimensions");
    for (unsigned dim : order)
      for (int64_t bit = 1; bit < shape[dim]; bit <<= 1) {
        left.push_back(Coordinates(rank, 0));
        left.back()[dim] = bit;
      }
  }

  unsigned remaining() const { return static_cast<unsigned>(left.size() - next); }

  void deal(unsigned bits, std::vector<Coordinates> &bases) {
    for (; bits > 0; --bits)
      bases.push_back(next < left.size() ? left[next++] : Coordinates(rank, 0));
  }

private:
  size_t rank;
  std::vector<Coordinates> left;
  size_t next = 0;
};

LinearLayout build(const std::vector<PlaceBases> &places, std::span<const int64_t> shape) {
  std::string error;
  std::optional<LinearLayout> layout = LinearLayout::create(places, shape, error);
  assert(layout && "a walk's bits make a layout");
  return *layout;
}

} // namespace

LinearLayout placeOnGpu(std::span<const int64_t> shape, std::span<const unsigned> order,
                        int64_t vectorElements, int64_t numWarps) {
  assert(isPowerOfTwo(vectorElements) && isPowerOfTwo(numWarps) && "powers of two");
  Walk walk(shape, order);
  const unsigned laneBits = exponentOf(lanesPerWarp), warpBits = exponentOf(numWarps);
  const unsigned threadBits = laneBits + warpBits;

  unsigned vectorBits =
      shape.empty() ? 0 : std::min(exponentOf(vectorElements), exponentOf(shape[order[0]]));
  vectorBits =
      std::min(vectorBits, walk.remaining() > threadBits ? walk.remaining() - threadBits : 0);

  PlaceBases registers{std::string(place::registers), {}}, lane{std::string(place::lane), {}},
      warp{std::string(place::warp), {}};
  walk.deal(vectorBits, registers.bases);
  walk.deal(laneBits, lane.bases);
  walk.deal(warpBits, warp.bases);
  walk.deal(walk.remaining(), registers.bases);
  return build({registers, lane, warp}, shape);
}

LinearLayout placeOnCpu(std::span<const int64_t> shape, std::span<const unsigned> order,
                        int64_t laneElements) {
  assert(isPowerOfTwo(laneElements) && "a power of two");
  Walk walk(shape, order);
  PlaceBases lane{std::string(place::lane), {}}, step{std::string(place::step), {}};
  walk.deal(std::min(exponentOf(laneElements), walk.remaining()), lane.bases);
  walk.deal(walk.remaining(), step.bases);
  return build({lane, step}, shape);
}

int64_t simdLanes(int64_t vectorBits, int64_t widestElementBits) {
  int64_t lanes = 1;
  while (2 * lanes * widestElementBits <= vectorBits)
    lanes *= 2;
  return lanes;
}

std::vector<unsigned> rowMajorOrder(unsigned rank) {
  std::vector<unsigned> order(rank);
  for (unsigned i = 0; i < rank; ++i)
    order[i] = rank - 1 - i;
  return order;
}

} // namespace eft
