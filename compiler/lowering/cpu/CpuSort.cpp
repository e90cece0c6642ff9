// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting buffers on a CPU: a loop over the stages of a bitonic network. In it, loops over the
// vectors do the compare-exchanges for each bit of the axis.
//
// A stage does compare-exchanges of elements whose indices differ in one bit, from the highest bit
// below the stage's number to the lowest. If the bit is one of a vector's lanes, elements of the
// same vector are compared. Otherwise two vectors are compared. Two bits of steps share one loop,
// and so do successive bits of lanes: a vector that is loaded once is compared several times.
//
// A run that a stage sorts in descending order is sorted in ascending order of the complements of
// its elements. So the compare-exchanges are the same for both directions.
#include "compiler/lowering/CountedLoop.h"
#include "compiler/lowering/LinearCode.h"
#include "compiler/lowering/cpu/CpuLowering.h"
#include "compiler/lowering/cpu/CpuScan.h"
#include "compiler/lowering/cpu/SortedPair.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace eft {

namespace {

class SortLoops {
public:
  SortLoops(ImplicitLocOpBuilder &b, SortIntoOp sort, Value buffer, VectorType type,
            const LinearLayout &layout, ArrayRef<AxisLevel> levels)
      : b(b), sort(sort), buffer(buffer), type(type), layout(layout), levels(levels) {}

  void emit() {
    const size_t ofLanes = numLowestLanes();
    int64_t first = sort.getFirst();
    if (first == 1 && ofLanes > 1 && int64_t(ofLanes) <= int64_t(sort.getLast()) && hasPairs()) {
      emitStagesOfLanes(ofLanes);
      first = int64_t(ofLanes) + 1;
    }
    // If `canMerge`, one loop over pairs of vectors does the last part of every further stage: the
    // lowest `merged` bits, which are those of the lanes and the lowest bit of the steps.
    const bool canMerge = ofLanes != 0 && first > int64_t(ofLanes) && lanesAreLowest() &&
                          hasPairs() && ofLanes < levels.size() && distanceOf(ofLanes) == 1;
    const size_t merged = canMerge ? ofLanes + 1 : 0;
    emitLoop(b, first, sort.getLast() + 1, 1, [&](Value number) {
      stage = number;
      for (size_t end = levels.size(); end > merged;)
        end = emitBits(merged, end);
      if (canMerge)
        forEachPair([&](SortedPair &pair, Value step) {
          mergeLanes(pair, step, 0, ofLanes, /*comparesVectors=*/true);
        });
    });
  }

private:
  /// Emits one loop, for the highest bits below `end` that can share it, but for none below
  /// `least`. Returns the lowest bit of the loop.
  size_t emitBits(size_t least, size_t end) {
    const bool isOfLanes = levels[end - 1].isOfLanes();
    const size_t most = isOfLanes ? end : 2;
    size_t first = end - 1;
    while (end - first < most && first > least && levels[first - 1].isOfLanes() == isOfLanes)
      --first;
    if (isOfLanes)
      emitLanes(first, end);
    else
      emitSteps(first, end);
    return first;
  }

  /// Emits compare-exchanges of whole vectors, for the bits of steps from `first` to `end` − 1: one
  /// bit or two.
  void emitSteps(size_t first, size_t end) {
    ifHas(
        end - 1, [&] { emitStepLoop(first, end); },
        [&] {
          if (end - first == 2)
            ifHas(first, [&] { emitStepLoop(first, end - 1); });
        });
  }

