// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-overlap-products: while warpgroups compute a product, the program computes what neither feeds
// the product nor needs its result.
#include "compiler/ir/Accesses.h"
#include "compiler/lowering/Passes.h"
#include "compiler/lowering/pipelining/FactorSource.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_OVERLAPPRODUCTS
#include "compiler/lowering/Passes.h.inc"

namespace {

using Operations = llvm::SmallPtrSet<Operation *, 16>;

/// True if a product may be under way while the operation runs. If there is a call, ptxas lets the
/// program wait for each product before it goes on.
bool canOverlap(Operation *op) {
  return op->getNumRegions() == 0 && !op->hasTrait<OpTrait::IsTerminator>() && !mayCall(op);
}

bool onlyComputes(Operation *op) { return canOverlap(op) && isMemoryEffectFree(op); }

bool isLoad(Operation *op) {
  auto load = dyn_cast<LoadOp>(op);
  return isa<ReadSharedOp>(op) || (load && !load.readsAnew());
}

/// Moves operations that the product does not need from before the product to after it. Loads stay,
/// because they are under way as well.
void beginEarlier(DotAsyncOp dot) {
  Operations moved;
  auto runsLater = [&](Operation *user) {
    Operation *inBlock = dot->getBlock()->findAncestorOpInBlock(*user);
    return !inBlock || moved.contains(inBlock) || dot->isBeforeInBlock(inBlock);
  };
  SmallVector<Operation *> latestFirst;
  for (Operation *op = dot->getPrevNode(); op && !isa<DotAsyncOp, WaitDotsOp>(op);
       op = op->getPrevNode())
    if (onlyComputes(op) && llvm::all_of(op->getUsers(), runsLater)) {
      moved.insert(op);
      latestFirst.push_back(op);
    }
  for (Operation *op : latestFirst)
    op->moveAfter(dot);
}

/// Moves operations that do not need the product from after the wait to before it.
void waitLater(WaitDotsOp wait) {
  Operations after = {wait};
  for (Operation *op = wait->getNextNode(), *next = nullptr; op; op = next) {
    next = op->getNextNode();
    const bool needsProduct = llvm::any_of(
        op->getOperands(), [&](Value operand) { return after.contains(operand.getDefiningOp()); });
    const bool canMove = onlyComputes(op) || (canOverlap(op) && isLoad(op));
    if (canMove && !needsProduct)
      op->moveBefore(wait);
    else if (canMove || isMemoryEffectFree(op) || isa<DeallocSharedOp>(op))
      after.insert(op);
    else
      return;
  }
}

struct OverlapProductsPass : impl::OverlapProductsBase<OverlapProductsPass> {
  using OverlapProductsBase::OverlapProductsBase;

  void runOnOperation() override {
    SmallVector<WaitDotsOp> waits;
    getOperation().walk([&](WaitDotsOp wait) {
      auto dot = dyn_cast_or_null<DotAsyncOp>(wait->getPrevNode());
      if (dot && llvm::is_contained(wait.getProducts(), dot.getResult()))
        waits.push_back(wait);
    });
    for (WaitDotsOp wait : waits) {
      beginEarlier(cast<DotAsyncOp>(wait->getPrevNode()));
      waitLater(wait);
    }
  }
};

} // namespace
} // namespace eft
