// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-version-factors: factors of products get a second version of their loads, for iterations in
// which no mask cuts and no remainder wraps around. That is nearly all of them.
#include "compiler/analysis/FactorLoads.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/PlainBlocks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_VERSIONFACTORS
#include "compiler/transforms/Passes.h.inc"

namespace {

/// Loads that can be made at the place of the first of them, and prefetches behind them.
struct LoadGroup {
  SmallVector<LoadOp> loads;
  SmallVector<PrefetchOp> prefetches;
};

/// Moves to the front of the first load what later ones are computed from. Loads that come behind a
/// write to memory, or need a value that can't be moved, are left out.
LoadGroup gather(ArrayRef<LoadOp> candidates) {
  LoadGroup group;
  Operation *first = candidates.front(), *last = candidates.back();
  for (PrefetchOp prefetch : first->getBlock()->getOps<PrefetchOp>())
    if (last->isBeforeInBlock(prefetch))
      last = prefetch;
  DenseSet<Operation *> late;
  auto isAvailable = [&](Operation *op) {
    return llvm::none_of(op->getOperands(),
                         [&](Value operand) { return late.contains(operand.getDefiningOp()); });
  };
  for (Operation &op :
       llvm::make_early_inc_range(llvm::make_range(first->getIterator(), ++last->getIterator()))) {
    const bool canMove = isAvailable(&op);
    auto load = dyn_cast<LoadOp>(op);
    auto prefetch = dyn_cast<PrefetchOp>(op);
    if (canMove && load && llvm::is_contained(candidates, load))
      group.loads.push_back(load);
    else if (canMove && prefetch)
      group.prefetches.push_back(prefetch);
    else if (canMove && isMemoryEffectFree(&op) && op.getNumRegions() == 0) {
      op.moveBefore(first);
      continue;
    } else if (!prefetch && !isMemoryEffectFree(&op) && !(load && !load.readsAnew()))
      break;
    late.insert(&op);
  }
  return group;
}

/// Makes the loads in a choice between their plain versions and themselves. Prefetches go along
/// with the plain ones: where factors are loaded element by element, they would cost as much again.
/// What is replaced stays, so that the analysis knows no other operation by its address.
void makeVersions(LoadGroup &group, PlainBlocks &blocks, SmallVectorImpl<Operation *> &replaced) {
  Operation *first = group.loads.front();
  ImplicitLocOpBuilder b(first->getLoc(), first);
  Value condition = blocks.emitCondition(b, first->getLoc());
  SmallVector<Type> types;
  for (LoadOp load : group.loads)
    types.push_back(load.getType());
  auto choice = b.create<scf::IfOp>(types, condition, /*withElseRegion=*/true);
  SmallVector<Value> plain, usual;
  b.setInsertionPointToStart(choice.thenBlock());
  for (LoadOp load : group.loads) {
    Value pointer = blocks.emitPlain(b, load.getPointer());
    auto clone = cast<LoadOp>(b.clone(*load));
    clone.getPointerMutable().assign(pointer);
    clone.dropMask();
    plain.push_back(clone);
  }
  for (PrefetchOp prefetch : group.prefetches)
    b.create<PrefetchOp>(prefetch.getLoc(), blocks.emitPlain(b, prefetch.getPointer()));
  b.create<scf::YieldOp>(plain);
  b.setInsertionPointToStart(choice.elseBlock());
  for (LoadOp load : group.loads)
    usual.push_back(b.clone(*load)->getResult(0));
  b.create<scf::YieldOp>(usual);
  for (auto [load, result] : llvm::zip_equal(group.loads, choice.getResults())) {
    load.getResult().replaceAllUsesWith(result);
    replaced.push_back(load);
  }
  llvm::append_range(replaced, group.prefetches);
}

/// The factors' loads that have a mask or a remainder of which numbers tell that it does nothing.
SmallVector<LoadOp> candidatesOf(scf::ForOp loop, const AxisInfos &infos) {
  SmallVector<LoadOp> candidates;
  for (LoadOp load : factorLoads(loop)) {
    PlainBlocks alone(infos);
    const bool wraps = alone.requireRemainders(load.getPointer());
    if (load.getMask() ? succeeded(alone.require(load.getMask())) : wraps)
      candidates.push_back(load);
  }
  return candidates;
}

void versionFactors(scf::ForOp loop, const AxisInfos &infos,
                    SmallVectorImpl<Operation *> &replaced) {
  SmallVector<LoadOp> candidates = candidatesOf(loop, infos);
  if (candidates.empty())
    return;
  LoadGroup group = gather(candidates);
  PlainBlocks blocks(infos);
  for (LoadOp load : group.loads) {
    blocks.requireRemainders(load.getPointer());
    if (load.getMask() && failed(blocks.require(load.getMask())))
      return;
  }
  for (PrefetchOp prefetch : group.prefetches)
    blocks.requireRemainders(prefetch.getPointer());
  makeVersions(group, blocks, replaced);
}

struct VersionFactorsPass : impl::VersionFactorsBase<VersionFactorsPass> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (!factorLoads(loop).empty())
        loops.push_back(loop);
    });
    if (loops.empty())
      return;
    AxisInfos infos(getOperation());
    SmallVector<Operation *> replaced;
    for (scf::ForOp loop : loops)
      versionFactors(loop, infos, replaced);
    for (Operation *op : replaced)
      op->erase();
  }
};

} // namespace
} // namespace eft
