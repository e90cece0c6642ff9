// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of groups with reductions.
//
// The bits of the step's number are, from the lowest: bits inside a part of the axis, the parts
// that are combined one after the other, and bits of other dimensions. Two nested loops go over
// them: the outer one over all bits but the parts', the inner one over the parts. The inner one
// carries what has been combined so far.
//
//   for position:
//     combined = neutral
//     for part:  combined = combine(combined, tile(position, part))
//     keep combined
//
// If a step holds all of the axis, `combined` is combined to the end at once; else it goes into a
// buffer, and what the buffer holds is combined behind the loops.
#include "compiler/lowering/steps/StepLoops.h"

#include "compiler/lowering/buffers/WholeBuffers.h"
#include "compiler/lowering/steps/StepBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace eft {

namespace {

Value constant(ImplicitLocOpBuilder &b, int64_t value) {
  return b.create<arith::ConstantIntOp>(value, 32);
}

SmallVector<ReduceOp> reductionsOf(const StepGroup &group) {
  SmallVector<ReduceOp> reductions;
  for (Operation *item : group.items)
    if (auto reduce = dyn_cast<ReduceOp>(item))
      reductions.push_back(reduce);
  return reductions;
}

/// The value that changes no other when it is combined with it, bit for bit; null if there is none,
/// or the function is none of the usual ones.
TypedAttr neutralElement(ReduceOp reduce) {
  Block &body = reduce.getCombine().front();
  if (reduce.getSources().size() != 1 || body.getOperations().size() != 2)
    return {};
  Operation &op = body.front();
  if (op.getNumOperands() != 2 || op.getOperands() != ValueRange(body.getArguments()) ||
      body.back().getOperands() != op.getResults())
    return {};
  // 0 + −0 is 0.
  if (auto type = dyn_cast<FloatType>(op.getResult(0).getType()); type && isa<arith::AddFOp>(op))
    return FloatAttr::get(type, APFloat::getZero(type.getFloatSemantics(), /*Negative=*/true));
  std::optional<TypedAttr> neutral = arith::getNeutralElement(&op);
  return neutral ? *neutral : TypedAttr();
}

/// Both combined element by element by the reduction's function.
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

/// A reduction of blocks whose steps are combined.
SmallVector<Value> reduceTree(ImplicitLocOpBuilder &b, ReduceOp reduce, ValueRange sources) {
  SmallVector<Type> types;
  for (Value source : sources) {
    auto block = cast<RankedTensorType>(source.getType());
    SmallVector<int64_t> shape(block.getShape());
    shape.erase(shape.begin() + reduce.getAxis());
    if (shape.empty())
      types.push_back(block.getElementType());
    else
      types.push_back(withLayout(RankedTensorType::get(shape, block.getElementType()),
                                 layoutOf(block)->slice(reduce.getAxis())));
  }
  auto result = b.create<ReduceOp>(types, sources, reduce.getAxisAttr(), b.getI32IntegerAttr(1),
                                   reduce.getTreeAttr());
  IRMapping mapping;
  reduce.getCombine().cloneInto(&result.getCombine(), mapping);
  return SmallVector<Value>(result.getResults());
}

/// The step's number from the numbers of its position and its part.
Value stepNumber(ImplicitLocOpBuilder &b, const StepGroup &group, Value position, Value part) {
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

/// The loops over the parts at one position: first those that lie inside a mask, if it is known how
/// many steps do. Gives what was combined, for each source of each reduction.
SmallVector<Value> StepLoops::emitCombining(ImplicitLocOpBuilder &b, StepGroup &group,
                                            Value position, Value inside) {
  SmallVector<Value> combined;
  for (ReduceOp reduce : reductionsOf(group))
    for (Value source : reduce.getSources()) {
      RankedTensorType tile = tileType(cast<RankedTensorType>(source.getType()), group.steps);
      TypedAttr neutral = neutralElement(reduce);
      Attribute element = neutral ? Attribute(neutral) : b.getZeroAttr(tile.getElementType());
      combined.push_back(b.create<arith::ConstantOp>(SplatElementsAttr::get(tile, element)));
    }
  Value first = constant(b, 0), end = constant(b, int64_t(1) << group.reductionSteps.bits);
  if (inside) {
    // Part p is step p · positions + position, and inside if that is less than `inside`.
    const unsigned bits = positionBits(group);
    Value rest = b.create<arith::SubIOp>(inside, position);
    rest = b.create<arith::AddIOp>(rest, constant(b, (int64_t(1) << bits) - 1));
    Value border = b.create<arith::ShRUIOp>(rest, constant(b, bits));
    combined = emitParts(b, group, position, {first, border}, combined, /*dropMasks=*/true);
    first = border;
  }
  return emitParts(b, group, position, {first, end}, combined, /*dropMasks=*/false);
}

SmallVector<Value> StepLoops::emitParts(ImplicitLocOpBuilder &b, StepGroup &group, Value position,
                                        std::pair<Value, Value> range, ValueRange start,
                                        bool dropMasks) {
  auto loop = b.create<scf::ForOp>(range.first, range.second, constant(b, 1), start);
  markComputedBounds(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value step = stepNumber(b, group, position, loop.getInductionVar());
  StepTiles tiles(b, step, group.steps);
  emitBody(b, group, tiles, step, dropMasks);

  Value isFirst =
      b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, loop.getInductionVar(), constant(b, 0));
  ValueRange carried = loop.getRegionIterArgs();
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
  b.create<scf::YieldOp>(next);
  return SmallVector<Value>(loop.getResults());
}

/// Puts a result into the places of all parts. Where the parts are the highest bits of the step's
/// number, each part's are one behind the other.
static void putCopies(ImplicitLocOpBuilder &b, const StepGroup &group, Value ofPart, Value whole,
                      Value buffer) {
  const ReductionSteps &parts = group.reductionSteps;
  LinearLayout layout = *layoutOf(group.block());
  if (parts.bits == 0 || parts.firstBit + parts.bits != layout.placeBits(group.steps.name.str())) {
    b.create<PutOp>(whole, buffer, constant(b, 0));
    return;
  }
  auto copies =
      b.create<scf::ForOp>(constant(b, 0), constant(b, int64_t(1) << parts.bits), constant(b, 1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(copies.getBody());
  b.create<PutOp>(ofPart, buffer, copies.getInductionVar());
}

/// A step holds all of the axis: what is combined at a position gives results there.
void StepLoops::finishWithAxis(ImplicitLocOpBuilder &b, StepGroup &group, Value position,
                               ArrayRef<Value> combined) {
  ValueRange rest(combined);
  for (ReduceOp reduce : reductionsOf(group)) {
    SmallVector<Value> results = reduceTree(b, reduce, rest.take_front(reduce.getSources().size()));
    rest = rest.drop_front(reduce.getSources().size());
    for (auto [old, now] : llvm::zip_equal(reduce.getResults(), results)) {
      if (!isa<RankedTensorType>(old.getType())) {
        renamed[old] = now;
        continue;
      }
      // The places of all parts hold the result.
      auto copies = b.create<scf::ForOp>(
          constant(b, 0), constant(b, int64_t(1) << group.reductionSteps.bits), constant(b, 1));
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(copies.getBody());
      Value step = stepNumber(b, group, position, copies.getInductionVar());
      b.create<PutOp>(now, bufferOf(old), step);
    }
  }
}

/// Partial results lie in buffers, of which each reduction's are combined.
void StepLoops::finishPartial(ImplicitLocOpBuilder &b, StepGroup &group, ArrayRef<Value> partial) {
  ValueRange rest(partial);
  for (ReduceOp reduce : reductionsOf(group)) {
    SmallVector<Value> sources;
    for (Value buffer : rest.take_front(reduce.getSources().size()))
      sources.push_back(takeWhole(b, b.getLoc(), buffer));
    rest = rest.drop_front(sources.size());
    SmallVector<Value> results = reduceTree(b, reduce, sources);
    for (auto [old, now] : llvm::zip_equal(reduce.getResults(), results)) {
      Value whole = now;
      if (old.getType() != now.getType())
        whole = b.create<ConvertLayoutOp>(old.getType(), now);
      renamed[old] = whole;
      if (group.puts.contains(old))
        putCopies(b, group, now, whole, bufferOf(old));
    }
  }
}

/// The bits of the step's number that count no parts.
unsigned StepLoops::positionBits(const StepGroup &group) const {
  return layoutOf(group.block())->placeBits(options.dimension.str()) - group.steps.keptBits -
         group.reductionSteps.bits;
}

/// The number of steps inside a mask that is a prefix of the row that is reduced; null if it is not
/// known, or the parts are not one behind the other.
Value StepLoops::stepsInside(ImplicitLocOpBuilder &b, const StepGroup &group) {
  SmallVector<Operation *> accesses = accessesOf(group);
  const ReductionSteps &parts = group.reductionSteps;
  const unsigned all = layoutOf(group.block())->placeBits(options.dimension.str());
  if (!options.splitPrefix || accesses.empty() ||
      (parts.bits != 0 && parts.firstBit + parts.bits != all))
    return {};
  std::optional<StepBounds> bounds =
      emitStepBounds(b, infos, accesses, group.steps, /*fine=*/group.steps);
  return bounds ? bounds->inside : Value();
}

void StepLoops::emitReductions(ImplicitLocOpBuilder &b, StepGroup &group) {
  Value inside = stepsInside(b, group);
  SmallVector<Value> partial;
  if (!group.keepsAxis)
    for (ReduceOp reduce : reductionsOf(group))
      for (Value source : reduce.getSources())
        partial.push_back(makeBuffer(reduce, partialType(cast<RankedTensorType>(source.getType()),
                                                         reduce.getAxis(), options.dimension,
                                                         group.reductionSteps)));
  auto emitPosition = [&](Value position) {
    SmallVector<Value> combined = emitCombining(b, group, position, inside);
    if (group.keepsAxis)
      return finishWithAxis(b, group, position, combined);
    for (auto [value, buffer] : llvm::zip_equal(combined, partial))
      b.create<PutOp>(value, buffer, position);
  };
  if (positionBits(group) == 0) {
    emitPosition(constant(b, 0));
  } else {
    auto loop = b.create<scf::ForOp>(constant(b, 0), constant(b, int64_t(1) << positionBits(group)),
                                     constant(b, 1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    emitPosition(loop.getInductionVar());
  }
  if (!group.keepsAxis)
    return finishPartial(b, group, partial);
  for (ReduceOp reduce : reductionsOf(group))
    for (Value old : reduce.getResults())
      if (isa<RankedTensorType>(old.getType()))
        renamed[old] = takeWhole(b, b.getLoc(), bufferOf(old));
}

} // namespace eft
