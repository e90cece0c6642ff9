// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-carry-scalars: a loop whose iterations add a uniform value to a carried block carries the sum
// of these values, a scalar, instead of the block.
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/UniformScalar.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_CARRYSCALARS
#include "compiler/transforms/Passes.h.inc"

namespace {

/// A uniform block that an iteration adds to a carried block, or subtracts from it.
struct Step {
  Value block;
  bool isNegative;
};

/// If `op` adds a uniform block to another block or subtracts it, returns the step and the other
/// block. Otherwise returns nothing.
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

/// The steps that compute the yielded block from the carried block `argument`, the last one first.
/// Hints between them are skipped. Empty if any other operation is between the two blocks.
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

/// The type in which the steps are summed. A pointer's distance is a number of elements and has 64
/// bits, so that a sum of steps does not wrap around before the address does.
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

/// A carried block that every iteration moves by uniform steps. `number` is its index among the
/// loop's carried values.
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

/// The distance at the end of an iteration that began with `distance`.
Value addSteps(OpBuilder &b, Value distance, ArrayRef<Step> steps) {
  for (const Step &step : llvm::reverse(steps)) {
    Location loc = step.block.getLoc();
    Value scalar = uniformScalar(step.block, b);
    if (scalar.getType() != distance.getType())
      scalar = b.create<arith::ExtSIOp>(loc, distance.getType(), scalar);
    distance = step.isNegative ? b.create<arith::SubIOp>(loc, distance, scalar).getResult()
                               : b.create<arith::AddIOp>(loc, distance, scalar).getResult();
  }
  return distance;
}

/// Replaces all uses of the carried block by the block from before the loop, moved by the distance.
/// The loop then yields the block unchanged, and canonicalization removes it from the carried
/// values.
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
    // Inner loops come first: the result of an inner loop is then its initial block, moved by a
    // distance, which the outer loop can use as a step.
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
