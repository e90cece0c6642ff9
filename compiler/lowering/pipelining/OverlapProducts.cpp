// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-overlap-products: while warpgroups compute a product, the program computes what neither feeds
// the product nor needs its result.
#include "compiler/ir/EftDialect.h"
#include "compiler/lowering/Passes.h"
#include "compiler/lowering/pipelining/Calls.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"

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

/// True if the operation may use shared memory of its own. It takes the bytes of slots that are not
/// allocated while it runs, so it must not move to where they are.
bool mayUseScratch(Operation *op) { return op->hasTrait<FetchesElements>(); }

/// Moves operations that the product does not need from before the product to after it. Loads stay,
/// because they are under way as well. Operations that use the product's accumulator stay, too:
/// after the product, they would need a copy of it.
void beginEarlier(DotAsyncOp dot) {
  Operations moved;
  auto runsLater = [&](Operation *user) {
    Operation *inBlock = dot->getBlock()->findAncestorOpInBlock(*user);
    return !inBlock || moved.contains(inBlock) || dot->isBeforeInBlock(inBlock);
  };
  SmallVector<Operation *> latestFirst;
  bool isBeforeSlots = false; // true before slots that are allocated just for the product
  for (Operation *op = dot->getPrevNode();
       op && op->getNumRegions() == 0 && !isa<DotAsyncOp, WaitDotsOp>(op); op = op->getPrevNode()) {
    isBeforeSlots |= isa<AllocSharedOp>(op);
    if (onlyComputes(op) && !(isBeforeSlots && mayUseScratch(op)) &&
        !llvm::is_contained(op->getOperands(), dot.getAcc()) &&
        llvm::all_of(op->getUsers(), runsLater)) {
      moved.insert(op);
      latestFirst.push_back(op);
    }
  }
  for (Operation *op : latestFirst)
    op->moveAfter(dot);
}

/// Moves operations that do not need the product from after the wait to before it.
void waitLater(WaitDotsOp wait) {
  Operations after = {wait};
  bool isAfterSlots = false; // true after slots that were allocated just for the product
  for (Operation *op = wait->getNextNode(), *next = nullptr; op; op = next) {
    next = op->getNextNode();
    isAfterSlots |= isa<DeallocSharedOp>(op);
    const bool needsProduct = llvm::any_of(
        op->getOperands(), [&](Value operand) { return after.contains(operand.getDefiningOp()); });
    const bool canMove = onlyComputes(op) || (canOverlap(op) && isLoad(op));
    if (canMove && !needsProduct && !(isAfterSlots && mayUseScratch(op)))
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