  void emitStepLoop(size_t first, size_t end) {
    const size_t bits = end - first, vectors = size_t(1) << bits;
    emitLoop(b, 0, steps() >> bits, 1, [&](Value count) {
      SmallVector<int64_t, 2> distances;
      for (size_t bit = first; bit < end; ++bit)
        distances.push_back(distanceOf(bit));
      llvm::sort(distances);
      Value step = count;
      for (int64_t distance : distances)
        step = withoutBit(step, distance);
      Value flips = flipsOf(step, /*isUniform=*/lanesAreLowest());
      SmallVector<Value, 4> memory, values;
      for (size_t number = 0; number < vectors; ++number) {
        int64_t distance = 0;
        for (size_t bit = 0; bit < bits; ++bit)
          distance += (number >> bit & 1) != 0 ? distanceOf(first + bit) : 0;
        memory.push_back(address(b.create<arith::AddIOp>(step, constant(distance))));
        values.push_back(flipped(load(memory.back()), flips));
      }
      for (size_t bit = bits; bit-- > 0;)
        for (size_t number = 0; number < vectors; ++number)
          if ((number >> bit & 1) == 0) {
            Value &lower = values[number], &upper = values[number | size_t(1) << bit];
            std::tie(lower, upper) = std::pair(smaller(lower, upper), larger(lower, upper));
          }
      for (auto [place, value] : llvm::zip_equal(memory, values))
        b.create<LLVM::StoreOp>(flipped(value, flips), place);
    });
  }

  /// Emits the number with a zero inserted at `bit`: the bits below it stay, the others move up.
  Value withoutBit(Value number, int64_t bit) {
    Value below = b.create<arith::AndIOp>(number, constant(bit - 1));
    Value above = b.create<arith::SubIOp>(number, below);
    return b.create<arith::AddIOp>(b.create<arith::AddIOp>(above, above), below);
  }

  int64_t distanceOf(size_t bit) const { return int64_t(levels[bit].bit.steps); }
  int64_t laneOf(size_t bit) const { return int64_t(levels[bit].bit.lanes); }

  /// Emits compare-exchanges inside vectors, for the bits of lanes from `first` to `end` − 1. Most
  /// stages have all of these bits, so that case does not test them one by one.
  void emitLanes(size_t first, size_t end) {
    ifHas(
        end - 1,
        [&] {
          if (hasPairs())
            forEachPair([&](SortedPair &pair, Value step) { mergeLanes(pair, step, first, end); });
          else
            emitLanesOfEach(
                [&](Value vector) {
                  for (size_t bit = end; bit-- > first;)
                    vector = exchanged(bit, vector);
                  return vector;
                },
                /*hasAll=*/true);
        },
        [&] {
          emitLanesOfEach(
              [&](Value vector) {
                for (size_t bit = end; bit-- > first;)
                  vector = exchangedIf(has(bit), bit, vector);
                return vector;
              },
              /*hasAll=*/false);
        });
  }

  void emitLanesOfEach(llvm::function_ref<Value(Value)> exchange, bool hasAll) {
    emitLoop(b, 0, steps(), 1, [&](Value step) {
      Value memory = address(step), flips = flipsOf(step, hasAll && lanesAreLowest());
      Value sorted = exchange(flipped(load(memory), flips));
      b.create<LLVM::StoreOp>(flipped(sorted, flips), memory);
    });
  }

  /// True if vectors are sorted two at a time. For elements of fewer than 32 bits the shuffles
  /// would take too long.
  bool hasPairs() const { return steps() > 1 && type.getElementTypeBitWidth() >= 32; }

  /// Emits the stages 1 to `count`, which have bits of lanes alone, in one loop over pairs of
  /// vectors.
  void emitStagesOfLanes(size_t count) {
    forEachPair([&](SortedPair &pair, Value step) {
      for (size_t number = 1; number < count; ++number) {
        pair.flip(flipsOfLanes(pair, number));
        for (size_t bit = number; bit-- > 0;)
          pair.compareLanes(laneOf(bit));
        pair.flip(flipsOfLanes(pair, number));
      }
      pair.putBack();
      stage = constant(int64_t(count));
      mergeLanes(pair, step, 0, count);
    });
  }

  void forEachPair(llvm::function_ref<void(SortedPair &, Value)> body) {
    emitLoop(b, 0, steps(), 2, [&](Value step) {
      const Value memory[] = {address(step), address(next(step))};
      SortedPair pair(b, {load(memory[0]), load(memory[1])}, sort.getIsUnsigned());
      body(pair, step);
      for (auto [vector, own] : llvm::zip_equal(pair.vectors(), memory))
        b.create<LLVM::StoreOp>(vector, own);
    });
  }

