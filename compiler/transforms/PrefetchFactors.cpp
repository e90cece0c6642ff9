// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-prefetch-factors: makes a loop with products prefetch the factors of its next iteration.
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

/// The length of the longest chain of operations that is copied to compute an address of the next
/// iteration. Addresses that need more get no prefetch.
constexpr unsigned maxDepth = 24;

/// Emits code in one iteration that computes values of the next iteration.
class NextIteration {
public:
  NextIteration(OpBuilder &b, scf::ForOp loop) : b(b), loop(loop) {}

  /// Returns `value` as the next iteration will have it, or `value` itself if it does not change.
  /// Returns null, and emits nothing, if computing it needs more than pure operations, or too many
  /// of them.
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
  using Key = std::pair<Value, unsigned>; // the second is 1 for the next iteration's value

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

  /// A value that this iteration computes after the insertion point is computed here as well.
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
