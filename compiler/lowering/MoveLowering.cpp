// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that move elements between places, for both targets.
//
// Element moves with the trait `FetchesElements` are lowered as a `Fetch`: each place needs the
// element with some index, and the layouts say where that element lies. A shuffle plan
// (compiler/layout/Shuffle.h) brings it from other fragments and lanes. An element of another warp
// goes through memory. Other element moves leave all elements in their places. A gather computes
// the indices at run time.
#include "compiler/lowering/FragmentLowering.h"
#include "compiler/lowering/PlaceMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace eft {

using Fragments = FragmentLowering::Fragments;

//===----------------------------------------------------------------------===//
// Fetching
//===----------------------------------------------------------------------===//

LinearLayout FragmentLowering::placesOf(const LinearLayout &layout) const {
  return withPlaces(layout, llvm::to_vector_of<std::string_view>(placeDimensions));
}

namespace {

/// Emits the code of a shuffle plan. The code for a fragment is emitted when the fragment is first
/// needed.
class PlanRunner {
public:
  using Select = llvm::function_ref<Value(uint64_t threads, unsigned laneBits, Value, Value)>;
  using Shuffle = llvm::function_ref<Value(Value fragment, uint64_t lanes)>;

  PlanRunner(const ShufflePlan &plan, ArrayRef<Value> source, Select select, Shuffle shuffle)
      : plan(plan), source(source), select(select), shuffle(shuffle), given(plan.before.size() + 1),
        taken(plan.after.size() + 1) {}

  /// Fragment number `fragment` of the result, after the first `swaps` of the swaps that follow the
  /// shuffles.
  Value result(uint64_t fragment, size_t swaps) {
    Value &known = taken[swaps][fragment];
    if (known)
      return known;
    if (swaps == 0)
      return known = chosen(plan.got[fragment], plan.choices.size());
    const FragmentSwap &swap = plan.after[swaps - 1];
    Value same = result(fragment, swaps - 1), other = result(fragment ^ swap.fragments, swaps - 1);
    return taken[swaps][fragment] = select(swap.threads, plan.takingLaneBits, other, same);
  }

private:
  Value chosen(ArrayRef<ShufflePlan::Turn> turns, size_t choices) {
    if (choices == 0)
      return turn(turns.front());
    size_t half = turns.size() / 2;
    Value even = chosen(turns.take_front(half), choices - 1);
    Value odd = chosen(turns.drop_front(half), choices - 1);
    return select(plan.choices[choices - 1], plan.takingLaneBits, odd, even);
  }

  Value turn(const ShufflePlan::Turn &turn) {
    Value fragment = giver(turn.fragment, plan.before.size());
    if (turn.lanes == 0 && plan.keepsLanes())
      return fragment;
    Value &known = turns[{turn.fragment, turn.lanes}];
    return known ? known : known = shuffle(fragment, turn.lanes);
  }

  Value giver(uint64_t fragment, size_t swaps) {
    if (swaps == 0)
      return source[fragment];
    Value &known = given[swaps][fragment];
    if (known)
      return known;
    const FragmentSwap &swap = plan.before[swaps - 1];
    Value same = giver(fragment, swaps - 1), other = giver(fragment ^ swap.fragments, swaps - 1);
    return given[swaps][fragment] = select(swap.threads, plan.givingLaneBits, other, same);
  }

  const ShufflePlan &plan;
  ArrayRef<Value> source;
  Select select;
  Shuffle shuffle;
  std::vector<DenseMap<uint64_t, Value>> given, taken;
  DenseMap<std::pair<uint64_t, uint64_t>, Value> turns;
};

} // namespace

SmallVector<FragmentLowering::Fragments>
FragmentLowering::fetch(ImplicitLocOpBuilder &b, ArrayRef<Fragments> sources, const Fetch &fetch) {
  std::optional<ShufflePlan> plan = planShuffle(fetch.from, fetch.wanted, fetch.offset);
  if (!plan)
    return fetchThroughMemory(b, sources, fetch);
  SmallVector<Fragments> results;
  for (const Fragments &source : sources) {
    if (source.front().getType().isInteger(1) && !plan->isRenaming())
      if (Fragments moved = shuffleBooleans(b, source, fetch); !moved.empty()) {
        results.push_back(std::move(moved));
        continue;
      }
    auto select = [&](uint64_t threads, unsigned laneBits, Value odd, Value even) -> Value {
      return b.create<arith::SelectOp>(isOdd(b, threads, laneBits), odd, even);
    };
    auto shuffle = [&](Value fragment, uint64_t lanes) {
      return shuffleLanes(b, fragment, *plan, lanes);
    };
    PlanRunner runner(*plan, source, select, shuffle);
    Fragments &result = results.emplace_back();
    for (uint64_t fragment = 0; fragment < plan->got.size(); ++fragment)
      result.push_back(runner.result(fragment, plan->after.size()));
  }
  return results;
}

