// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting buffers on a CPU: a loop over the stages of a bitonic network, in which each bit of the
// axis has a loop over the vectors.
//
// A stage does compare-exchanges of elements whose indices differ in one bit, from the highest bit
// below the stage's number to the lowest. Where the bit is one of a vector's lanes, the halves of
// each vector are compared; else two vectors are. Bits of lanes that follow each other share one
// loop.
#include "compiler/lowering/CountedLoop.h"
#include "compiler/lowering/LinearCode.h"
#include "compiler/lowering/cpu/CpuLowering.h"
#include "compiler/lowering/cpu/CpuScan.h"

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
    emitLoop(b, sort.getFirst(), sort.getLast() + 1, 1, [&](Value number) {
      stage = number;
      for (size_t end = levels.size(); end > 0;) {
        size_t first = end - 1;
        while (levels[first].isOfLanes() && first > 0 && levels[first - 1].isOfLanes())
          --first;
        if (levels[first].isOfLanes())
          emitLanes(first, end);
        else
          emitSteps(first);
        end = first;
      }
    });
  }

private:
  /// Compare-exchange of two vectors.
  void emitSteps(size_t bit) {
    auto choice = b.create<scf::IfOp>(has(bit));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    const auto distance = int64_t(levels[bit].bit.steps);
    emitLoop(b, 0, steps() / 2, 1, [&](Value count) {
      // The counter without the bit: those below it stay, those above move up.
      Value below = b.create<arith::AndIOp>(count, constant(distance - 1));
      Value above = b.create<arith::SubIOp>(count, below);
      Value step = b.create<arith::AddIOp>(b.create<arith::AddIOp>(above, above), below);
      Value lower = address(step);
      Value upper = address(b.create<arith::AddIOp>(step, constant(distance)));
      Value first = load(lower), second = load(upper);
      Value less = smaller(first, second), more = larger(first, second), fall = falls(step);
      b.create<LLVM::StoreOp>(b.create<arith::SelectOp>(fall, more, less), lower);
      b.create<LLVM::StoreOp>(b.create<arith::SelectOp>(fall, less, more), upper);
    });
  }

  /// Compare-exchange of lanes of each vector.
  void emitLanes(size_t first, size_t end) {
    emitLoop(b, 0, steps(), 1, [&](Value step) {
      Value memory = address(step), vector = load(memory), fall = falls(step);
      for (size_t bit = end; bit-- > first;)
        vector = exchangedIf(has(bit), bit, vector, fall);
      b.create<LLVM::StoreOp>(vector, memory);
    });
  }

  Value exchangedIf(Value condition, size_t bit, Value vector, Value fall) {
    auto choice = b.create<scf::IfOp>(TypeRange(type), condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.elseBlock());
    b.create<scf::YieldOp>(vector);
    b.setInsertionPointToStart(choice.thenBlock());
    b.create<scf::YieldOp>(exchanged(bit, vector, fall));
    return choice.getResult(0);
  }

  Value exchanged(size_t bit, Value vector, Value fall) {
    SmallVector<int64_t> others;
    SmallVector<bool> uppers;
    for (int64_t lane = 0; lane < type.getNumElements(); ++lane) {
      others.push_back(lane ^ int64_t(levels[bit].bit.lanes));
      uppers.push_back((uint64_t(lane) & levels[bit].bit.lanes) != 0);
    }
    Value other = b.create<vector::ShuffleOp>(vector, vector, others);
    auto masks = VectorType::get(type.getShape(), b.getI1Type());
    Value isUpper = b.create<arith::ConstantOp>(DenseElementsAttr::get(masks, uppers));
    Value wantsLarger = b.create<arith::XOrIOp>(isUpper, fall);
    return b.create<arith::SelectOp>(wantsLarger, larger(vector, other), smaller(vector, other));
  }

  Value smaller(Value first, Value second) {
    if (sort.getIsUnsigned())
      return b.create<arith::MinUIOp>(first, second);
    return b.create<arith::MinSIOp>(first, second);
  }

  Value larger(Value first, Value second) {
    if (sort.getIsUnsigned())
      return b.create<arith::MaxUIOp>(first, second);
    return b.create<arith::MaxSIOp>(first, second);
  }

  /// True where a lane's element is in a run that is sorted in descending order: the bit of its
  /// index with the stage's number tells that. Both elements of a compare-exchange are in one run.
  Value falls(Value step) {
    SmallVector<int64_t> images = imagesOf(layout, "lane", sort.getAxis());
    SmallVector<int32_t> lanes(type.getNumElements(), 0);
    for (auto [lane, index] : llvm::enumerate(lanes))
      for (auto [bit, image] : llvm::enumerate(images))
        index ^= (lane >> bit & 1) != 0 ? int32_t(image) : 0;
    auto words = VectorType::get(type.getShape(), b.getI32Type());
    auto splat = [&](Value word) -> Value { return b.create<vector::SplatOp>(words, word); };
    Value index = b.create<arith::ConstantOp>(DenseElementsAttr::get(words, ArrayRef(lanes)));
    Value ofStep = emitLinearMap(b, step, imagesOf(layout, "step", sort.getAxis()));
    index = b.create<arith::OrIOp>(index, splat(ofStep));
    Value bit = b.create<arith::ShLIOp>(constant(1), stage);
    Value zero = splat(constant(0));
    return b.create<arith::CmpIOp>(sort.getDescending() ? arith::CmpIPredicate::eq
                                                        : arith::CmpIPredicate::ne,
                                   b.create<arith::AndIOp>(index, splat(bit)), zero);
  }

  int64_t steps() const { return int64_t(1) << layout.placeBits("step"); }

  Value constant(int64_t value) { return b.create<arith::ConstantIntOp>(value, 32); }

  /// True if the stage does anything with a bit.
  Value has(size_t bit) {
    return b.create<arith::CmpIOp>(arith::CmpIPredicate::ugt, stage, constant(int64_t(bit)));
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
