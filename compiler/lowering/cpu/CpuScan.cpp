// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of buffers on a CPU: each level of the order (see `eft.scan`) is a loop over the vectors
// that it changes. The lowest levels share one loop over tiles of some vectors, which stay in
// registers: they are the levels inside of a vector, and those between the vectors of a tile.
//
// Where the level's bit is one of a vector's lanes, half of the lanes of every vector receive an
// element. Otherwise every lane of half of the vectors does, and neighbouring vectors receive the
// same element. A level changes no element that it reads, so the order of its vectors makes no
// difference.
#include "compiler/lowering/cpu/CpuScan.h"

#include "compiler/layout/Placement.h"
#include "compiler/lowering/Combiner.h"
#include "compiler/lowering/CountedLoop.h"
#include "compiler/lowering/PlaceMaps.h"
#include "compiler/lowering/cpu/CpuLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <map>

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

/// The most vectors of a tile, of all sources, which stay in registers. The code of a tile grows
/// with its vectors, so there are fewer if the function that combines has many operations.
constexpr unsigned maxTileVectors = 8, maxTileOperations = 16;

class ScanLoops {
public:
  ScanLoops(ImplicitLocOpBuilder &b, Combiner &combiner, ArrayRef<Value> buffers,
            ArrayRef<VectorType> types, uint64_t steps, unsigned operations, bool isReverse)
      : b(b), combiner(combiner), buffers(buffers), types(types), steps(steps),
        operations(operations), isReverse(isReverse) {}

  void emit(ArrayRef<AxisLevel> levels) {
    auto *rest =
        llvm::find_if_not(levels, [](const AxisLevel &each) { return each.staysInVector(); });
    auto *end = rest;
    while (end != levels.end() && !end->isOfLanes() && fitsInTile(bitNumber(end - rest + 1)))
      ++end;
    emitTiles(ArrayRef(levels.begin(), rest), ArrayRef(rest, end));
    for (const AxisLevel &level : ArrayRef(end, levels.end()))
      emitLevel(level);
  }

private:
  bool fitsInTile(uint64_t vectors) const {
    return vectors * buffers.size() <= maxTileVectors && vectors * operations <= maxTileOperations;
  }

  /// Emits the levels inside of vectors, and then those inside of tiles: the bits of the latter are
  /// the bits of a vector's number in its tile.
  void emitTiles(ArrayRef<AxisLevel> inVectors, ArrayRef<AxisLevel> inTiles) {
    if (inVectors.empty() && inTiles.empty())
      return;
    SmallVector<uint64_t> places(1, 0); // the vectors of a tile, as numbers from its first on
    for (const AxisLevel &level : inTiles)
      for (uint64_t place : SmallVector<uint64_t>(places))
        places.push_back(place | level.bit.steps);
    uint64_t inTile = places.back();
    emitLoop(b, 0, int64_t(steps / places.size()), 1, [&](Value count) {
      Value first = deposit(count, (steps - 1) & ~inTile);
      std::map<uint64_t, SmallVector<Value>> tile;
      for (uint64_t place : places) {
        SmallVector<Value> &own = tile[place] = load(plus(first, place));
        for (const AxisLevel &level : inVectors)
          own = combine(level, needed(level, own), own);
      }
      for (const AxisLevel &level : inTiles) {
        for (uint64_t place : places)
          if (((place & level.bit.steps) != 0) != isReverse)
            tile[place] =
                combine(level, needed(level, tile[neededStep(level, place)]), tile[place]);
      }
      for (uint64_t place : places)
        store(tile[place], plus(first, place));
    });
  }