SmallVector<FragmentLowering::Fragments>
FragmentLowering::fetchThroughMemory(ImplicitLocOpBuilder &b, ArrayRef<Fragments> sources,
                                     const Fetch &fetch) {
  Fragments indices;
  for (unsigned fragment = 0; fragment < 1u << fetch.wanted.source().dims()[0].bits; ++fragment) {
    Value index = indexAt(b, fetch.wanted, fragment);
    TypedAttr offset = b.getIntegerAttr(getElementTypeOrSelf(index), fetch.offset);
    if (auto type = dyn_cast<VectorType>(index.getType()))
      offset = DenseElementsAttr::get(type, Attribute(offset));
    indices.push_back(b.create<arith::XOrIOp>(index, b.create<arith::ConstantOp>(offset)));
  }
  return gather(b, sources, fetch.from, indices);
}

//===----------------------------------------------------------------------===//
// The operations
//===----------------------------------------------------------------------===//

namespace {

/// Chooses between two sources, which have been moved to the places of the result. A place takes
/// the second source if its index has the bit `secondSource`, else the first.
Fragments chooseSources(FragmentLowering &lowering, ImplicitLocOpBuilder &b,
                        ArrayRef<Fragments> sources, const LinearLayout &places,
                        uint64_t secondSource) {
  const unsigned laneBits = places.source().dims()[1].bits;
  const uint64_t threads = threadsOf(places, secondSource);
  Fragments chosen;
  for (unsigned fragment = 0; fragment < sources[0].size(); ++fragment) {
    bool isSecond = (places.applyPacked(fragment) & secondSource) != 0;
    Value even = sources[isSecond][fragment], odd = sources[!isSecond][fragment];
    chosen.push_back(
        threads == 0 ? even
                     : b.create<arith::SelectOp>(lowering.isOdd(b, threads, laneBits), odd, even));
  }
  return chosen;
}

/// Gives the result the source's fragments, under other indices. Fails if the layouts would need
/// elements to move.
LogicalResult keepInPlace(FragmentLowering &lowering, ElementMoveOpInterface op) {
  Value source = op->getOperand(0), result = op->getResult(0);
  LinearLayout stays = *layoutOf(result.getType())->then(op.getElementMove(0).map);
  if (!(*layoutOf(source.getType()) == stays))
    return op->emitOpError("would have to move elements between places: the source's layout is "
                           "not the result's without the new elements");
  lowering.setFragments(result, Fragments(lowering.fragmentsOf(source)));
  return success();
}

} // namespace

LogicalResult lowerMove(FragmentLowering &lowering, ImplicitLocOpBuilder &b,
                        ElementMoveOpInterface op) {
  if (!op->hasTrait<FetchesElements>())
    return keepInPlace(lowering, op);
  SmallVector<Fragments> sources;
  for (Value source : op->getOperands())
    sources.push_back(Fragments(lowering.fragmentsOf(source)));
  LinearLayout from = lowering.placesOf(op->getOperand(0).getType());
  for (OpResult result : op->getResults()) {
    ElementMove move = op.getElementMove(result.getResultNumber());
    LinearLayout places = lowering.placesOf(result.getType());
    SmallVector<Fragments> fetched =
        lowering.fetch(b, sources, {from, *places.then(move.map), move.flipped});
    lowering.setFragments(result,
                          move.secondSource == 0
                              ? std::move(fetched.front())
                              : chooseSources(lowering, b, fetched, places, move.secondSource));
  }
  return success();
}

namespace {

/// Each place gets an element of the source. The element's coordinate along the axis comes from the
/// operand `indices`. Its other coordinates are those of the result's element at that place.
void lowerGather(FragmentLowering &lowering, ImplicitLocOpBuilder &b, GatherOp op) {
  LinearLayout from = lowering.placesOf(op.getSource().getType());
  const Space &block = from.target();
  unsigned axis = op.getAxis();
  std::vector<PlaceBases> bases = lowering.placesOf(op.getType()).bases();
  for (PlaceBases &place : bases)
    for (Coordinates &basis : place.bases)
      basis[axis] = 0;
  std::string error;
  LinearLayout others = *LinearLayout::create(bases, from.shape(), error);

  Fragments indices;
  for (auto [fragment, index] : llvm::enumerate(Fragments(lowering.fragmentsOf(op.getIndices())))) {
    Value here = lowering.indexAt(b, others, fragment);
    auto constant = [&](int64_t value) -> Value {
      TypedAttr attribute = b.getI32IntegerAttr(value);
      if (auto type = dyn_cast<VectorType>(here.getType()))
        attribute = DenseElementsAttr::get(type, Attribute(attribute));
      return b.create<arith::ConstantOp>(attribute);
    };
    if (index.getType() != here.getType())
      index = b.create<arith::TruncIOp>(here.getType(), index);
    index = b.create<arith::AndIOp>(index, constant(block.extent(axis) - 1));
    index = b.create<arith::ShLIOp>(index, constant(block.dims()[axis].offset));
    indices.push_back(b.create<arith::OrIOp>(here, index));
  }
  Fragments source(lowering.fragmentsOf(op.getSource()));
  lowering.setFragments(op, lowering.gather(b, {source}, from, indices).front());
}

} // namespace

void populateMoveLowerings(LoweringTable &table) {
  table.add(lowerMove);
  table.add(lowerGather);
}

} // namespace eft
