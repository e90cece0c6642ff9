// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/placing/JoinPlacing.h"

#include "compiler/ir/ElementMoves.h"
#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/Placement.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace eft {

namespace {

/// To compute so many operations twice costs less than shuffles.
constexpr unsigned cheapOperations = 16;

/// The blocks that are joined, and the bits of a packed index that tell them apart.
struct Joined {
  uint64_t bits = 0;
  SetVector<Value> sources;
};

Joined leaf(Value value) {
  Joined result;
  result.sources.insert(value);
  return result;
}

/// The blocks that have been joined in `value`, by the moves that make it. `known` has the answers
/// for values of which several moves are made.
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

/// True if it takes more than a few operations on blocks to compute the values.
bool areExpensive(ArrayRef<Value> values) {
  SmallPtrSet<Operation *, 32> found;
  SmallVector<Value> pending(values);
  while (!pending.empty() && found.size() <= cheapOperations) {
    Operation *op = pending.pop_back_val().getDefiningOp();
    if (!op || !OpTrait::hasElementwiseMappableTraits(op) ||
        !isa<RankedTensorType>(op->getResult(0).getType()) || !found.insert(op).second)
      continue;
    llvm::append_range(pending, op->getOperands());
  }
  return found.size() > cheapOperations;
}

/// Exchanges each lane bit that adds one of `bits` to the index with a register bit that adds
/// another one. Returns false, and changes nothing, if there are too few of those.
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
