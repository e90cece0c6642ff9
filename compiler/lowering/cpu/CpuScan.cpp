// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of buffers on a CPU: each level of the order (see `eft.scan`) is a loop over the vectors
// that it changes. The lowest levels, which stay inside a vector, share one loop.
//
// Where the level's bit is one of a vector's lanes, half of the lanes of every vector receive an
// element. Otherwise every lane of half of the vectors does. A level changes no element that it
// reads, so the order of its vectors makes no difference.
#include "compiler/lowering/cpu/CpuScan.h"

#include "compiler/layout/Placement.h"
#include "compiler/lowering/Combiner.h"
#include "compiler/lowering/CountedLoop.h"
#include "compiler/lowering/cpu/CpuLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace eft {

std::optional<SmallVector<AxisLevel>> levelsOf(const LinearLayout &layout, unsigned axis) {
  if (!layout.isInjective() || !layout.isSurjective())
    return std::nullopt;
  const Space::Dim &along = layout.target().dims()[axis];
  SmallVector<AxisLevel> levels(along.bits);
  for (auto [name, member] : {std::pair(place::lane, &AxisLevel::Places::lanes),
                              {place::step, &AxisLevel::Places::steps}})
    for (unsigned bit = 0; bit < layout.placeBits(name); ++bit) {
      uint64_t image = layout.target().pack(layout.basis(name, bit));
      if (!llvm::isPowerOf2_64(image))
        return std::nullopt;
      unsigned number = llvm::Log2_64(image);
      if (number >= along.offset && number < along.offset + along.bits)
        levels[number - along.offset].bit.*member = uint64_t(1) << bit;
    }
  AxisLevel::Places lower;
  for (AxisLevel &level : levels) {
    level.lower = lower;
    lower.lanes |= level.bit.lanes;
    lower.steps |= level.bit.steps;
  }
  return levels;
}

namespace {

class ScanLoops {
public:
  ScanLoops(ImplicitLocOpBuilder &b, Combiner &combiner, ArrayRef<Value> buffers,
            ArrayRef<VectorType> types, uint64_t steps, bool isReverse)
      : b(b), combiner(combiner), buffers(buffers), types(types), steps(steps),
        isReverse(isReverse) {}

  void emit(ArrayRef<AxisLevel> levels) {
    auto *rest =
        llvm::find_if_not(levels, [](const AxisLevel &each) { return each.staysInVector(); });
    ArrayRef<AxisLevel> inVectors(levels.begin(), rest);
    if (!inVectors.empty())
      emitLoop(b, 0, int64_t(steps), 1, [&](Value step) {
        SmallVector<Value> own = load(step);
        for (const AxisLevel &level : inVectors)
          own = receive(level, own, own);
        store(own, step);
      });
    for (const AxisLevel &level : levels.drop_front(inVectors.size()))
      emitLevel(level);
  }

private:
  void emitLevel(const AxisLevel &level) {
    if (level.isOfLanes())
      return emitLoop(b, 0, int64_t(steps), 1, [&](Value step) { emitStep(level, step); });
    // The step is the counter with a bit inserted at the level's bit: the bits below it stay, those
    // above move up.
    emitLoop(b, 0, int64_t(steps / 2), 1, [&](Value count) {
      Value below = b.create<arith::AndIOp>(count, constant(level.bit.steps - 1));
      Value above = b.create<arith::SubIOp>(count, below);
      Value step = b.create<arith::AddIOp>(b.create<arith::AddIOp>(above, above), below);
      if (!isReverse)
        step = b.create<arith::AddIOp>(step, constant(level.bit.steps));
      emitStep(level, step);
    });
  }

  void emitStep(const AxisLevel &level, Value step) {
    Value from = b.create<arith::OrIOp>(step, constant(level.bit.steps | level.lower.steps));
    uint64_t cleared = isReverse ? level.lower.steps : level.bit.steps;
    if (cleared != 0)
      from = b.create<arith::XOrIOp>(from, constant(cleared));
    SmallVector<Value> own = load(step);
    store(receive(level, own, load(from)), step);
  }

  /// Emits a level for one vector of each source. Returns the vectors `own` in which the receiving
  /// lanes are combined with lanes of `from`.
  SmallVector<Value> receive(const AxisLevel &level, ArrayRef<Value> own, ArrayRef<Value> from) {
    SmallVector<int64_t> sources;
    SmallVector<bool> receives;
    for (uint64_t lane = 0; lane < uint64_t(types.front().getNumElements()); ++lane) {
      uint64_t all = lane | level.bit.lanes | level.lower.lanes;
      sources.push_back(int64_t(all & ~(isReverse ? level.lower.lanes : level.bit.lanes)));
      receives.push_back(((lane & level.bit.lanes) != 0) != isReverse);
    }
    SmallVector<Value> lower;
    for (Value vector : from)
      lower.push_back(b.create<vector::ShuffleOp>(vector, vector, sources));
    SmallVector<Value> combined = combiner.combine(b, lower, own);
    if (!level.isOfLanes())
      return combined;
    auto masks = VectorType::get(types.front().getShape(), b.getI1Type());
    Value isReceiver = b.create<arith::ConstantOp>(DenseElementsAttr::get(masks, receives));
    for (auto [result, before] : llvm::zip_equal(combined, own))
      result = b.create<arith::SelectOp>(isReceiver, result, before);
    return combined;
  }

  Value constant(uint64_t value) { return b.create<arith::ConstantIntOp>(int64_t(value), 32); }

  Value address(unsigned source, Value step) {
    Value buffer = buffers[source];
    return b.create<LLVM::GEPOp>(buffer.getType(), types[source], buffer, ValueRange{step});
  }

  SmallVector<Value> load(Value step) {
    SmallVector<Value> vectors;
    for (unsigned i = 0; i < buffers.size(); ++i)
      vectors.push_back(b.create<LLVM::LoadOp>(types[i], address(i, step)));
    return vectors;
  }

  void store(ArrayRef<Value> vectors, Value step) {
    for (auto [number, vector] : llvm::enumerate(vectors))
      b.create<LLVM::StoreOp>(vector, address(number, step));
  }

  ImplicitLocOpBuilder &b;
  Combiner &combiner;
  ArrayRef<Value> buffers;
  ArrayRef<VectorType> types;
  uint64_t steps;
  bool isReverse;
};

} // namespace

bool canScanInBuffers(Type block, unsigned axis) {
  std::optional<LinearLayout> layout = layoutOf(block);
  return layout && levelsOf(*layout, axis).has_value();
}

namespace {

LogicalResult lowerScanInto(CpuLowering &lowering, ImplicitLocOpBuilder &b, ScanIntoOp scan) {
  SmallVector<Value> buffers;
  SmallVector<VectorType> types;
  RankedTensorType block;
  for (Value buffer : scan.getBuffers()) {
    block = cast<BufferType>(buffer.getType()).getBlock();
    types.push_back(cast<VectorType>(
        lowering.fragmentType(block, lowering.scalarType(block.getElementType()))));
    buffers.push_back(lowering.scalarOf(buffer));
  }
  std::optional<SmallVector<AxisLevel>> levels = levelsOf(*layoutOf(block), scan.getAxis());
  if (!levels)
    return scan.emitOpError("can't scan a buffer in this order, got ") << block;
  Combiner combiner(lowering, scan.getCombine(), block);
  if (failed(combiner.check()))
    return failure();
  ScanLoops(b, combiner, buffers, types, lowering.numFragments(block), scan.getReverse())
      .emit(*levels);
  return success();
}

} // namespace

void populateCpuScanLowerings(LoweringTable &table) { table.add(lowerScanInto); }

} // namespace eft
