// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions, for both targets.
//
// To fold a bit of the index, every place fetches the element whose index differs from its own in
// that bit, and combines the two, the one with the lower index first. Both places then hold the
// same result. So the bit is cleared from the layout, and fragments that have become copies are
// dropped. The cost depends on where the bit lies: a bit of the fragment moves nothing, a bit of
// the lane takes shuffles. A target may have an instruction that folds all bits of the lane. Before
// the first bit of the warp is folded, staging brings into the fragments of every thread all
// elements that it still has to fold, if these are fewer than 32 for each result. Exactly 32 go to
// the lanes of each warp, and so do fewer if it is costly to combine them. If there are more,
// staging brings only those that differ in the bit to be folded.
#include "compiler/lowering/Combiner.h"
#include "compiler/lowering/PlaceMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace eft {

namespace {

using Fragments = FragmentLowering::Fragments;

/// True if the operation is one on integers that gives x for x and x.
bool isIdempotent(Operation *op) {
  return isa<arith::AndIOp, arith::OrIOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
             arith::MinUIOp>(op);
}

/// Holds the partial results of a reduction, and combines them further.
class Reducer {
public:
  /// `isCommutative` states that the combiner gives the same bits if its arguments are swapped.
  Reducer(FragmentLowering &lowering, ImplicitLocOpBuilder &b, Combiner &combiner,
          CombinedSources sources, bool isCommutative)
      : lowering(lowering), b(b), combiner(combiner), isCommutative(isCommutative),
        layout(std::move(sources.layout)), sources(std::move(sources.fragments)) {}

  /// Combines the parts of the axis, whose indices differ in the bits `steps`, one after the other
  /// in ascending order. `left` has the index bits that remain to be folded, including `steps`.
  void foldSteps(uint64_t steps, uint64_t left) {
    if (steps == 0)
      return;
    bringNear(cleared(layout, steps), steps, left);
    LinearLayout rest = cleared(layout, steps);
    LinearLayout small = keepFragments(rest, neededFragmentBits(rest));
    SmallVector<Fragments> folded = lowering.fetch(b, sources, {layout, small, 0});
    uint64_t lowest = steps & -steps;
    for (uint64_t step = lowest; (step & ~steps) == 0; step += lowest)
      folded = combineFragments(folded, lowering.fetch(b, sources, {layout, small, step}));
    layout = small;
    sources = std::move(folded);
  }

  /// Combines all lanes' elements by one instruction, if the target has one for the combiner, if
  /// `bit` belongs to a lane, and if the index bits of all lanes are among those that remain to be
  /// folded, `left`. Returns the index bits that it has folded; none if a condition isn't met.
  /// The reduction must be free of order.
  uint64_t foldLanes(uint64_t bit, uint64_t left) {
    Operation *function = combiner.commutativeOperation();
    if (!function)
      return 0;
    const Space::Dim &lane = layout.source().dims()[1];
    uint64_t folded = 0;
    for (unsigned i = 0; i < lane.bits; ++i) {
      const uint64_t index = layout.applyPacked(bitNumber(lane.offset + i));
      // Copies of an element in other lanes may count only if that changes nothing.
      const bool isCopy = (index & ~folded) == 0;
      if (isCopy ? !isIdempotent(function) : !llvm::isPowerOf2_64(index) || (index & left) == 0)
        return 0;
      folded |= index;
    }
    if ((folded & bit) == 0)
      return 0;
    LinearLayout rest = cleared(layout, folded);
    SmallVector<unsigned> needed = neededFragmentBits(rest);
    SmallVector<Fragments> own = in(keepFragments(layout, needed));
    Fragments combined;
    for (Value fragment : own.front()) {
      combined.push_back(lowering.combineLanes(b, fragment, function));
      if (!combined.back())
        return 0;
    }
    sources.front() = std::move(combined);
    layout = keepFragments(rest, needed);
    return folded;
  }

  /// Combines x[i] and x[i + bit] for every index i in which the bit is clear. `left` has the index
  /// bits that remain to be folded, including `bit`.
  void foldBit(uint64_t bit, uint64_t left) {
    bringNear(layout, bit, left);
    LinearLayout rest = cleared(layout, bit);
    SmallVector<unsigned> needed = neededFragmentBits(rest);
    LinearLayout own = keepFragments(layout, needed), small = keepFragments(rest, needed);
    SmallVector<Fragments> mine = lowering.fetch(b, sources, {layout, own, 0});
    SmallVector<Fragments> others = lowering.fetch(b, sources, {layout, own, bit});
    orderPairs(own, bit, mine, others);
    sources = combineFragments(mine, others);
    layout = small;
  }