  /// Emits the compare-exchanges of the current stage for a pair of vectors, for the bits of lanes
  /// from `end` − 1 down to `first`. With `comparesVectors`, the two vectors are compared first:
  /// they differ in the lowest bit of steps.
  void mergeLanes(SortedPair &pair, Value step, size_t first, size_t end,
                  bool comparesVectors = false) {
    const bool isUniform = lanesAreLowest();
    Value own = flipsOf(step, isUniform);
    const SortedPair::Vectors flips = {own, comparesVectors ? own : flipsOf(next(step), isUniform)};
    pair.flip(flips);
    if (comparesVectors)
      pair.compare();
    for (size_t bit = end; bit-- > first;)
      pair.compareLanes(laneOf(bit));
    pair.putBack();
    pair.flip(flips);
  }

  /// Returns what `flipsOf` does, for both vectors of a pair, in a stage whose number is that of a
  /// bit of lanes. The flips are then constants.
  SortedPair::Vectors flipsOfLanes(const SortedPair &pair, size_t number) {
    const unsigned width = type.getElementTypeBitWidth();
    SmallVector<APInt> flips;
    for (int64_t element : pair.numbers()) {
      const bool falls = ((element & laneOf(number)) != 0) != sort.getDescending();
      flips.push_back(falls ? APInt::getAllOnes(width) : APInt::getZero(width));
    }
    auto constantOf = [&](ArrayRef<APInt> values) -> Value {
      return b.create<arith::ConstantOp>(DenseElementsAttr::get(type, values));
    };
    const size_t half = flips.size() / 2;
    return {constantOf(ArrayRef(flips).take_front(half)),
            constantOf(ArrayRef(flips).drop_front(half))};
  }

  Value next(Value step) { return b.create<arith::AddIOp>(step, constant(1)); }

  Value exchangedIf(Value condition, size_t bit, Value vector) {
    auto choice = b.create<scf::IfOp>(TypeRange(type), condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.elseBlock());
    b.create<scf::YieldOp>(vector);
    b.setInsertionPointToStart(choice.thenBlock());
    b.create<scf::YieldOp>(exchanged(bit, vector));
    return choice.getResult(0);
  }

  Value exchanged(size_t bit, Value vector) {
    SmallVector<int64_t> others;
    SmallVector<bool> uppers;
    for (int64_t lane = 0; lane < type.getNumElements(); ++lane) {
      others.push_back(lane ^ laneOf(bit));
      uppers.push_back((lane & laneOf(bit)) != 0);
    }
    Value other = b.create<vector::ShuffleOp>(vector, vector, others);
    auto masks = VectorType::get(type.getShape(), b.getI1Type());
    Value isUpper = b.create<arith::ConstantOp>(DenseElementsAttr::get(masks, uppers));
    return b.create<arith::SelectOp>(isUpper, larger(vector, other), smaller(vector, other));
  }

  Value smaller(Value one, Value other) {
    return eft::smaller(b, sort.getIsUnsigned(), one, other);
  }
  Value larger(Value one, Value other) { return eft::larger(b, sort.getIsUnsigned(), one, other); }

  /// True if all bits of lanes are lower bits of the axis than those of steps. In a stage whose
  /// number is that of a bit of steps, all lanes of a vector then have the same direction.
  bool lanesAreLowest() const {
    return llvm::none_of(levels.drop_front(numLowestLanes()),
                         [](const AxisLevel &level) { return level.isOfLanes(); });
  }

  /// The number of the axis' lowest bits, up to the first one of steps. They are all bits of lanes.
  size_t numLowestLanes() const {
    return size_t(
        llvm::find_if_not(levels, [](const AxisLevel &each) { return each.isOfLanes(); }) -
        levels.begin());
  }

