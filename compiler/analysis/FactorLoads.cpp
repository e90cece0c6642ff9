// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/FactorLoads.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace eft {

/// True for operations that may lie between a load and a factor: elementwise operations and element
/// moves.
static bool isOnTheWay(Operation *op) {
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         (op->hasTrait<OpTrait::Elementwise>() || isa<ElementMoveOpInterface>(op));
}

SmallVector<LoadOp> factorLoads(scf::ForOp loop) {
  Block *body = loop.getBody();
  SmallVector<Value> pending;
  for (DotOp dot : body->getOps<DotOp>())
    pending.append({dot.getA(), dot.getB()});
  DenseSet<Value> seen;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != body || !isa<RankedTensorType>(value.getType()) ||
        !seen.insert(value).second)
      continue;
    if (isOnTheWay(op))
      llvm::append_range(pending, op->getOperands());
  }
  SmallVector<LoadOp> loads;
  for (LoadOp load : body->getOps<LoadOp>())
    if (seen.contains(load.getResult()) && !load.readsAnew())
      loads.push_back(load);
  return loads;
}

} // namespace eft
