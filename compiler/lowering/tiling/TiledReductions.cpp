// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiled loops of groups with reductions.
//
// A reduction combines the parts of its axis one after the other (the steps of the reduction). The
// bits of a tile's number that number these parts are the tile's *part*. The other bits are its
// *position*: the lower ones number tiles inside a part of the axis, the higher ones tiles along
// other dimensions. Two nested loops go over the tiles: the outer one over the positions, the inner
// one over the parts. The inner loop carries the combination of the parts so far.
//
//   for position:
//     combined = neutral
//     for part:  combined = combine(combined, tile(position, part))
//     keep combined
//
// On a CPU, an inner loop over few parts costs as much as the combining itself. So if there are few
// parts, and they are only loaded and combined, a first loop goes over the positions at which all
// parts are inside the mask, and combines these parts without an inner loop.
//
// If a tile has the whole axis apart from the parts, `combined` is folded to the end at once.
// Otherwise it is written into a buffer, and the buffer's contents are folded after the loops: at
// once if they are few vectors, else in loops (FoldLoops.h).
#include "compiler/lowering/tiling/TiledLoops.h"

#include "compiler/ir/Accesses.h"
#include "compiler/ir/CombineRegions.h"
#include "compiler/lowering/LinearCode.h"
#include "compiler/lowering/buffers/WholeBuffers.h"
#include "compiler/lowering/tiling/FoldLoops.h"
#include "compiler/lowering/tiling/TileBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace eft {

namespace {

/// The most parts of an axis that are combined without a loop.
constexpr unsigned maxUnrolledParts = 2;

Value constant(ImplicitLocOpBuilder &b, int64_t value) {
  return b.create<arith::ConstantIntOp>(value, 32);
}

SmallVector<ReduceOp> reductionsOf(const TileGroup &group) {
  SmallVector<ReduceOp> reductions;
  for (Operation *item : group.items)
    if (auto reduce = dyn_cast<ReduceOp>(item))
      reductions.push_back(reduce);
  return reductions;
}

/// The neutral element of a reduction's function: combined with any other value, it gives that
/// value, bit for bit. Null if the function has none, or is not a single operation with a known
/// one.
TypedAttr neutralElement(ReduceOp reduce) {
  Operation *op = onlyOperation(reduce.getCombine().front());
  if (!op)
    return {};
  // The neutral element of a sum is −0, because −0 + 0 is 0.
  if (auto type = dyn_cast<FloatType>(op->getResult(0).getType()); type && isa<arith::AddFOp>(op))
    return FloatAttr::get(type, APFloat::getZero(type.getFloatSemantics(), /*Negative=*/true));
  // A minimum or maximum of NaN and another number is the other number.
  if (isa<MinNumOp, MaxNumOp>(op)) {
    auto type = cast<FloatType>(op->getResult(0).getType());
    return FloatAttr::get(type, APFloat::getQNaN(type.getFloatSemantics()));
  }
  std::optional<TypedAttr> neutral = arith::getNeutralElement(op);
  return neutral ? *neutral : TypedAttr();
}

/// True if a reduction only combines what a tile loads or reads from a buffer, perhaps with other
/// values outside of a mask.
bool combinesLoaded(ReduceOp reduce, const TileGroup &group) {
  return llvm::all_of(reduce.getSources(), [&](Value source) {
    if (auto select = source.getDefiningOp<arith::SelectOp>())
      source = select.getTrueValue();
    return source.getDefiningOp<LoadOp>() || group.bufferReads.contains(source);
  });
}

/// The number of the tile at a position and a part: the bits of the part inserted into those of the
/// position.
Value stepNumber(ImplicitLocOpBuilder &b, const TileGroup &group, Value position, Value part) {
  const ReductionSteps &parts = group.reductionSteps;
  if (parts.bits == 0)
    return position;
  const unsigned first = parts.firstBit - group.steps.keptBits;
  Value below = b.create<arith::AndIOp>(position, constant(b, (int64_t(1) << first) - 1));
  Value above = b.create<arith::ShLIOp>(b.create<arith::ShRUIOp>(position, constant(b, first)),
                                        constant(b, first + parts.bits));
  Value inside = b.create<arith::ShLIOp>(part, constant(b, first));
  return b.create<arith::OrIOp>(b.create<arith::OrIOp>(below, above), inside);
}

} // namespace

