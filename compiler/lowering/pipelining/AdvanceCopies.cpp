// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-advance-copies: begins the copies for a loop's next iteration before this iteration stores.
//
// A program that computes several tiles of a product has a loop over tiles around a pipelined loop.
// When the pipelined loop ends, no copy is under way. Then the tile is stored, and the next
// pipelined loop begins by waiting for its first copies: first the memory is idle, and then the
// tensor cores are. So the copies that precede the pipelined loop move to the end of the previous
// iteration over tiles: after the last wait of its pipelined loop, where the slots are free, and
// before the stores:
//
//   tile t    | copies | products | store |
//   tile t+1  |                   | copies| products | store |
//
// The operations that compute the addresses of these copies are cloned at the end of the iteration,
// for the next iteration. Their results are a few numbers. To compute them twice is cheaper than to
// keep them while the tile is stored. The bounds that the threads have taken from the first thread
// are the exception: the loop over tiles carries them, because a second load could give others.
#include "compiler/lowering/Passes.h"

#include "compiler/ir/Accesses.h"
#include "compiler/lowering/Renaming.h"
#include "compiler/lowering/gpu/SharedMemory.h"
#include "compiler/lowering/pipelining/PipelineParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_ADVANCECOPIES
#include "compiler/lowering/Passes.h.inc"

namespace {

/// The attribute of a loop in which no iteration reads memory that an earlier iteration has
/// written.
constexpr StringLiteral flattenName = "eft.flatten";

/// The most bytes of shared memory that one round of staging uses: in general, and for a conversion
/// of a single block.
constexpr uint64_t bytesOfRound = SharedMemory::usualBytes, bytesOfOneBlock = 32 * 1024;

/// The largest number of rounds of staging after a pipelined loop. More rounds would cost more time
/// than the copies that overlap with them save.
constexpr uint64_t maxRounds = 2;

/// The bytes of shared memory that an operation may need for staging; nothing if it would need more
/// than `maxRounds` rounds.
std::optional<uint64_t> bytesForStaging(Operation *op) {
  if (auto convert = dyn_cast<ConvertLayoutOp>(op)) {
    auto type = cast<RankedTensorType>(convert.getType());
    const uint64_t bits = type.getElementType().isIntOrFloat() ? type.getElementTypeBitWidth() : 64;
    const uint64_t bytes = uint64_t(type.getNumElements()) * std::max<uint64_t>(bits / 8, 1);
    if (bytes > maxRounds * bytesOfOneBlock)
      return std::nullopt;
    return std::min(bytes, bytesOfOneBlock);
  }
  if (auto move = dyn_cast<ElementMoveOpInterface>(op); move && isRenaming(move))
    return 0;
  const bool isHarmless = OpTrait::hasElementwiseMappableTraits(op) ||
                          op->hasTrait<ComputesInPlace>() || (pointerOf(op) && !isAtomic(op)) ||
                          isa<scf::YieldOp, WaitDotsOp>(op) ||
                          (op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
                           llvm::none_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) &&
                           llvm::none_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>));
  return isHarmless ? 0 : bytesOfRound;
}

