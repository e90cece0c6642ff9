// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/placing/JoinPlacing.h"

#include "compiler/ir/ElementMoves.h"
#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/Placement.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace eft {

namespace {

/// Computing this number of operations twice costs less than shuffles.
constexpr unsigned cheapOperations = 16;

/// The blocks that are joined in a value, and the bits of the value's packed index that tell from
/// which of these blocks an element comes.
struct Joined {
  uint64_t bits = 0;
  SetVector<Value> sources;
};

Joined leaf(Value value) {
  Joined result;
  result.sources.insert(value);
  return result;
}

/// Returns the blocks that are joined in `value` by the element moves that make it. `known` caches
/// the results, so that a value that several moves use is visited once.
Joined joinedIn(Value value, DenseMap<Value, Joined> &known) {
  ElementMoveOpInterface move = freeMove(value);
  if (!move)
    return leaf(value);
  if (auto found = known.find(value); found != known.end())
    return found->second;
  const ElementMove element = move.getElementMove(0);
  Joined all;
  all.bits = element.secondSource;
  SmallPtrSet<Value, 2> seen;
  for (Value source : move->getOperands()) {
    if (!seen.insert(source).second)
      continue;
    Joined behind = joinedIn(source, known);
    all.sources.insert(behind.sources.begin(), behind.sources.end());
    for (unsigned bit = 0; bit < element.map.source().bits(); ++bit)
      if (element.map.applyPacked(uint64_t(1) << bit) & behind.bits)
        all.bits |= uint64_t(1) << bit;
  }
  return known[value] = all;
}

/// Returns true if more than `cheapOperations` elementwise operations on blocks compute the values,
/// or if they compute them from the parts of a block that was split. A thread would fetch both
/// parts of such a block from other lanes, compute both values, and keep one.
bool areExpensive(ArrayRef<Value> values) {
  SmallPtrSet<Operation *, 32> found;
  SmallVector<Value> pending(values);
  while (!pending.empty() && found.size() <= cheapOperations) {
    Operation *op = pending.pop_back_val().getDefiningOp();
    if (isa_and_nonnull<SplitOp>(op))
      return true;
    if (!op || !OpTrait::hasElementwiseMappableTraits(op) ||
        !isa<RankedTensorType>(op->getResult(0).getType()) || !found.insert(op).second)
      continue;
    llvm::append_range(pending, op->getOperands());
  }
  return found.size() > cheapOperations;
}

/// Exchanges each lane bit whose basis has one of `bits` with a register bit whose basis has none
/// of them. Returns false, and changes nothing, if no lane bit has one of `bits`, or if there are
/// too few such register bits.
bool exchangeBits(LinearLayout &layout, uint64_t bits) {
  std::vector<PlaceBases> bases = layout.bases();
  auto basesOf = [&](std::string_view name) -> std::vector<Coordinates> & {
    return llvm::find_if(bases, [&](const PlaceBases &place) { return place.name == name; })->bases;
  };
  auto isJoined = [&](const Coordinates &basis) {
    return (layout.target().pack(basis) & bits) != 0;
  };
  std::vector<Coordinates *> others;
  for (Coordinates &basis : basesOf(place::registers))
    if (layout.target().pack(basis) != 0 && !isJoined(basis))
      others.push_back(&basis);
  size_t used = 0;
  for (Coordinates &basis : basesOf(place::lane)) {
    if (!isJoined(basis))
      continue;
    if (used == others.size())
      return false;
    std::swap(basis, *others[used++]);
  }
  if (used == 0)
    return false;
  std::string error;
  layout = *LinearLayout::create(bases, layout.shape(), error);
  return true;
}

} // namespace

LayoutAttr layoutOfJoined(ElementMoveOpInterface move, LayoutAttr required) {
  Value result = move->getResult(0);
  if (!freeMove(result))
    return required;
  DenseMap<Value, Joined> known;
  const Joined joined = joinedIn(result, known);
  LinearLayout layout = *layoutOf(placed(result.getType(), required));
  if (joined.bits == 0 || !areExpensive(joined.sources.getArrayRef()) ||
      !exchangeBits(layout, joined.bits))
    return required;
  return toAttribute(move->getContext(), layout);
}

} // namespace eft