/// Neutral elements of the reductions in the tiles' types, one for each source. Zeros if a
/// reduction has none.
static SmallVector<Value> emitNeutral(ImplicitLocOpBuilder &b, const TileGroup &group) {
  SmallVector<Value> values;
  for (ReduceOp reduce : reductionsOf(group))
    for (Value source : reduce.getSources()) {
      RankedTensorType tile = tileType(cast<RankedTensorType>(source.getType()), group.steps);
      TypedAttr neutral = neutralElement(reduce);
      Attribute element = neutral ? Attribute(neutral) : b.getZeroAttr(tile.getElementType());
      values.push_back(b.create<arith::ConstantOp>(SplatElementsAttr::get(tile, element)));
    }
  return values;
}

/// Emits the loops over the parts at one position. `inside` is the number of tiles in which the
/// mask is true throughout, or null if it is not known. If it is known, a first loop does the parts
/// whose tiles lie inside the mask, without the mask. Returns the combined values, one for each
/// source of each reduction.
SmallVector<Value> TiledLoops::emitCombining(ImplicitLocOpBuilder &b, TileGroup &group,
                                             Value position, Value inside) {
  SmallVector<Value> combined = emitNeutral(b, group);
  Value first = constant(b, 0), end = constant(b, int64_t(1) << group.reductionSteps.bits);
  if (inside) {
    // Part p is tile number p · 2^bits + position, and inside the mask if that number is less than
    // `inside`.
    const unsigned bits = positionBits(group);
    Value rest = b.create<arith::SubIOp>(inside, position);
    rest = b.create<arith::AddIOp>(rest, constant(b, (int64_t(1) << bits) - 1));
    Value border = b.create<arith::ShRUIOp>(rest, constant(b, bits));
    combined = emitParts(b, group, position, {first, border}, combined, /*dropMasks=*/true);
    first = border;
  }
  return emitParts(b, group, position, {first, end}, combined, /*dropMasks=*/false);
}

SmallVector<Value> TiledLoops::emitParts(ImplicitLocOpBuilder &b, TileGroup &group, Value position,
                                         std::pair<Value, Value> range, ValueRange start,
                                         bool dropMasks) {
  Value last = b.createOrFold<arith::SubIOp>(range.second, constant(b, 1));
  Value both = b.createOrFold<arith::AddIOp>(range.first, last);
  auto loop = b.create<scf::ForOp>(range.first, range.second, constant(b, 1), start);
  markComputedBounds(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value part = loop.getInductionVar();
  if (group.runsBackwards)
    part = b.create<arith::SubIOp>(both, part);
  Value isFirst =
      b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, loop.getInductionVar(), constant(b, 0));
  b.create<scf::YieldOp>(
      emitPart(b, group, position, part, isFirst, loop.getRegionIterArgs(), dropMasks));
  return SmallVector<Value>(loop.getResults());
}

/// Emits all parts at one position, one after the other, and returns the combined values. With
/// `dropMasks`, the mask is true throughout the tiles of all parts.
SmallVector<Value> TiledLoops::emitUnrolledParts(ImplicitLocOpBuilder &b, TileGroup &group,
                                                 Value position, bool dropMasks) {
  SmallVector<Value> combined = emitNeutral(b, group);
  const int64_t count = int64_t(1) << group.reductionSteps.bits;
  for (int64_t i = 0; i < count; ++i) {
    Value part = constant(b, group.runsBackwards ? count - 1 - i : i);
    Value isFirst = b.create<arith::ConstantIntOp>(i == 0, 1);
    combined = emitPart(b, group, position, part, isFirst, combined, dropMasks);
  }
  return combined;
}

