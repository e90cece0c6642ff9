// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/ProductBlocks.h"

#include "compiler/analysis/RegionFlow.h"

#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;

namespace eft {

namespace {

/// True for an operation that computes each element of its results from those of its operands at
/// the same index.
bool worksByElement(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() || isa<UniformDivOp>(op);
}

Value beforeReshaping(Value block) {
  while (auto reshape = block.getDefiningOp<ReshapeOp>())
    block = reshape.getSource();
  return block;
}

/// Groups the blocks that are computed from products into classes. Blocks of one class are computed
/// from each other, element by element.
class Classes {
public:
  Classes(Operation *top, ArrayRef<DotOp> dots) : flow(top) {
    SmallVector<Value> pending;
    for (DotOp dot : dots)
      pending.push_back(dot);
    known.insert(pending.begin(), pending.end());
    auto join = [&](Value source, Value derived) {
      if (!isa<RankedTensorType>(derived.getType()))
        return;
      classes.unionSets(source.getAsOpaquePointer(), derived.getAsOpaquePointer());
      if (known.insert(derived).second)
        pending.push_back(derived);
    };
    while (!pending.empty()) {
      Value value = pending.pop_back_val();
      classes.insert(value.getAsOpaquePointer());
      for (OpOperand &use : value.getUses()) {
        Operation *user = use.getOwner();
        for (Value target : flow.targetsOf(use))
          join(value, target);
        auto dot = dyn_cast<DotOp>(user);
        if (worksByElement(user) || (dot && &use == &dot.getAccMutable()))
          for (Value result : user->getResults())
            join(value, result);
      }
    }
  }

  /// The class of a block; null if it is not computed from a product.
  void *of(Value block) const {
    return known.contains(block) ? classes.getLeaderValue(block.getAsOpaquePointer()) : nullptr;
  }

private:
  RegionFlow flow;
  DenseSet<Value> known;
  llvm::EquivalenceClasses<void *> classes;
};

} // namespace

ProductBlocks::ProductBlocks(Operation *top) {
  SmallVector<DotOp> dots;
  top->walk<WalkOrder::PreOrder>([&](DotOp dot) { dots.push_back(dot); });
  if (dots.empty())
    return;
  const Classes classes(top, dots);
  DenseMap<void *, DotOp> first;
  DenseSet<void *> classesByRows;
  for (DotOp dot : dots) {
    first.try_emplace(classes.of(dot), dot);
    if (void *factor = classes.of(dot.getA())) {
      classesByRows.insert(factor);
      classesByRows.insert(classes.of(dot));
    }
  }
  top->walk([&](ReduceOp reduce) {
    for (Value source : reduce.getSources()) {
      Value block = reduce.getOrderFree() ? beforeReshaping(source) : source;
      void *known = classes.of(block);
      if (known && block == source)
        classesByRows.insert(known);
      if (known)
        behind.try_emplace(reduce, first.lookup(known));
    }
  });
  for (DotOp dot : dots)
    if (classesByRows.contains(classes.of(dot)))
      byRows.insert(dot);
}

} // namespace eft