  /// Emits a vector in which a lane has all bits set if its element is in a run to be sorted in
  /// descending order, else none. The stage's number is the number of a bit of the index. The stage
  /// sorts a run in descending order if this bit is set in the run's indices (for a descending
  /// sort, if it is not set). Both elements of a compare-exchange agree in this bit, so they are in
  /// one run. With `isUniform`, all lanes are known to agree.
  Value flipsOf(Value step, bool isUniform) {
    Value index = emitLinearMap(b, step, imagesOf(layout, "step", sort.getAxis()));
    auto bitOf = [&](Value index, Value number) {
      return b.create<arith::ShRUIOp>(index, number).getResult();
    };
    Value direction = constant(sort.getDescending() ? 1 : 0);
    if (isUniform) {
      Value falls = b.create<arith::XOrIOp>(bitOf(index, stage), direction);
      Value isFalling = b.create<arith::TruncIOp>(b.getI1Type(), falls);
      return b.create<vector::SplatOp>(type,
                                       b.create<arith::ExtSIOp>(type.getElementType(), isFalling));
    }
    SmallVector<int64_t> images = imagesOf(layout, "lane", sort.getAxis());
    SmallVector<int32_t> lanes(type.getNumElements(), 0);
    for (auto [lane, number] : llvm::enumerate(lanes))
      for (auto [bit, image] : llvm::enumerate(images))
        number ^= (lane >> bit & 1) != 0 ? int32_t(image) : 0;
    auto words = VectorType::get(type.getShape(), b.getI32Type());
    auto splat = [&](Value word) -> Value { return b.create<vector::SplatOp>(words, word); };
    Value ofLanes = b.create<arith::ConstantOp>(DenseElementsAttr::get(words, ArrayRef(lanes)));
    Value all = b.create<arith::OrIOp>(ofLanes, splat(index));
    Value falls = b.create<arith::XOrIOp>(bitOf(all, splat(stage)), splat(direction));
    auto masks = VectorType::get(type.getShape(), b.getI1Type());
    return b.create<arith::ExtSIOp>(type, b.create<arith::TruncIOp>(masks, falls));
  }

  Value flipped(Value vector, Value flips) { return b.create<arith::XOrIOp>(vector, flips); }

  int64_t steps() const { return int64_t(1) << layout.placeBits("step"); }

  Value constant(int64_t value) { return b.create<arith::ConstantIntOp>(value, 32); }

  /// Emits the condition that the stage has compare-exchanges for a bit.
  Value has(size_t bit) {
    return b.create<arith::CmpIOp>(arith::CmpIPredicate::ugt, stage, constant(int64_t(bit)));
  }

  void ifHas(size_t bit, llvm::function_ref<void()> then,
             llvm::function_ref<void()> otherwise = {}) {
    auto choice = b.create<scf::IfOp>(has(bit), /*withElseRegion=*/bool(otherwise));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    then();
    if (!otherwise)
      return;
    b.setInsertionPointToStart(choice.elseBlock());
    otherwise();
  }

  Value address(Value step) {
    return b.create<LLVM::GEPOp>(buffer.getType(), type, buffer, ValueRange{step});
  }
  Value load(Value memory) { return b.create<LLVM::LoadOp>(type, memory); }

  ImplicitLocOpBuilder &b;
  SortIntoOp sort;
  Value buffer;
  VectorType type;
  const LinearLayout &layout;
  ArrayRef<AxisLevel> levels;
  Value stage;
};

LogicalResult lowerSortInto(CpuLowering &lowering, ImplicitLocOpBuilder &b, SortIntoOp sort) {
  RankedTensorType block = sort.getBuffer().getType().getBlock();
  LinearLayout layout = *layoutOf(block);
  std::optional<SmallVector<AxisLevel>> levels = levelsOf(layout, sort.getAxis());
  if (!levels)
    return sort.emitOpError("can't sort a buffer in this order, got ") << block;
  auto type = cast<VectorType>(lowering.fragmentType(block, block.getElementType()));
  SortLoops(b, sort, lowering.scalarOf(sort.getBuffer()), type, layout, *levels).emit();
  return success();
}

} // namespace

void populateCpuSortLowerings(LoweringTable &table) { table.add(lowerSortInto); }

} // namespace eft
