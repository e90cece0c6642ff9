// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-carry-scalars: a loop that moves a whole block by a number carries the number.
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_CARRYSCALARS
#include "compiler/transforms/Passes.h.inc"

namespace {

/// A number that an iteration adds to every element of a block, or takes from it.
struct Step {
  Value block;
  bool isNegative;
};

/// A splat, or a constant that is one.
bool isUniform(Value block) {
  SplatElementsAttr constant;
  return block.getDefiningOp<SplatOp>() || matchPattern(block, m_Constant(&constant));
}

Value scalarOf(OpBuilder &b, Value block) {
  if (auto splat = block.getDefiningOp<SplatOp>())
    return splat.getSource();
  SplatElementsAttr constant;
  matchPattern(block, m_Constant(&constant));
  return b.create<arith::ConstantOp>(block.getLoc(),
                                     cast<TypedAttr>(constant.getSplatValue<Attribute>()));
}

/// If `op` moves a block by a number: the step, and the block before it.
std::optional<std::pair<Step, Value>> matchStep(Operation *op) {
  if (auto add = dyn_cast_or_null<AddPtrOp>(op); add && isUniform(add.getOffset()))
    return {{{add.getOffset(), false}, add.getPointer()}};
  if (auto difference = dyn_cast_or_null<arith::SubIOp>(op);
      difference && isUniform(difference.getRhs()))
    return {{{difference.getRhs(), true}, difference.getLhs()}};
  if (auto sum = dyn_cast_or_null<arith::AddIOp>(op)) {
    if (isUniform(sum.getRhs()))
      return {{{sum.getRhs(), false}, sum.getLhs()}};
    if (isUniform(sum.getLhs()))
      return {{{sum.getLhs(), false}, sum.getRhs()}};
  }
  return std::nullopt;
}

/// The steps that lead from a carried block to what the loop yields for it, past hints; none if
/// anything else happens on the way.
SmallVector<Step> stepsBetween(Value argument, Value yielded) {
  SmallVector<Step> steps;
  while (yielded != argument) {
    if (auto hint = yielded.getDefiningOp<HintOp>()) {
      yielded = hint.getSource();
      continue;
    }
    std::optional<std::pair<Step, Value>> step = matchStep(yielded.getDefiningOp());
    if (!step)
      return {};
    steps.push_back(step->first);
    yielded = step->second;
  }
  return steps;
}

/// Pointers move by numbers of elements, of 64 bits, so that no sum of steps wraps around earlier
/// than the addresses do.
Type distanceType(Type block) {
  Type element = getElementTypeOrSelf(block);
  return isa<PointerType>(element) ? IntegerType::get(block.getContext(), 64) : element;
}

Value moved(OpBuilder &b, Location loc, Value block, Value distance) {
  auto type = cast<RankedTensorType>(block.getType());
  Value distances = b.create<SplatOp>(
      loc, RankedTensorType::get(type.getShape(), distance.getType(), type.getEncoding()),
      distance);
  if (isa<PointerType>(type.getElementType()))
    return b.create<AddPtrOp>(loc, type, block, distances);
  return b.create<arith::AddIOp>(loc, block, distances);
}

/// A carried block that every iteration moves.
struct MovedBlock {
  unsigned number;
  SmallVector<Step> steps;
};

SmallVector<MovedBlock> findMovedBlocks(scf::ForOp loop) {
  SmallVector<MovedBlock> result;
  for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i) {
    Value argument = loop.getRegionIterArg(i);
    if (!isBlock(argument.getType()))
      continue;
    SmallVector<Step> steps = stepsBetween(argument, loop.getYieldedValues()[i]);
    if (!steps.empty())
      result.push_back({i, std::move(steps)});
  }
  return result;
}

/// The distance after an iteration that began at `distance`.
Value addSteps(OpBuilder &b, Value distance, ArrayRef<Step> steps) {
  for (const Step &step : llvm::reverse(steps)) {
    Location loc = step.block.getLoc();
    Value scalar = scalarOf(b, step.block);
    if (scalar.getType() != distance.getType())
      scalar = b.create<arith::ExtSIOp>(loc, distance.getType(), scalar);
    distance = step.isNegative ? b.create<arith::SubIOp>(loc, distance, scalar).getResult()
                               : b.create<arith::AddIOp>(loc, distance, scalar).getResult();
  }
  return distance;
}

/// Replaces all uses of the carried block by the block before the loop, moved by the distance. The
/// loop then yields the block as it came, so nothing carries it any more.
void useDistance(OpBuilder &b, scf::ForOp loop, unsigned number, unsigned distance) {
  Location loc = loop.getLoc();
  Value first = loop.getInitArgs()[number];
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  BlockArgument argument = loop.getRegionIterArg(number);
  argument.replaceAllUsesWith(moved(b, loc, first, loop.getRegionIterArg(distance)));
  loop.getBody()->getTerminator()->setOperand(number, argument);
  if (Value result = loop.getResult(number); !result.use_empty()) {
    b.setInsertionPointAfter(loop);
    result.replaceAllUsesWith(moved(b, loc, first, loop.getResult(distance)));
  }
}

struct CarryScalarsPass : impl::CarryScalarsBase<CarryScalarsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // Inner loops first: what one gives is then the block that it began with, moved.
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      if (failed(carryScalars(rewriter, loop)))
        return signalPassFailure();
  }
};

} // namespace

LogicalResult carryScalars(RewriterBase &rewriter, scf::ForOp loop) {
  SmallVector<MovedBlock> blocks = findMovedBlocks(loop);
  if (blocks.empty())
    return success();
  rewriter.setInsertionPoint(loop);
  SmallVector<Value> zeros;
  for (const MovedBlock &block : blocks) {
    Type type = distanceType(loop.getRegionIterArg(block.number).getType());
    zeros.push_back(
        rewriter.create<arith::ConstantOp>(loop.getLoc(), rewriter.getIntegerAttr(type, 0)));
  }
  auto yields = [&](OpBuilder &b, Location, ArrayRef<BlockArgument> distances) {
    SmallVector<Value> values;
    for (auto [block, distance] : llvm::zip_equal(blocks, distances))
      values.push_back(addSteps(b, distance, block.steps));
    return values;
  };
  unsigned carried = loop.getNumRegionIterArgs();
  FailureOr<LoopLikeOpInterface> widened =
      cast<LoopLikeOpInterface>(loop.getOperation())
          .replaceWithAdditionalYields(rewriter, zeros, /*replaceInitOperandUsesInLoop=*/false,
                                       yields);
  if (failed(widened))
    return failure();
  for (auto [i, block] : llvm::enumerate(blocks))
    useDistance(rewriter, cast<scf::ForOp>(widened->getOperation()), block.number, carried + i);
  return success();
}

} // namespace eft
