// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-version-factors: gives the loads of products' factors a second version, for the iterations in
// which all masks are true and no remainder wraps around. Nearly all iterations are of this kind.
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

/// Loads that can all be done at the position of the first one, and prefetches that come after it.
struct LoadGroup {
  SmallVector<LoadOp> loads;
  SmallVector<PrefetchOp> prefetches;
};

/// Collects those candidates that can be done at the position of the first candidate, and the
/// prefetches after it. Moves the operations that compute their operands in front of the first
/// candidate. Leaves out loads after a write to memory, and loads that need a value which cannot be
/// moved.
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

/// Replaces the loads by an `scf.if`: its first region loads without masks and remainders, its
/// second region as before. Only the first region prefetches: where factors are loaded element by
/// element, a prefetch would cost as much as the loads. The old operations are not erased but added
/// to `replaced`: the analysis identifies operations by their address, so a new operation must not
/// be created at the address of an erased one.
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

/// The loads of factors to which a version without mask and remainders applies: scalars decide
/// whether the mask is true or, if there is no mask, whether at least one remainder is plain.
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
