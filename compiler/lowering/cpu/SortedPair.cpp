// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/cpu/SortedPair.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace eft {

Value smaller(ImplicitLocOpBuilder &b, bool isUnsigned, Value one, Value other) {
  if (isUnsigned)
    return b.create<arith::MinUIOp>(one, other);
  return b.create<arith::MinSIOp>(one, other);
}

Value larger(ImplicitLocOpBuilder &b, bool isUnsigned, Value one, Value other) {
  if (isUnsigned)
    return b.create<arith::MaxUIOp>(one, other);
  return b.create<arith::MaxSIOp>(one, other);
}

SortedPair::SortedPair(ImplicitLocOpBuilder &b, Vectors vectors, bool isUnsigned)
    : b(b), pair(vectors), isUnsigned(isUnsigned),
      order(llvm::to_vector(
          llvm::seq<int64_t>(2 * cast<VectorType>(vectors.front().getType()).getNumElements()))) {}

void SortedPair::compare() {
  pair = {smaller(b, isUnsigned, pair[0], pair[1]), larger(b, isUnsigned, pair[0], pair[1])};
}

void SortedPair::compareLanes(int64_t lane) {
  const auto lanes = int64_t(order.size() / 2);
  // Finds the bit of the elements' current places that stands for the bit `lane` of their numbers.
  // In the number of a place, the highest bit says which vector it is; the lower bits are the
  // number of the lane.
  int64_t bit = 1;
  while (order[bit] != lane)
    bit *= 2;
  if (bit != lanes) {
    // Exchanges this bit of the lane with the bit of the vector.
    SmallVector<int64_t> others;
    for (int64_t ofVector : {int64_t(0), bit})
      for (int64_t number = 0; number < lanes; ++number)
        others.push_back(((number & bit) != 0 ? lanes : 0) + ((number & ~bit) | ofVector));
    shuffle(others);
  }
  compare();
}

void SortedPair::flip(const Vectors &flips) {
  for (auto [vector, own] : llvm::zip_equal(pair, flips))
    vector = b.create<arith::XOrIOp>(vector, own);
}

void SortedPair::putBack() {
  SmallVector<int64_t> lanes(order.size());
  for (auto [lane, number] : llvm::enumerate(order))
    lanes[number] = int64_t(lane);
  shuffle(lanes);
}

void SortedPair::shuffle(ArrayRef<int64_t> lanes) {
  const size_t half = order.size() / 2;
  auto shuffled = [&](ArrayRef<int64_t> own) -> Value {
    return b.create<vector::ShuffleOp>(pair[0], pair[1], own);
  };
  pair = {shuffled(lanes.take_front(half)), shuffled(lanes.drop_front(half))};
  SmallVector<int64_t> moved;
  for (int64_t lane : lanes)
    moved.push_back(order[lane]);
  order = std::move(moved);
}

} // namespace eft