  /// Moves the values to the places of another layout. Returns the fragments of each source.
  SmallVector<Fragments> in(const LinearLayout &wanted) {
    return lowering.fetch(b, sources, {layout, wanted, 0});
  }

private:
  /// Prepares to combine elements whose indices differ in `bits`. Each place p then needs the
  /// elements with the indices near(p), and near(p) ^ bit for each bit of `bits`. If shuffles can
  /// bring all of these, nothing has to be prepared. Otherwise some lie in another warp, so staging
  /// first gives every thread, for each of its elements, all elements whose indices differ only in
  /// `left`, the index bits that remain to be folded. If `left` has more than `maxBits` bits, these
  /// would be too many: the thread gets only the elements whose indices differ in `bits`. The lanes
  /// of each warp get one element each if that is shorter (`isShorterInLanes`), and if they have
  /// only copies of one.
  void bringNear(const LinearLayout &near, uint64_t bits, uint64_t left) {
    bool isNear = planShuffle(layout, near).has_value();
    for (uint64_t rest = bits; rest != 0; rest &= rest - 1)
      isNear = isNear && planShuffle(layout, near, rest & -rest);
    if (isNear)
      return;
    if (llvm::popcount(left) > maxBits)
      left = bits;
    LinearLayout wanted = gathered(layout, left);
    const unsigned count = llvm::popcount(left);
    if (llvm::isPowerOf2_64(bits) && isShorterInLanes(count)) {
      LinearLayout inWarp = gatheredInWarp(layout, left);
      const bool allInLanes =
          inWarp.source().dims()[0].bits + count == wanted.source().dims()[0].bits;
      if (allInLanes)
        wanted = inWarp;
    }
    sources = lowering.fetch(b, sources, {layout, wanted, 0});
    layout = wanted;
  }

  /// True if 2^bits elements are better combined by shuffles between the lanes of a warp than by
  /// each thread alone. Then the thread combines `bits` times and not 2^bits - 1 times. Each time
  /// it shuffles every source, and orders the elements if the combiner is not commutative. A
  /// shuffle counts four times, because the thread waits for it. 32 elements always go to the
  /// lanes.
  bool isShorterInLanes(unsigned bits) const {
    if (bits == maxBits)
      return true;
    const int64_t cost = combiner.cost(), moves = isCommutative ? 4 : 6;
    return int64_t((1u << bits) - 1) * cost > bits * (cost + moves * int64_t(sources.size()));
  }

  /// Swaps the elements of each pair whose first element has the higher index. `own` is the layout
  /// of the first elements; the indices of a pair differ in `bit`. If the order depends on the
  /// thread, a swap takes selects, so a commutative combiner gets the pair as it is.
  void orderPairs(const LinearLayout &own, uint64_t bit, SmallVector<Fragments> &lower,
                  SmallVector<Fragments> &higher) {
    uint64_t threads = threadsOf(own, bit);
    bool isSelecting = threads != 0 && !isCommutative;
    Value isHigher =
        isSelecting ? lowering.isOdd(b, threads, own.source().dims()[1].bits) : Value();
    for (auto [mine, other] : llvm::zip_equal(lower, higher))
      for (unsigned fragment = 0; fragment < mine.size(); ++fragment) {
        if (own.applyPacked(fragment) & bit)
          std::swap(mine[fragment], other[fragment]);
        if (!isSelecting)
          continue;
        Value first = mine[fragment], second = other[fragment];
        mine[fragment] = b.create<arith::SelectOp>(isHigher, second, first);
        other[fragment] = b.create<arith::SelectOp>(isHigher, first, second);
      }
  }

  SmallVector<Fragments> combineFragments(ArrayRef<Fragments> lower, ArrayRef<Fragments> higher) {
    SmallVector<Fragments> results(lower.size());
    for (unsigned fragment = 0; fragment < lower.front().size(); ++fragment) {
      SmallVector<Value> first, second;
      for (auto [low, high] : llvm::zip_equal(lower, higher)) {
        first.push_back(low[fragment]);
        second.push_back(high[fragment]);
      }
      for (auto [result, value] : llvm::zip_equal(results, combiner.combine(b, first, second)))
        result.push_back(value);
    }
    return results;
  }

