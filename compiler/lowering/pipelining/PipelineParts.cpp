// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/pipelining/PipelineParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace eft {

namespace {

// Attributes that exist only while a loop is being pipelined. Clones of an operation keep them.
constexpr StringLiteral markName = "eft.mark", pendingName = "eft.pending_in_loop";

bool hasMark(Operation *op, Mark mark) {
  auto attribute = op->getAttrOfType<IntegerAttr>(markName);
  return attribute && attribute.getInt() == int64_t(mark);
}

using Schedule = std::vector<std::pair<Operation *, unsigned>>;

/// The body's operations in the order of the pipelined loop, each with its stage of the pipelined
/// loop.
Schedule scheduleParts(scf::ForOp loop, const PipelineShape &shape) {
  const unsigned first = shape.hasPartAhead ? 1 : 0, second = first + shape.distance,
                 third = second + 1;
  Schedule schedule;
  llvm::SmallPtrSet<Operation *, 16> added;
  auto addIf = [&](auto isNext, unsigned stage) {
    for (Operation &op : loop.getBody()->without_terminator())
      if (!added.contains(&op) && isNext(&op)) {
        added.insert(&op);
        schedule.emplace_back(&op, stage);
      }
  };
  auto addMarked = [&](Mark mark, unsigned stage) {
    addIf([&](Operation *op) { return hasMark(op, mark); }, stage);
  };
  addMarked(Mark::ThirdWait, third);
  addMarked(Mark::Wait, second);
  if (shape.copiesComeFirst)
    addMarked(Mark::First, first);
  addMarked(Mark::Ahead, 0);
  addMarked(Mark::AtOnce, second);
  addMarked(Mark::Third, third);
  if (shape.hasThirdPart)
    addMarked(Mark::First, first);
  addIf([&](Operation *op) { return !hasMark(op, Mark::First); }, second);
  addMarked(Mark::First, first);
  return schedule;
}

/// Removes the marks of an operation of the pipelined code. Inside the loop, sets the number of
/// products that a wait leaves under way.
void unmark(Operation *op, scf::PipeliningOption::PipelinerPart part) {
  op->removeAttr(markName);
  if (auto pending = cast_or_null<IntegerAttr>(op->removeAttr(pendingName)))
    if (part == scf::PipeliningOption::PipelinerPart::Kernel)
      cast<WaitDotsOp>(op).setPending(pending.getInt());
}

/// Makes a copy or a load that belongs to a later iteration access memory only if `condition` is
/// true: the loop has that iteration.
Operation *predicate(RewriterBase &rewriter, Operation *op, Value condition) {
  if (isa<CopyAsyncOp>(op) || hasMark(op, Mark::Ahead))
    doOnlyIf(rewriter, op, condition);
  return op;
}

/// Ends the loop one iteration earlier, and clones the third part after the loop for the last
/// iteration. `third` has the operations of the third part in the loop.
void finishThirdPart(RewriterBase &rewriter, scf::ForOp loop, ArrayRef<Operation *> third) {
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  Value end = rewriter.create<arith::SubIOp>(loc, loop.getUpperBound(), loop.getStep());
  rewriter.modifyOpInPlace(loop, [&] { loop.setUpperBound(end); });
  rewriter.setInsertionPointAfter(loop);
  IRMapping mapping;
  mapping.map(loop.getRegionIterArgs(), loop.getResults());
  llvm::SmallPtrSet<Operation *, 16> clones;
  for (Operation *op : third)
    clones.insert(rewriter.clone(*op, mapping));
  for (auto [yielded, result] : llvm::zip_equal(loop.getYieldedValues(), loop.getResults()))
    if (llvm::is_contained(third, yielded.getDefiningOp()))
      rewriter.replaceUsesWithIf(result, mapping.lookup(yielded),
                                 [&](OpOperand &use) { return !clones.contains(use.getOwner()); });
}

} // namespace

void mark(Operation *op, Mark mark) {
  op->setAttr(markName, IntegerAttr::get(IntegerType::get(op->getContext(), 32), int64_t(mark)));
}

void setPendingInLoop(WaitDotsOp wait, unsigned pending) {
  wait->setAttr(pendingName, IntegerAttr::get(IntegerType::get(wait.getContext(), 32), pending));
}

bool isComputedIn(scf::ForOp loop, Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == loop.getBody();
}

Value emitSame(RewriterBase &rewriter, Location loc, Value value, std::optional<Mark> part) {
  Value yes = rewriter.create<arith::ConstantIntOp>(loc, 1, 1);
  Value same = rewriter.create<arith::SelectOp>(loc, yes, value, value);
  if (part)
    for (Value made : {yes, same})
      mark(made.getDefiningOp(), *part);
  return same;
}

void doOnlyIf(RewriterBase &rewriter, Operation *op, Value condition) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  auto both = [&](Value own, Value other) {
    return own ? rewriter.create<arith::AndIOp>(op->getLoc(), own, other).getResult() : other;
  };
  if (auto copy = dyn_cast<CopyAsyncOp>(op)) {
    copy.getConditionMutable().assign(both(copy.getCondition(), condition));
  } else if (auto load = dyn_cast<LoadOp>(op)) {
    Type type = maskLike(load.getPointer().getType());
    if (isa<RankedTensorType>(type))
      condition = rewriter.create<SplatOp>(load.getLoc(), type, condition);
    if (!load.getMask())
      load.setUniformRuns(true);
    load.getMaskMutable().assign(both(load.getMask(), condition));
  }
}

LogicalResult pipelineParts(RewriterBase &rewriter, scf::ForOp loop, const PipelineShape &shape) {
  Operation *yield = loop.getBody()->getTerminator();
  rewriter.setInsertionPoint(yield);
  for (OpOperand &operand : yield->getOpOperands())
    if (!isComputedIn(loop, operand.get()))
      operand.set(emitSame(rewriter, loop.getLoc(), operand.get()));
  SmallVector<Operation *> third;
  scf::PipeliningOption options;
  options.getScheduleFn = [&](scf::ForOp, Schedule &schedule) {
    schedule = scheduleParts(loop, shape);
  };
  options.annotateFn = [&](Operation *op, scf::PipeliningOption::PipelinerPart part, unsigned) {
    if (hasMark(op, Mark::Third) || hasMark(op, Mark::ThirdWait))
      third.push_back(op);
    unmark(op, part);
  };
  options.peelEpilogue = false;
  options.supportDynamicLoops = true;
  options.predicateFn = predicate;
  rewriter.setInsertionPoint(loop);
  FailureOr<scf::ForOp> pipelined = scf::pipelineForLoop(rewriter, loop, options);
  if (failed(pipelined))
    return loop.emitError("can't be pipelined");
  if (shape.hasThirdPart)
    finishThirdPart(rewriter, *pipelined, third);
  return success();
}

} // namespace eft