  void emitLevel(const AxisLevel &level) {
    uint64_t bit = level.bit.steps, lower = level.lower.steps;
    if (level.isOfLanes())
      return emitLoop(b, 0, int64_t(steps), 1, [&](Value step) {
        Value from = b.create<arith::OrIOp>(step, constant(lower));
        if (isReverse)
          from = b.create<arith::XOrIOp>(from, constant(lower));
        SmallVector<Value> own = load(step);
        store(combine(level, needed(level, load(from)), own), step);
      });
    uint64_t outer = (steps - 1) & ~(bit | lower);
    emitLoop(b, 0, int64_t(bitNumber(llvm::popcount(outer))), 1, [&](Value part) {
      Value first = deposit(part, outer);
      SmallVector<Value> from =
          needed(level, load(plus(first, neededStep(level, isReverse ? 0 : bit))));
      emitLoop(b, 0, int64_t(bitNumber(llvm::popcount(lower))), 1, [&](Value count) {
        Value step =
            b.create<arith::AddIOp>(plus(first, isReverse ? 0 : bit), deposit(count, lower));
        store(combine(level, from, load(step)), step);
      });
    });
  }

  /// The number of the vector with the elements that a vector needs at a level.
  uint64_t neededStep(const AxisLevel &level, uint64_t step) const {
    uint64_t all = step | level.bit.steps | level.lower.steps;
    return all & ~(isReverse ? level.lower.steps : level.bit.steps);
  }

  /// For each lane of a vector that receives, the element of `from` that it needs at the level.
  SmallVector<Value> needed(const AxisLevel &level, ArrayRef<Value> from) {
    SmallVector<int64_t> sources;
    for (uint64_t lane = 0; lane < lanes(); ++lane) {
      uint64_t all = lane | level.bit.lanes | level.lower.lanes;
      sources.push_back(int64_t(all & ~(isReverse ? level.lower.lanes : level.bit.lanes)));
    }
    SmallVector<Value> lower;
    for (Value vector : from)
      lower.push_back(b.create<vector::ShuffleOp>(vector, vector, sources));
    return lower;
  }

  /// Returns the vectors `own` in which the receiving lanes are combined with those of `lower`.
  SmallVector<Value> combine(const AxisLevel &level, ArrayRef<Value> lower, ArrayRef<Value> own) {
    SmallVector<Value> combined = combiner.combine(b, lower, own);
    if (!level.isOfLanes())
      return combined;
    SmallVector<bool> receives;
    for (uint64_t lane = 0; lane < lanes(); ++lane)
      receives.push_back(((lane & level.bit.lanes) != 0) != isReverse);
    auto masks = VectorType::get(types.front().getShape(), b.getI1Type());
    Value isReceiver = b.create<arith::ConstantOp>(DenseElementsAttr::get(masks, receives));
    for (auto [result, before] : llvm::zip_equal(combined, own))
      result = b.create<arith::SelectOp>(isReceiver, result, before);
    return combined;
  }

  uint64_t lanes() const { return uint64_t(types.front().getNumElements()); }

  /// Returns the number whose bits `mask` are the bits of `count`, in the same order, and whose
  /// other bits are 0.
  Value deposit(Value count, uint64_t mask) {
    Value result;
    for (unsigned taken = 0; mask != 0;) {
      unsigned start = llvm::countr_zero(mask), length = llvm::countr_one(mask >> start);
      uint64_t run = (bitNumber(length) - 1) << start;
      Value bits = count;
      if (start != taken)
        bits = b.create<arith::ShLIOp>(bits, constant(start - taken));
      if (mask != run || result)
        bits = b.create<arith::AndIOp>(bits, constant(run));
      result = result ? b.create<arith::OrIOp>(result, bits).getResult() : bits;
      taken += length;
      mask &= ~run;
    }
    return result ? result : constant(0);
  }

  Value plus(Value number, uint64_t offset) {
    return offset == 0 ? number : b.create<arith::AddIOp>(number, constant(offset)).getResult();
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
  unsigned operations; // of the function that combines
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
  unsigned operations = 0;
  scan.getCombine().walk(
      [&](Operation *op) { operations += !op->hasTrait<OpTrait::IsTerminator>(); });
  ScanLoops(b, combiner, buffers, types, lowering.numFragments(block), operations,
            scan.getReverse())
      .emit(*levels);
  return success();
}

} // namespace

void populateCpuScanLowerings(LoweringTable &table) { table.add(lowerScanInto); }

} // namespace eft