  static constexpr int maxBits = 5; // 2^5 = 32: the warps of the largest program

  FragmentLowering &lowering;
  ImplicitLocOpBuilder &b;
  Combiner &combiner;
  bool isCommutative;
  LinearLayout layout;
  SmallVector<Fragments> sources;
};

/// A result's layout as a map to indices of the source's block: the coordinate along the axis is 0.
LinearLayout resultPlaces(const LinearLayout &source, const LinearLayout &result, unsigned axis) {
  std::vector<PlaceBases> bases = result.bases();
  for (PlaceBases &place : bases)
    for (Coordinates &basis : place.bases)
      basis.insert(basis.begin() + axis, 0);
  std::string error;
  return *LinearLayout::create(bases, source.shape(), error);
}

LogicalResult lowerReduce(FragmentLowering &lowering, ImplicitLocOpBuilder &b, ReduceOp op) {
  if (!op.getSteps())
    return op.emitOpError("has no order of combining; run eft-place first");
  auto type = cast<RankedTensorType>(op.getSources().front().getType());
  auto sources = CombinedSources::of(lowering, op, op.getSources());
  if (failed(sources))
    return failure();
  Combiner combiner(lowering, op.getCombine(), type);
  if (failed(combiner.check()))
    return failure();
  LinearLayout layout = sources->layout;
  Reducer reducer(lowering, b, combiner, *std::move(sources),
                  op.getOrderFree() || combiner.commutativeOperation() != nullptr);

  const Space::Dim &axis = layout.target().dims()[op.getAxis()];
  SmallVector<int32_t> order(*op.getTree());
  uint64_t left = layout.target().mask(op.getAxis());
  uint64_t tree = 0;
  for (int32_t bit : order)
    tree |= uint64_t(bit) << axis.offset;
  reducer.foldSteps(left & ~tree, left);
  left = tree;
  for (int32_t number : order) {
    const uint64_t bit = uint64_t(number) << axis.offset;
    if (op.getOrderFree())
      left &= ~reducer.foldLanes(bit, left);
    if ((left & bit) == 0)
      continue;
    reducer.foldBit(bit, left);
    left &= ~bit;
  }

  for (auto [number, result] : llvm::enumerate(op.getResults())) {
    bool isBlock = isa<RankedTensorType>(result.getType());
    LinearLayout wanted =
        isBlock ? resultPlaces(layout, lowering.placesOf(result.getType()), op.getAxis())
                : withFragments(cleared(layout, ~uint64_t(0)), {});
    Fragments fragments = reducer.in(wanted)[number];
    if (!isBlock) {
      // The lanes of a vector may hold the element in another type of the same width.
      Value scalar = lowering.scalarOfFragment(b, fragments.front());
      Type type = lowering.scalarType(result.getType());
      fragments = {scalar.getType() == type ? scalar : b.create<arith::BitcastOp>(type, scalar)};
    }
    lowering.setFragments(result, std::move(fragments));
  }
  return success();
}

/// Both lists of blocks have one layout, so every place combines its own elements.
LogicalResult lowerCombine(FragmentLowering &lowering, ImplicitLocOpBuilder &b, CombineOp op) {
  const unsigned count = op.getResults().size();
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  Combiner combiner(lowering, op.getCombine(), type);
  if (failed(combiner.check()))
    return failure();
  SmallVector<Fragments> operands, results(count);
  for (Value source : op.getSources())
    operands.push_back(Fragments(lowering.fragmentsOf(source)));
  for (unsigned fragment = 0; fragment < lowering.numFragments(type); ++fragment) {
    SmallVector<Value> lower, higher;
    for (unsigned i = 0; i < count; ++i) {
      lower.push_back(operands[i][fragment]);
      higher.push_back(operands[count + i][fragment]);
    }
    for (auto [result, value] : llvm::zip_equal(results, combiner.combine(b, lower, higher)))
      result.push_back(value);
  }
  for (auto [result, fragments] : llvm::zip_equal(op.getResults(), results))
    lowering.setFragments(result, std::move(fragments));
  return success();
}

} // namespace

void populateReduceLowerings(LoweringTable &table) {
  table.add(lowerReduce);
  table.add(lowerCombine);
}

} // namespace eft