bool touchesSlots(Operation *op) {
  auto touches = [](Operation *inside) {
    constexpr auto isSlots = llvm::IsaPred<SharedType>;
    return isa<CommitCopiesOp, WaitCopiesOp>(inside) ||
           llvm::any_of(inside->getOperandTypes(), isSlots) ||
           llvm::any_of(inside->getResultTypes(), isSlots);
  };
  return op
      ->walk([&](Operation *inside) {
        return touches(inside) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

class CopyAdvancer {
public:
  CopyAdvancer(scf::ForOp loop, uint64_t maxBytes) : loop(loop), maxBytes(maxBytes) {}

  /// True if the loop has the form that eft-pipeline-copies leaves: allocations and the first
  /// copies, a pipelined loop, a wait for all copies, and stores. Collects these parts.
  bool matches() {
    Operation *pipelined = nullptr;
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (!pipelined && isa<scf::ForOp>(op) && touchesSlots(&op))
        pipelined = &op;
      else if (!(pipelined ? addBehind(op) : addBefore(op)))
        return false;
    }
    return pipelined && hasCopies && done && allocations.size() == frees.size() &&
           slotBytes() + staged <= maxBytes && findNext(pipelined);
  }

  void run(RewriterBase &rewriter) {
    for (AllocSharedOp allocation : allocations)
      allocation->moveBefore(loop);

    rewriter.setInsertionPoint(loop);
    Location loc = loop.getLoc();
    IRMapping ofFirst;
    ofFirst.map(loop.getInductionVar(), loop.getLowerBound());
    ofFirst.map(loop.getRegionIterArgs(), loop.getInitArgs());
    Value runs = rewriter.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt,
                                                loop.getLowerBound(), loop.getUpperBound());
    cloneCopies(rewriter, ofFirst, runs);

    rewriter.setInsertionPointAfter(done);
    IRMapping ofNext;
    for (Operation *op : next)
      rewriter.clone(*op, ofNext);
    Value counter = loop.getInductionVar(), step = loop.getStep();
    SmallVector<Value> values;
    for (Value value : loop.getYieldedValues())
      values.push_back(ofNext.lookupOrDefault(value));
    ofNext.map(counter, rewriter.create<arith::AddIOp>(loc, counter, step).getResult());
    ofNext.map(loop.getRegionIterArgs(), values);
    // The counter is below the upper bound, so their distance is exact as an unsigned number.
    Value left = rewriter.create<arith::SubIOp>(loc, loop.getUpperBound(), counter);
    Value more = rewriter.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ugt, left, step);
    cloneCopies(rewriter, ofNext, more);
    carryBounds(rewriter, ofFirst, ofNext);

    for (Operation *op : llvm::reverse(before))
      if (isa<CopyAsyncOp, CommitCopiesOp>(op) || isOpTriviallyDead(op))
        rewriter.eraseOp(op);
    rewriter.setInsertionPointAfter(loop);
    Operation *last = rewriter.create<WaitCopiesOp>(loc, uint32_t(0));
    for (DeallocSharedOp free : frees) {
      free->moveAfter(last);
      last = free;
    }
  }

private:
  bool addBefore(Operation &op) {
    if (auto allocation = dyn_cast<AllocSharedOp>(op)) {
      allocations.push_back(allocation);
      return true;
    }
    hasCopies |= isa<CopyAsyncOp>(op);
    if (auto bound = dyn_cast<OfFirstThreadOp>(op))
      bounds.push_back(bound);
    before.push_back(&op);
    // No iteration reads memory that an earlier iteration has written, so the loads of addresses
    // may run early, too.
    auto load = dyn_cast<LoadOp>(op);
    return isa<CopyAsyncOp, CommitCopiesOp>(op) || isMemoryEffectFree(&op) ||
           (load && !load.readsAnew());
  }

  bool addBehind(Operation &op) {
    auto wait = dyn_cast<WaitCopiesOp>(op);
    if (wait && !done && wait.getPending() == 0) {
      done = wait;
    } else if (auto free = dyn_cast<DeallocSharedOp>(op); free && done) {
      frees.push_back(free);
    } else {
      std::optional<uint64_t> bytes = bytesForStaging(&op);
      staged = bytes ? std::max(staged, *bytes) : maxBytes;
      return !touchesSlots(&op);
    }
    return true;
  }

  uint64_t slotBytes() const {
    uint64_t bytes = 0;
    for (AllocSharedOp allocation : allocations)
      bytes += AllocSharedOp(allocation).getType().getBytes();
    return bytes;
  }

  /// Finds the operations that compute the values which the next iteration's copies need from this
  /// iteration: those values that the loop carries. Returns false if the operations need a result
  /// of the pipelined loop, have side effects, or have regions.
  bool findNext(Operation *pipelined) {
    DenseSet<Operation *> ofCopies(before.begin(), before.end());
    SmallVector<Value> pending;
    for (BlockArgument argument : loop.getRegionIterArgs())
      if (llvm::any_of(argument.getUsers(), [&](Operation *user) {
            return ofCopies.contains(loop.getBody()->findAncestorOpInBlock(*user));
          }))
        pending.push_back(loop.getTiedLoopYieldedValue(argument)->get());
    DenseSet<Operation *> found;
    while (!pending.empty()) {
      Operation *op = pending.pop_back_val().getDefiningOp();
      if (!op || op->getBlock() != loop.getBody() || op->isBeforeInBlock(pipelined) ||
          !found.insert(op).second)
        continue;
      if (op == pipelined || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
        return false;
      llvm::append_range(pending, op->getOperands());
    }
    for (Operation &op : *loop.getBody())
      if (found.contains(&op))
        next.push_back(&op);
    return true;
  }

  /// Clones the operations that precede the pipelined loop: the copies and the loads access memory
  /// only if `condition` is true. Erases the clones that nothing uses, except those of the bounds,
  /// which `carryBounds` needs.
  void cloneCopies(RewriterBase &rewriter, IRMapping &mapping, Value condition) {
    SmallVector<Operation *> clones;
    for (Operation *op : before) {
      clones.push_back(rewriter.clone(*op, mapping));
      doOnlyIf(rewriter, clones.back(), condition);
    }
    for (Operation *clone : llvm::reverse(clones))
      if (isOpTriviallyDead(clone) && !isa<OfFirstThreadOp>(clone))
        rewriter.eraseOp(clone);
  }

  /// Makes the loop carry the loaded bounds of the pipelined loop from the copies to the pipelined
  /// loop. If the pipelined loop loaded its bounds again, it could find others than the copies did.
  void carryBounds(RewriterBase &rewriter, const IRMapping &ofFirst, const IRMapping &ofNext) {
    if (bounds.empty())
      return;
    SmallVector<Value> firstBounds, nextBounds;
    for (OfFirstThreadOp bound : bounds) {
      firstBounds.push_back(ofFirst.lookup(bound.getResult()));
      nextBounds.push_back(ofNext.lookup(bound.getResult()));
    }
    auto yieldNext = [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return nextBounds; };
    loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        rewriter, firstBounds, /*replaceInitOperandUsesInLoop=*/false, yieldNext));
    auto carried = loop.getRegionIterArgs().take_back(bounds.size());
    for (auto [bound, value] : llvm::zip_equal(bounds, carried))
      rewriter.replaceAllUsesWith(bound.getResult(), value);
  }

  scf::ForOp loop;
  uint64_t maxBytes;
  SmallVector<AllocSharedOp> allocations;
  SmallVector<Operation *> before;     // the operations before the pipelined loop
  SmallVector<OfFirstThreadOp> bounds; // those among `before`: loaded bounds of the pipelined loop
  bool hasCopies = false;
  WaitCopiesOp done; // the wait for all copies, after the pipelined loop
  SmallVector<DeallocSharedOp> frees;
  uint64_t staged = 0;           // the most bytes that an operation after the pipelined loop stages
  SmallVector<Operation *> next; // the result of `findNext`
};

struct AdvanceCopiesPass : impl::AdvanceCopiesBase<AdvanceCopiesPass> {
  using AdvanceCopiesBase::AdvanceCopiesBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (loop->hasAttr(flattenName))
        loops.push_back(loop);
    });
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops)
      if (CopyAdvancer advancer(loop, maxBytes); advancer.matches())
        advancer.run(rewriter);
  }
};

} // namespace
} // namespace eft
