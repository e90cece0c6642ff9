// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/pipelining/LoopCounter.h"

#include "compiler/ir/EftDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace eft {

namespace {

/// True if threads may have different numbers: if the number depends on loaded values or on inline
/// assembly.
bool mayDiffer(Value number) {
  SmallVector<Value> pending = {number};
  llvm::DenseSet<Value> seen;
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      Operation *parent = argument.getOwner()->getParentOp();
      auto outer = dyn_cast<scf::ForOp>(parent);
      if (outer && argument == outer.getInductionVar())
        llvm::append_range(pending, ValueRange{outer.getLowerBound(), outer.getStep()});
      else if (!isa<func::FuncOp>(parent))
        return true;
      continue;
    }
    Operation *op = next.getDefiningOp();
    // Assembly may give threads different numbers, even if it has no side effects.
    if (isa<InlineAsmOp>(op) || !isMemoryEffectFree(op) || op->getNumRegions() != 0)
      return true;
    llvm::append_range(pending, op->getOperands());
  }
  return false;
}

/// True if the numbers that the pipeliner compares are known not to wrap around. The pipeliner adds
/// a few steps to the lower bound, or subtracts them from the upper bound. So the numbers don't
/// wrap around if the lower bound and the step are small constants.
bool countsExactly(scf::ForOp loop) {
  constexpr int64_t small = 1 << 20;
  std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  return first && step && *first >= 0 && *first <= small && *step > 0 && *step <= small;
}

/// Rewrites the loop to count its iterations from 0 in steps of 1, in 64 bits.
void countFromZero(RewriterBase &rewriter, scf::ForOp loop) {
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound(), step = loop.getStep();
  Type type = lower.getType(), wide = rewriter.getI64Type();
  auto constant = [&](int64_t value) -> Value {
    return rewriter.create<arith::ConstantIntOp>(loc, value, wide);
  };
  auto widen = [&](Value value) -> Value {
    return type == wide ? value : rewriter.create<arith::ExtUIOp>(loc, wide, value).getResult();
  };
  // The number of iterations is (upper - lower - 1) / step + 1. In unsigned arithmetic it is exact,
  // even where the bounds are far apart. The divisor is at least 1: a loop that does not run may
  // have a step of 0.
  Value distance = widen(rewriter.create<arith::SubIOp>(loc, upper, lower));
  Value divisor = rewriter.create<arith::MaxUIOp>(loc, widen(step), constant(1));
  Value last = rewriter.create<arith::DivUIOp>(
      loc, rewriter.create<arith::SubIOp>(loc, distance, constant(1)), divisor);
  Value count = rewriter.create<arith::AddIOp>(loc, last, constant(1));
  Value runs = rewriter.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, lower, upper);
  count = rewriter.create<arith::SelectOp>(loc, runs, count, constant(0));
  Value zero = constant(0), one = constant(1);
  rewriter.modifyOpInPlace(loop, [&] {
    loop.setLowerBound(zero);
    loop.setUpperBound(count);
    loop.setStep(one);
    Value counter = loop.getInductionVar();
    counter.setType(wide);
    rewriter.setInsertionPointToStart(loop.getBody());
    Value number = counter;
    if (type != wide)
      number = rewriter.create<arith::TruncIOp>(loc, type, counter);
    Operation *narrow = number.getDefiningOp();
    Value offset = rewriter.create<arith::MulIOp>(loc, number, step);
    Value value = rewriter.create<arith::AddIOp>(loc, lower, offset);
    SmallPtrSet<Operation *, 2> own = {offset.getDefiningOp()};
    if (narrow)
      own.insert(narrow);
    counter.replaceAllUsesExcept(value, own);
  });
}

} // namespace

void agreeOnBounds(RewriterBase &rewriter, scf::ForOp loop) {
  rewriter.setInsertionPoint(loop);
  for (OpOperand *bound :
       {&loop.getLowerBoundMutable(), &loop.getUpperBoundMutable(), &loop.getStepMutable()})
    if (mayDiffer(bound->get())) {
      Value common = rewriter.create<OfFirstThreadOp>(loop.getLoc(), bound->get());
      rewriter.modifyOpInPlace(loop, [&] { bound->set(common); });
    }
}

bool prepareCounter(RewriterBase &rewriter, scf::ForOp loop) {
  if (countsExactly(loop))
    return false;
  countFromZero(rewriter, loop);
  return true;
}

} // namespace eft
