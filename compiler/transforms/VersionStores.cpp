// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-version-stores: gives pipelined loops that store a second version, for stores that write
// nothing that the loop loads.
//
// Only in that version may loads run some iterations ahead, and have the layouts that suit their
// memory. The kernel chooses the version once, before the loop: it compares the ranges of bytes
// that the accesses may touch in all iterations.
#include "compiler/ir/Accesses.h"
#include "compiler/layout/Placement.h"
#include "compiler/transforms/AccessRanges.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_VERSIONSTORES
#include "compiler/transforms/Passes.h.inc"

namespace {

/// The most pairs of a load and a store whose ranges a kernel compares.
constexpr size_t maxPairs = 24;

struct LoopAccesses {
  SmallVector<LoadOp> loads;
  SmallVector<StoreOp> stores;
};

/// Returns the loads and stores of a loop; nothing if the loop accesses memory in another way.
std::optional<LoopAccesses> accessesOf(scf::ForOp loop) {
  LoopAccesses accesses;
  const WalkResult result = loop.walk([&](Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op); load && !load.readsAnew())
      accesses.loads.push_back(load);
    else if (auto store = dyn_cast<StoreOp>(op))
      accesses.stores.push_back(store);
    else if (!isMemoryEffectFree(op) && !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return std::nullopt;
  return accesses;
}

/// Returns the pointer from which the address, or the addresses of a block, are computed.
Value baseOf(Value pointer) {
  while (Operation *op = pointer.getDefiningOp()) {
    if (!isa<AddPtrOp, BroadcastOp, ExpandDimsOp>(op) && !op->hasTrait<KeepsNumbers>())
      break;
    pointer = op->getOperand(0);
  }
  return pointer;
}

bool multipliesOnTensorCores(scf::ForOp loop) {
  return llvm::any_of(loop.getBody()->getOps<DotOp>(),
                      [](DotOp dot) { return dot.usesTensorCores(); });
}

/// Returns true if the ranges of all accesses can be computed, and may turn out to be apart.
bool canBeApart(const LoopAccesses &accesses, AccessRanges &ranges) {
  if (accesses.stores.empty() || accesses.loads.empty() ||
      accesses.stores.size() * accesses.loads.size() > maxPairs)
    return false;
  llvm::DenseSet<Value> stored;
  for (StoreOp store : accesses.stores)
    stored.insert(baseOf(store.getPointer()));
  return llvm::all_of(accesses.stores,
                      [&](StoreOp store) { return ranges.has(store.getPointer()); }) &&
         llvm::all_of(accesses.loads, [&](LoadOp load) {
           return ranges.has(load.getPointer()) && !stored.contains(baseOf(load.getPointer()));
         });
}

/// Emits the comparison of all ranges of loads with all ranges of stores. Returns an i1.
Value areApart(ImplicitLocOpBuilder &b, const LoopAccesses &accesses, AccessRanges &ranges) {
  SmallVector<ByteRange> stored;
  for (StoreOp store : accesses.stores)
    stored.push_back(ranges.of(store.getPointer(), store.getMask()));
  Value all;
  for (LoadOp load : accesses.loads) {
    const ByteRange loaded = ranges.of(load.getPointer(), load.getMask());
    for (const ByteRange &range : stored) {
      Value one = ranges.areApart(loaded, range);
      all = all ? b.createOrFold<arith::AndIOp>(all, one) : one;
    }
  }
  return b.createOrFold<arith::AndIOp>(all, ranges.condition());
}

void makeVersions(RewriterBase &rewriter, scf::ForOp loop, Value condition) {
  auto apart = [&](OpBuilder &b, Location loc) {
    Operation *version = b.clone(*loop);
    version->setAttr(EftDialect::storesApartName, b.getUnitAttr());
    b.create<scf::YieldOp>(loc, version->getResults());
  };
  auto anywhere = [&](OpBuilder &b, Location loc) {
    b.create<scf::YieldOp>(loc, b.clone(*loop)->getResults());
  };
  auto choice = rewriter.create<scf::IfOp>(loop.getLoc(), condition, apart, anywhere);
  rewriter.replaceOp(loop, choice.getResults());
}

struct VersionStoresPass : impl::VersionStoresBase<VersionStoresPass> {
  using VersionStoresBase::VersionStoresBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (multipliesOnTensorCores(loop) || mayLoadAhead(loop))
        loops.push_back(loop);
    });
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops) {
      std::optional<LoopAccesses> accesses = accessesOf(loop);
      rewriter.setInsertionPoint(loop);
      ImplicitLocOpBuilder b(loop.getLoc(), rewriter);
      AccessRanges ranges(b, loop);
      if (!accesses || !canBeApart(*accesses, ranges))
        continue;
      makeVersions(rewriter, loop, areApart(b, *accesses, ranges));
    }
  }

private:
  /// True if `eft-prefetch-loads` may move a load of the loop, as far as that is known before
  /// placing.
  bool mayLoadAhead(scf::ForOp loop) {
    return asksForLoadsAhead(loop) &&
           llvm::any_of(loop.getBody()->getOps<LoadOp>(), [&](LoadOp load) {
             auto block = dyn_cast<RankedTensorType>(load.getType());
             const int64_t elements = block ? block.getNumElements() : 1;
             return elements <= maxRegistersAhead * lanesPerWarp * numWarps &&
                    !llvm::is_contained(loop.getYieldedValues(), load.getResult());
           });
  }
};

} // namespace
} // namespace eft
