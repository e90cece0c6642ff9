// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/tiling/FoldLoops.h"

#include "compiler/lowering/LinearCode.h"
#include "compiler/lowering/buffers/WholeBuffers.h"
#include "compiler/lowering/tiling/Tiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace eft {

namespace {

/// The most step bits that a phase folds: `maxBits` if the combiner is one operation, `smallBits`
/// if it is longer.
constexpr unsigned maxBits = 3, smallBits = 2;

Value constant(ImplicitLocOpBuilder &b, int64_t value) {
  return b.create<arith::ConstantIntOp>(value, 32);
}

RankedTensorType reshaped(RankedTensorType block, ArrayRef<int64_t> shape) {
  return withLayout(RankedTensorType::get(shape, block.getElementType()),
                    layoutOf(block)->reshape(shape));
}

Value reshape(ImplicitLocOpBuilder &b, Value block, ArrayRef<int64_t> shape) {
  return b.create<ReshapeOp>(reshaped(cast<RankedTensorType>(block.getType()), shape), block);
}

/// The type of a block of `1 << bits` vectors like `vector`.
RankedTensorType blockOf(RankedTensorType vector, unsigned bits, StringRef dimension) {
  SmallVector<int64_t> shape(vector.getShape());
  shape.insert(shape.begin(), int64_t(1) << bits);
  std::vector<PlaceBases> places = layoutOf(vector)->bases();
  std::erase_if(places, [&](const PlaceBases &place) { return place.name == dimension.str(); });
  for (PlaceBases &place : places)
    for (Coordinates &basis : place.bases)
      basis.insert(basis.begin(), 0);
  PlaceBases &steps = places.emplace_back(PlaceBases{dimension.str(), {}});
  for (unsigned bit = 0; bit < bits; ++bit) {
    Coordinates &basis = steps.bases.emplace_back(shape.size(), 0);
    basis.front() = int64_t(1) << bit;
  }
  std::string error;
  return withLayout(RankedTensorType::get(shape, vector.getElementType()),
                    *LinearLayout::create(places, shape, error));
}

} // namespace

SmallVector<Value> combineBlocks(ImplicitLocOpBuilder &b, ReduceOp reduce, ValueRange lower,
                                 ValueRange higher) {
  SmallVector<Value> operands(lower);
  llvm::append_range(operands, higher);
  SmallVector<Type> types(lower.getTypes());
  auto combine = b.create<CombineOp>(types, operands);
  IRMapping mapping;
  reduce.getCombine().cloneInto(&combine.getCombine(), mapping);
  return SmallVector<Value>(combine.getResults());
}

SmallVector<Value> reduceTree(ImplicitLocOpBuilder &b, ReduceOp reduce, ValueRange sources,
                              unsigned axis, ArrayRef<int32_t> tree) {
  SmallVector<Type> types;
  for (Value source : sources) {
    auto block = cast<RankedTensorType>(source.getType());
    SmallVector<int64_t> shape(block.getShape());
    shape.erase(shape.begin() + axis);
    if (shape.empty())
      types.push_back(block.getElementType());
    else
      types.push_back(withLayout(RankedTensorType::get(shape, block.getElementType()),
                                 layoutOf(block)->slice(axis)));
  }
  auto result = b.create<ReduceOp>(types, sources, b.getI32IntegerAttr(int32_t(axis)),
                                   reduce.getOrderFreeAttr(), b.getI32IntegerAttr(1),
                                   b.getDenseI32ArrayAttr(tree));
  IRMapping mapping;
  reduce.getCombine().cloneInto(&result.getCombine(), mapping);
  return SmallVector<Value>(result.getResults());
}

SmallVector<FoldLoops::StepBit> FoldLoops::stepBitsOf(const LinearLayout &layout, unsigned axis,
                                                      StringRef dimension) {
  SmallVector<StepBit> bits;
  for (unsigned bit = 0; bit < layout.placeBits(dimension.str()); ++bit) {
    Coordinates basis = layout.basis(dimension.str(), bit);
    // Bits that add nothing only make copies, and one copy is enough.
    if (llvm::any_of(basis, [](int64_t coordinate) { return coordinate != 0; }))
      bits.push_back({bit, bit, int32_t(basis[axis])});
  }
  return bits;
}

bool FoldLoops::canFold(ReduceOp reduce, RankedTensorType partial, StringRef dimension) {
  LinearLayout layout = *layoutOf(partial);
  const unsigned axis = reduce.getAxis();
  RankedTensorType vector = tileType(partial, {dimension, 0});
  if (!vector || !layout.isSurjective())
    return false;
  // A step bit must move along the axis alone, or along other dimensions alone. No two bits may add
  // the same to the coordinate along the axis.
  int64_t ofVector = vector.getDimSize(axis) - 1, seen = ofVector;
  for (const StepBit &bit : stepBitsOf(layout, axis, dimension)) {
    Coordinates basis = layout.basis(dimension.str(), bit.inSource);
    const bool isPure = llvm::count(basis, 0) + 1 == int64_t(basis.size());
    if (bit.ofAxis != 0 && (!isPure || (seen & bit.ofAxis) != 0))
      return false;
    seen |= bit.ofAxis;
  }
  // A result must have the layout of its source without the axis.
  for (auto [source, result] : llvm::zip_equal(reduce.getSources(), reduce.getResults()))
    if (isa<RankedTensorType>(result.getType()) &&
        !(*layoutOf(result.getType()) == layoutOf(source.getType())->slice(axis)))
      return false;
  return llvm::popcount(uint64_t(seen)) == int(reduce.getTree()->size());
}