/// Emits the tile of one part at one position. Returns the values combined so far, `carried`, with
/// this tile added.
SmallVector<Value> TiledLoops::emitPart(ImplicitLocOpBuilder &b, TileGroup &group, Value position,
                                        Value part, Value isFirst, ValueRange carried,
                                        bool dropMasks) {
  Value step = stepNumber(b, group, position, part);
  Tiles tiles(b, step, group.steps);
  emitBody(b, group, tiles, step, dropMasks);
  SmallVector<Value> next;
  for (ReduceOp reduce : reductionsOf(group)) {
    SmallVector<Value> own;
    for (Value source : reduce.getSources())
      own.push_back(tiles.tileOf(source));
    SmallVector<Value> combined = combineBlocks(b, reduce, carried.take_front(own.size()), own);
    carried = carried.drop_front(own.size());
    if (!neutralElement(reduce))
      for (auto [value, tile] : llvm::zip_equal(combined, own))
        value = b.create<arith::SelectOp>(isFirst, tile, value);
    llvm::append_range(next, combined);
  }
  return next;
}

/// Writes a reduction's result into the places of all parts, which hold copies of it. If the parts
/// are the highest bits of a tile's number, the places of one part are contiguous in the buffer,
/// and a loop writes `ofPart` once for each part. Otherwise `whole` is written at once.
static void writeCopies(ImplicitLocOpBuilder &b, const TileGroup &group, Value ofPart, Value whole,
                        Value buffer) {
  const ReductionSteps &parts = group.reductionSteps;
  LinearLayout layout = *layoutOf(group.block());
  if (parts.bits == 0 || parts.firstBit + parts.bits != layout.placeBits(group.steps.name.str())) {
    b.create<BufferWriteOp>(whole, buffer, constant(b, 0));
    return;
  }
  auto copies =
      b.create<scf::ForOp>(constant(b, 0), constant(b, int64_t(1) << parts.bits), constant(b, 1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(copies.getBody());
  b.create<BufferWriteOp>(ofPart, buffer, copies.getInductionVar());
}

/// The buffer that holds a result once, without the copies in the places of other parts.
Value TiledLoops::onceBufferOf(ReduceOp reduce, Value result, const TileGroup &group) {
  Value &buffer = onceBuffers[result];
  if (buffer)
    return buffer;
  const ReductionSteps &parts = group.reductionSteps;
  auto block = cast<RankedTensorType>(result.getType());
  std::vector<PlaceBases> places = layoutOf(block)->bases();
  for (PlaceBases &place : places)
    if (place.name == options.dimension.str())
      place.bases.erase(place.bases.begin() + parts.firstBit,
                        place.bases.begin() + parts.firstBit + parts.bits);
  std::string error;
  return buffer = makeBuffer(
             reduce, withLayout(block, *LinearLayout::create(places, block.getShape(), error)));
}

/// Makes the users that need a whole result read it from `buffer`, which holds each element once.
/// The result's own layout may have many copies of it.
void TiledLoops::readOnce(ImplicitLocOpBuilder &b, Value result, Value buffer) {
  Value whole = readWhole(b, b.getLoc(), buffer);
  for (OpOperand &use : llvm::make_early_inc_range(result.getUses()))
    if (isa<ConvertLayoutOp>(use.getOwner()))
      use.set(whole);
  renamed[result] = whole.getType() == result.getType()
                        ? whole
                        : b.create<ConvertLayoutOp>(result.getType(), whole);
}

/// Finishes reductions whose tiles have the whole axis: folds the values combined at one position,
/// and writes their results to the places of this position. In the declaration, the parameter
/// `position` has the name `part`.
void TiledLoops::finishWithAxis(ImplicitLocOpBuilder &b, TileGroup &group, Value position,
                                ArrayRef<Value> combined) {
  ValueRange rest(combined);
  for (ReduceOp reduce : reductionsOf(group)) {
    SmallVector<Value> results = reduceTree(b, reduce, rest.take_front(reduce.getSources().size()),
                                            reduce.getAxis(), *reduce.getTree());
    rest = rest.drop_front(reduce.getSources().size());
    for (auto [old, now] : llvm::zip_equal(reduce.getResults(), results)) {
      if (!isa<RankedTensorType>(old.getType())) {
        renamed[old] = now;
        continue;
      }
      b.create<BufferWriteOp>(now, onceBufferOf(reduce, old, group), position);
      // The places of all parts hold the result.
      auto copies = b.create<scf::ForOp>(
          constant(b, 0), constant(b, int64_t(1) << group.reductionSteps.bits), constant(b, 1));
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(copies.getBody());
      Value step = stepNumber(b, group, position, copies.getInductionVar());
      b.create<BufferWriteOp>(now, bufferOf(old), step);
    }
  }
}

/// Finishes reductions whose partial results lie in the buffers `partial`: folds these as whole
/// blocks.
void TiledLoops::finishPartial(ImplicitLocOpBuilder &b, TileGroup &group, ArrayRef<Value> partial) {
  ValueRange rest(partial);
  for (ReduceOp reduce : reductionsOf(group)) {
    SmallVector<Value> sources;
    for (Value buffer : rest.take_front(reduce.getSources().size()))
      sources.push_back(readWhole(b, b.getLoc(), buffer));
    rest = rest.drop_front(sources.size());
    SmallVector<Value> results =
        reduceTree(b, reduce, sources, reduce.getAxis(), *reduce.getTree());
    for (auto [old, now] : llvm::zip_equal(reduce.getResults(), results)) {
      Value whole = now;
      if (old.getType() != now.getType())
        whole = b.create<ConvertLayoutOp>(old.getType(), now);
      renamed[old] = whole;
      if (group.bufferWrites.contains(old))
        writeCopies(b, group, now, whole, bufferOf(old));
    }
  }
}

/// Finishes reductions whose partial results lie in the buffers `partial`: folds these in loops.
void TiledLoops::foldPartial(ImplicitLocOpBuilder &b, TileGroup &group, ArrayRef<Value> partial) {
  const ReductionSteps &parts = group.reductionSteps;
  for (ReduceOp reduce : reductionsOf(group)) {
    FoldLoops folds(b, reduce, SmallVector<Value>(partial.take_front(reduce.getSources().size())),
                    options.dimension);
    partial = partial.drop_front(reduce.getSources().size());
    folds.emit();
    if (!isa<RankedTensorType>(reduce.getResult(0).getType())) {
      for (auto [old, now] : llvm::zip_equal(reduce.getResults(), folds.resultsAt(constant(b, 0))))
        renamed[old] = now;
      continue;
    }
    // All places that differ only along the axis hold the same result: the bits `copies` number
    // them.
    SmallVector<Value> once;
    SmallVector<int64_t> positions, copies;
    SmallVector<unsigned> kept = folds.positionBits();
    const unsigned all = layoutOf(group.block())->placeBits(options.dimension.str());
    for (unsigned bit = 0; bit < all; ++bit) {
      const bool isPart = bit >= parts.firstBit && bit < parts.firstBit + parts.bits;
      const unsigned inPartial = bit < parts.firstBit ? bit : bit - parts.bits;
      const bool isPosition = !isPart && llvm::is_contained(kept, inPartial);
      (isPosition ? positions : copies).push_back(int64_t(1) << bit);
    }
    auto loop = [&](size_t bits) {
      auto made =
          b.create<scf::ForOp>(constant(b, 0), constant(b, int64_t(1) << bits), constant(b, 1));
      b.setInsertionPointToStart(made.getBody());
      return made.getInductionVar();
    };
    {
      OpBuilder::InsertionGuard guard(b);
      Value position = loop(positions.size());
      SmallVector<Value> results = folds.resultsAt(position);
      Value first = emitLinearMap(b, position, positions);
      for (Value old : reduce.getResults())
        once.push_back(makeBuffer(
            reduce, withoutCopies(cast<RankedTensorType>(old.getType()), options.dimension)));
      for (auto [buffer, now] : llvm::zip_equal(once, results))
        b.create<BufferWriteOp>(now, buffer, position);
      Value step = b.create<arith::OrIOp>(first, emitLinearMap(b, loop(copies.size()), copies));
      for (auto [old, now] : llvm::zip_equal(reduce.getResults(), results))
        b.create<BufferWriteOp>(now, bufferOf(old), step);
    }
    for (auto [old, buffer] : llvm::zip_equal(reduce.getResults(), once))
      readOnce(b, old, buffer);
  }
}

/// The number of bits of a position: the bits of a tile's number without those of its part.
unsigned TiledLoops::positionBits(const TileGroup &group) const {
  return layoutOf(group.block())->placeBits(options.dimension.str()) - group.steps.keptBits -
         group.reductionSteps.bits;
}

/// The number of tiles in which the mask is true throughout, if the mask is a prefix of the reduced
/// row. Null if the number is not known, or if the parts are not the highest bits of a tile's
/// number.
Value TiledLoops::stepsInside(ImplicitLocOpBuilder &b, const TileGroup &group) {
  SmallVector<Operation *> accesses = accessesOf(group);
  const ReductionSteps &parts = group.reductionSteps;
  const unsigned all = layoutOf(group.block())->placeBits(options.dimension.str());
  if (!options.splitPrefix || accesses.empty() ||
      (parts.bits != 0 && parts.firstBit + parts.bits != all))
    return {};
  std::optional<TileBounds> bounds =
      emitTileBounds(b, infos, accesses, group.steps, /*fine=*/group.steps);
  return bounds ? bounds->inside : Value();
}

/// The number of positions, from the first one on, at which the mask is true throughout the tiles
/// of all parts. Null if it is not known, or if a loop over these positions alone is not worth its
/// code. `inside` is the result of `stepsInside`.
Value TiledLoops::wholePositions(ImplicitLocOpBuilder &b, const TileGroup &group, Value inside) {
  const unsigned bits = positionBits(group), parts = 1u << group.reductionSteps.bits;
  SmallVector<Operation *> accesses = accessesOf(group);
  if (!options.splitPrefix || bits == 0 || parts > maxUnrolledParts || accesses.empty() ||
      !llvm::all_of(reductionsOf(group),
                    [&](ReduceOp reduce) { return combinesLoaded(reduce, group); }))
    return {};
  if (llvm::none_of(accesses, maskOf))
    return constant(b, int64_t(1) << bits);
  if (!inside)
    return {};
  // The last part at a position is the last one to be inside.
  Value ofLast = b.create<arith::SubIOp>(inside, constant(b, int64_t(parts - 1) << bits));
  return b.create<arith::MaxSIOp>(ofLast, constant(b, 0));
}

void TiledLoops::emitReductions(ImplicitLocOpBuilder &b, TileGroup &group) {
  Value inside = stepsInside(b, group);
  SmallVector<Value> partial;
  if (!group.keepsAxis)
    for (ReduceOp reduce : reductionsOf(group))
      for (Value source : reduce.getSources())
        partial.push_back(makeBuffer(reduce, partialType(cast<RankedTensorType>(source.getType()),
                                                         reduce.getAxis(), options.dimension,
                                                         group.reductionSteps)));
  auto keep = [&](Value position, ArrayRef<Value> combined) {
    if (group.keepsAxis)
      return finishWithAxis(b, group, position, combined);
    for (auto [value, buffer] : llvm::zip_equal(combined, partial))
      b.create<BufferWriteOp>(value, buffer, position);
  };
  const int64_t count = int64_t(1) << positionBits(group);
  Value zero = constant(b, 0), all = constant(b, count), last = constant(b, count - 1);
  auto emitPositions = [&](Value first, Value end, auto emitPosition) {
    auto loop = b.create<scf::ForOp>(first, end, constant(b, 1));
    markComputedBounds(loop);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value position = loop.getInductionVar();
    if (group.runsBackwards)
      position = b.create<arith::SubIOp>(last, position);
    keep(position, emitPosition(position));
  };
  auto emitAny = [&](Value position) { return emitCombining(b, group, position, inside); };
  auto emitWhole = [&](Value position) {
    return emitUnrolledParts(b, group, position, /*dropMasks=*/bool(inside));
  };
  if (positionBits(group) == 0) {
    keep(zero, emitAny(zero));
  } else if (Value whole = wholePositions(b, group, inside); !whole) {
    emitPositions(zero, all, emitAny);
  } else if (!inside) {
    emitPositions(zero, all, emitWhole);
  } else if (group.runsBackwards) {
    Value others = b.create<arith::SubIOp>(all, whole);
    emitPositions(zero, others, emitAny);
    emitPositions(others, all, emitWhole);
  } else {
    emitPositions(zero, whole, emitWhole);
    emitPositions(whole, all, emitAny);
  }
  if (group.foldsInLoops)
    return foldPartial(b, group, partial);
  if (!group.keepsAxis)
    return finishPartial(b, group, partial);
  for (ReduceOp reduce : reductionsOf(group))
    for (Value old : reduce.getResults())
      if (isa<RankedTensorType>(old.getType()))
        readOnce(b, old, onceBufferOf(reduce, old, group));
}

} // namespace eft
