// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/buffers/MovedBytes.h"

#include "compiler/lowering/tiling/Tiles.h"

#include <algorithm>

using namespace mlir;

namespace eft {

/// The most bytes of buffers for moved blocks that are in use at the same time. Further blocks are
/// moved in registers.
static constexpr int64_t maxMovedBytes = 1024 * 1024;

/// The bytes that a block takes in a buffer. A boolean takes a byte there.
static int64_t bytesInBuffer(RankedTensorType block) {
  Type element = block.getElementType();
  int64_t bits = element.isIntOrFloat() ? std::max(8u, element.getIntOrFloatBitWidth()) : 64;
  return bits / 8 << layoutOf(block)->source().bits();
}

MovedBytes::MovedBytes(func::FuncOp function) {
  std::vector<Operation *> ops;
  function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    places[op] = {unsigned(ops.size()), 0, 0};
    ops.push_back(op);
  });
  bytesInUse.resize(ops.size());
  // Users and nested operations come after an operation. In reverse order, their places are known
  // before the operation needs them.
  for (Operation *op : llvm::reverse(ops)) {
    unsigned end = places[op].first;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (!block.empty())
          end = std::max(end, places[&block.back()].end);
    unsigned lastUse = end;
    for (Value result : op->getResults())
      lastUse = std::max(lastUse, lastUseOf(result));
    places[op].end = end;
    places[op].lastUse = lastUse;
  }
}

MovedBytes::Place MovedBytes::placeOf(Operation *op) const {
  for (; op; op = op->getNextNode())
    if (auto found = places.find(op); found != places.end())
      return found->second;
  const unsigned last = bytesInUse.size() - 1;
  return {0, last, last};
}

/// If the user is nested in a loop that does not define the value, every iteration may use the
/// value. So the use ends at the loop's end.
MovedBytes::Place MovedBytes::placeOfUse(Value value, Operation *user) const {
  Operation *here = value.getParentBlock()->findAncestorOpInBlock(*user);
  Place place = placeOf(here);
  if (here != user)
    place.lastUse = place.end;
  return place;
}

unsigned MovedBytes::lastUseOf(Value value) const {
  unsigned last = 0;
  for (Operation *user : value.getUsers()) {
    const Place place = placeOfUse(value, user);
    last = std::max(last, canTile(user) ? place.lastUse : place.end);
  }
  return last;
}

bool MovedBytes::take(Value source, Value result) {
  Operation *definition = source.getDefiningOp();
  const unsigned first = placeOf(definition ? definition : &source.getParentBlock()->front()).first;
  const unsigned last = std::max(first, placeOfUse(source, result.getDefiningOp()).lastUse);
  auto inUse = llvm::MutableArrayRef(bytesInUse).slice(first, last - first + 1);
  const int64_t bytes = bytesInBuffer(cast<RankedTensorType>(source.getType()));
  if (*llvm::max_element(inUse) + bytes > maxMovedBytes)
    return false;
  for (int64_t &sum : inUse)
    sum += bytes;
  return true;
}

} // namespace eft
