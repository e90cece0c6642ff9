// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-overlap-products: while warpgroups compute a product, the program computes what neither feeds
// the product nor needs its result.
#include "compiler/ir/LayoutConversion.h"
#include "compiler/lowering/CopyRuns.h"
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

/// True for a load that may change places with other loads and computations.
bool isLoad(Operation *op) {
  auto load = dyn_cast<LoadOp>(op);
  return isa<ReadSharedOp>(op) || (load && !load.readsAnew());
}

/// True if all threads begin asynchronous copies, and do nothing else. If several threads hold an
/// element, one of them copies it, in a branch. Elements of short runs pass through registers.
bool isAsynchronous(CopyAsyncOp copy) {
  const Type pointers = copy.getPointer().getType();
  RankedTensorType slot = copy.getShared().getType().getBlock();
  return layoutOf(pointers) && layoutOf(slot) && !isHeldBySeveralThreads(pointers) &&
         !copy.getHeadless() &&
         runOfCopies(copy) * slot.getElementTypeBitWidth() / 8 >= CopyAsyncOp::minBytes;
}

/// True if the operation begins copies. A copy that begins before the product is under way with it,
/// so it may as well begin after the product.
bool beginsCopies(Operation *op) { return isa<CopyAsyncOp, CommitCopiesOp>(op); }

/// True if a product may be under way while the operation runs. If there is a call, ptxas lets the
/// program wait for each product before it goes on. If there is a branch, ptxas may generate wrong
/// code: it has been seen to put two values into the registers of a factor at the same time.
/// Operations that exchange elements between threads may branch. So may loads that are masked or
/// headless, and copies for which `isAsynchronous` is false.
bool canOverlap(Operation *op) {
  if (op->getNumRegions() != 0 || op->hasTrait<OpTrait::IsTerminator>() ||
      op->hasTrait<FetchesElements>() || mayCall(op))
    return false;
  if (auto load = dyn_cast<LoadOp>(op))
    return isLoad(op) && !load.getMask() && !load.getHeadless();
  if (auto copy = dyn_cast<CopyAsyncOp>(op))
    return isAsynchronous(copy);
  return isa<ReadSharedOp, CommitCopiesOp>(op) || isMemoryEffectFree(op);
}

/// Moves operations that the product does not need from before the product to after it. Loads stay,
/// because they are under way as well, and so are copies, but it takes instructions to begin them.
/// Operations that use the product's accumulator stay, too: after the product, they would need a
/// copy of it.
void beginEarlier(DotAsyncOp dot) {
  Operations moved;
  auto runsLater = [&](Operation *user) {
    Operation *inBlock = dot->getBlock()->findAncestorOpInBlock(*user);
    return !inBlock || moved.contains(inBlock) || dot->isBeforeInBlock(inBlock);
  };
  SmallVector<Operation *> latestFirst;
  bool isBeforeWait = false; // true before a wait for copies or threads
  for (Operation *op = dot->getPrevNode();
       op && op->getNumRegions() == 0 && !isa<DotAsyncOp, WaitDotsOp>(op); op = op->getPrevNode()) {
    isBeforeWait |= isa<WaitCopiesOp, BarrierOp>(op);
    if (canOverlap(op) && (isMemoryEffectFree(op) || (beginsCopies(op) && !isBeforeWait)) &&
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
  for (Operation *op = wait->getNextNode(), *next = nullptr; op; op = next) {
    next = op->getNextNode();
    const bool needsProduct = llvm::any_of(
        op->getOperands(), [&](Value operand) { return after.contains(operand.getDefiningOp()); });
    const bool canMove = canOverlap(op) && !beginsCopies(op);
    if (canMove && !needsProduct)
      op->moveBefore(wait);
    else if (canMove || isMemoryEffectFree(op) || isLoad(op) || isa<DeallocSharedOp>(op))
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