FoldLoops::FoldLoops(ImplicitLocOpBuilder &b, ReduceOp reduce, SmallVector<Value> buffers,
                     StringRef dimension)
    : b(b), reduce(reduce), buffers(std::move(buffers)), dimension(dimension) {
  for (Value buffer : this->buffers)
    types.push_back(tileType(cast<BufferType>(buffer.getType()).getBlock(), {dimension, 0}));
  RankedTensorType block = cast<BufferType>(this->buffers.front().getType()).getBlock();
  stepBits = stepBitsOf(*layoutOf(block), reduce.getAxis(), dimension);
  for (int32_t bit = 1; bit < types.front().getDimSize(reduce.getAxis()); bit *= 2)
    laneBits.push_back(bit);
}

void FoldLoops::emit() {
  Block &function = reduce.getCombine().front();
  const unsigned limit = function.getOperations().size() <= 2 ? maxBits : smallBits;
  SmallVector<int32_t> phase;
  unsigned count = 0;
  const ArrayRef<int32_t> tree = *reduce.getTree();
  for (int32_t bit : tree) {
    const bool isLane = llvm::is_contained(laneBits, bit);
    if (!isLane && count++ == limit) {
      emitPhase(phase);
      phase.clear();
      count = 1;
    }
    phase.push_back(bit);
  }
  if (!phase.empty())
    emitPhase(phase);
}

FoldLoops::Tile FoldLoops::tileAt(Value step) {
  Tile tile;
  for (auto [type, buffer] : llvm::zip_equal(types, buffers))
    tile.push_back(b.create<BufferReadOp>(type, buffer, step, LayoutAttr(), IntegerAttr()));
  return tile;
}

void FoldLoops::emitPhase(ArrayRef<int32_t> bits) {
  SmallVector<StepBit> folded, kept;
  for (int32_t bit : bits)
    for (const StepBit &step : stepBits)
      if (step.ofAxis == bit)
        folded.push_back(step);
  SmallVector<int64_t> images;
  for (const StepBit &step : stepBits) {
    if (llvm::is_contained(bits, step.ofAxis))
      continue;
    images.push_back(int64_t(1) << step.inBuffer);
    kept.push_back({step.inSource, unsigned(kept.size()), step.ofAxis});
  }

  auto loop =
      b.create<scf::ForOp>(constant(b, 0), constant(b, int64_t(1) << kept.size()), constant(b, 1));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value first = emitLinearMap(b, loop.getInductionVar(), images);
    SmallVector<Tile> tiles;
    for (unsigned setting = 0; setting < 1u << folded.size(); ++setting) {
      int64_t offset = 0;
      for (auto [number, step] : llvm::enumerate(folded))
        offset |= int64_t(setting >> number & 1) << step.inBuffer;
      tiles.push_back(tileAt(b.create<arith::OrIOp>(first, constant(b, offset))));
    }
    Tile result = fold(std::move(tiles), bits, folded);
    for (auto [value, type, buffer] : llvm::zip_equal(result, types, buffers)) {
      type = cast<RankedTensorType>(value.getType());
      buffer = makeBuffer(reduce, blockOf(type, unsigned(kept.size()), dimension));
      b.create<BufferWriteOp>(value, buffer, loop.getInductionVar());
    }
  }
  stepBits = std::move(kept);
}

/// Folds `bits` in their order. Those of them that are step bits are `steps`, in the same order. In
/// tile number i, bit j of i is the value of step bit number j of `steps`.
FoldLoops::Tile FoldLoops::fold(SmallVector<Tile> tiles, ArrayRef<int32_t> bits,
                                ArrayRef<StepBit> steps) {
  for (int32_t bit : bits) {
    if (auto *lane = llvm::find(laneBits, bit); lane != laneBits.end()) {
      for (Tile &tile : tiles)
        tile = foldLanes(tile, unsigned(lane - laneBits.begin()));
      laneBits.erase(lane);
      continue;
    }
    // The step bits are numbered in the order of the tree, so the next one to fold is bit 0 of the
    // tiles' numbers.
    SmallVector<Tile> combined;
    for (size_t i = 0; i < tiles.size(); i += 2)
      combined.push_back(combineBlocks(b, reduce, tiles[i], tiles[i + 1]));
    tiles = std::move(combined);
  }
  return tiles.front();
}

/// Combines the elements of each vector whose coordinates along the axis differ in bit number
/// `position`.
FoldLoops::Tile FoldLoops::foldLanes(const Tile &tile, unsigned position) {
  const unsigned axis = reduce.getAxis();
  Tile apart, together;
  for (Value vector : tile) {
    SmallVector<int64_t> shape(cast<RankedTensorType>(vector.getType()).getShape());
    const int64_t below = int64_t(1) << position, above = shape[axis] / 2 / below;
    shape[axis] = above;
    shape.insert(shape.begin() + axis + 1, {2, below});
    apart.push_back(reshape(b, vector, shape));
  }
  for (Value vector : reduceTree(b, reduce, apart, axis + 1, {1})) {
    SmallVector<int64_t> shape(cast<RankedTensorType>(vector.getType()).getShape());
    shape[axis] *= shape[axis + 1];
    shape.erase(shape.begin() + axis + 1);
    together.push_back(reshape(b, vector, shape));
  }
  return together;
}

SmallVector<unsigned> FoldLoops::positionBits() const {
  return llvm::map_to_vector(stepBits, [](const StepBit &bit) { return bit.inSource; });
}

SmallVector<Value> FoldLoops::resultsAt(Value position) {
  SmallVector<int64_t> images;
  for (const StepBit &bit : stepBits)
    images.push_back(int64_t(1) << bit.inBuffer);
  // The axis has one element left.
  return reduceTree(b, reduce, tileAt(emitLinearMap(b, position, images)), reduce.getAxis(), {});
}

} // namespace eft
