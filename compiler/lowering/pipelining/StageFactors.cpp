// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-stage-factors: finds the products of warpgroups whose factors no copy brings to shared
// memory. Writes these factors to slots, and replaces each product by an asynchronous product and a
// wait for it.
#include "compiler/lowering/Passes.h"
#include "compiler/lowering/pipelining/FactorSource.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_STAGEFACTORS
#include "compiler/lowering/Passes.h.inc"

namespace {

/// The bytes of the slots that are allocated before `op` and deallocated after it.
uint64_t bytesInUse(Operation *op) {
  uint64_t bytes = 0;
  op->getParentOfType<func::FuncOp>().walk([&](DeallocSharedOp dealloc) {
    Operation *alloc = dealloc.getShared().getDefiningOp();
    Operation *around = dealloc->getBlock()->findAncestorOpInBlock(*op);
    if (around && alloc->getBlock() == dealloc->getBlock() && alloc->isBeforeInBlock(around) &&
        around->isBeforeInBlock(dealloc))
      bytes += dealloc.getShared().getType().getBytes();
  });
  return bytes;
}

struct StageFactorsPass : impl::StageFactorsBase<StageFactorsPass> {
  using StageFactorsBase::StageFactorsBase;

  void runOnOperation() override {
    SmallVector<DotOp> dots;
    getOperation().walk([&](DotOp dot) {
      if (dot.getWarpgroups())
        dots.push_back(dot);
    });
    for (DotOp dot : dots)
      stage(dot);
  }

private:
  void stage(DotOp dot) {
    FactorSource a(dot.getA(), 1), other(dot.getB(), 0);
    if (!a.isPlaced() || !other.isPlaced())
      return;
    a.isInRegisters &= !mustLeaveRegisters(dot);
    const uint64_t bytes = (a.isInRegisters ? 0 : a.bytes()) + other.bytes();
    if (bytesInUse(dot) + bytes > maxBytes)
      return;
    ImplicitLocOpBuilder b(dot.getLoc(), dot);
    Value zero = b.create<arith::ConstantIntOp>(0, 32);
    SmallVector<Value> allocated;
    // Returns the shared allocation in which the factor has a slot, and the number of that slot. If
    // the factor has no slot yet, allocates one.
    auto place = [&](FactorSource &factor) -> std::pair<Value, Value> {
      if (factor.present)
        return {factor.present.getShared(), factor.present.getSlot()};
      allocated.push_back(b.create<AllocSharedOp>(factor.slotType()));
      return {allocated.back(), zero};
    };
    std::pair<Value, Value> ofA = {dot.getA(), Value()};
    if (!a.isInRegisters)
      ofA = place(a);
    const std::pair<Value, Value> ofB = place(other);
    if (!a.isInRegisters && !a.present)
      b.create<WriteSharedOp>(a.block, ofA.first, ofA.second);
    if (!other.present)
      b.create<WriteSharedOp>(other.block, ofB.first, ofB.second);
    if (!allocated.empty())
      b.create<BarrierOp>();
    Value begun =
        b.create<DotAsyncOp>(dot.getType(), dot.getAcc(), ofA.first, ofA.second, ofB.first,
                             ofB.second, dot.getFormatOfAAttr(), dot.getFormatOfBAttr(),
                             !a.isInRegisters && a.isTransposed, other.isTransposed);
    Value result = b.create<WaitDotsOp>(begun.getType(), uint32_t(0), begun).getResult(0);
    for (Value slots : llvm::reverse(allocated))
      b.create<DeallocSharedOp>(slots);
    SmallVector<Value> factors = {dot.getA(), dot.getB()};
    dot.replaceAllUsesWith(result);
    dot.erase();
    IRRewriter rewriter(&getContext());
    for (Value factor : factors)
      FactorSource::eraseUnused(rewriter, factor);
  }
};

} // namespace
} // namespace eft
