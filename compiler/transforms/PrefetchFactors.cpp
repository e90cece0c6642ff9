// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-prefetch-factors: a loop with products prefetches what its next iteration multiplies.
#include "compiler/analysis/FactorLoads.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_PREFETCHFACTORS
#include "compiler/transforms/Passes.h.inc"

namespace {

/// Addresses that take a longer chain of operations in the loop are not computed twice.
constexpr unsigned maxDepth = 24;

/// Computes values of a loop's next iteration in the one at hand.
class NextIteration {
public:
  NextIteration(OpBuilder &b, scf::ForOp loop) : b(b), loop(loop) {}

  /// The next iteration's value; the same value if it does not change, and null, with nothing
  /// emitted, if it follows from more than arithmetic.
  Value of(Value value) {
    Value next = make(value, /*isNext=*/true, 0);
    if (!next)
      for (Operation *op : llvm::reverse(made))
        op->erase();
    made.clear();
    known.clear();
    return next;
  }

private:
  using Key = std::pair<Value, unsigned>; // and whether it is the next iteration's

  Value make(Value value, bool isNext, unsigned depth) {
    if (value.getParentBlock() != loop.getBody())
      return value;
    if (Value found = known.lookup({value, unsigned(isNext)}))
      return found;
    if (depth > maxDepth)
      return {};
    auto argument = dyn_cast<BlockArgument>(value);
    Value result = argument ? ofArgument(argument, isNext, depth)
                            : ofResult(cast<OpResult>(value), isNext, depth);
    known[{value, unsigned(isNext)}] = result;
    return result;
  }

  Value ofArgument(BlockArgument argument, bool isNext, unsigned depth) {
    if (!isNext)
      return argument;
    if (argument != loop.getInductionVar())
      return make(loop.getTiedLoopYieldedValue(argument)->get(), /*isNext=*/false, depth + 1);
    made.push_back(b.create<arith::AddIOp>(loop.getLoc(), argument, loop.getStep()));
    return made.back()->getResult(0);
  }

  /// What this iteration computes later on is computed here, too.
  Value ofResult(OpResult result, bool isNext, unsigned depth) {
    Operation *op = result.getOwner();
    const bool isThere = !isNext && b.getInsertionPoint() != loop.getBody()->end() &&
                         op->isBeforeInBlock(&*b.getInsertionPoint());
    if (isThere)
      return result;
    if (!isMemoryEffectFree(op) || op->getNumRegions() != 0)
      return {};
    IRMapping operands;
    bool changes = !isNext;
    for (Value operand : op->getOperands()) {
      Value made = make(operand, isNext, depth + 1);
      if (!made)
        return {};
      changes |= made != operand;
      operands.map(operand, made);
    }
    if (!changes)
      return result;
    made.push_back(b.clone(*op, operands));
    return made.back()->getResult(result.getResultNumber());
  }

  OpBuilder &b;
  scf::ForOp loop;
  DenseMap<Key, Value> known;
  SmallVector<Operation *> made;
};

void prefetchFactors(scf::ForOp loop) {
  OpBuilder b(loop.getContext());
  NextIteration next(b, loop);
  for (LoadOp load : factorLoads(loop)) {
    if (!isa<RankedTensorType>(load.getType()))
      continue;
    b.setInsertionPointAfter(load);
    Value pointer = next.of(load.getPointer());
    if (!pointer || pointer == load.getPointer())
      continue;
    b.create<PrefetchOp>(load.getLoc(), pointer);
    load->setAttr(prefetchedName, b.getUnitAttr());
  }
}

struct PrefetchFactorsPass : impl::PrefetchFactorsBase<PrefetchFactorsPass> {
  void runOnOperation() override {
    getOperation().walk([](scf::ForOp loop) { prefetchFactors(loop); });
  }
};

} // namespace
} // namespace eft
