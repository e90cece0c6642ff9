// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-prefetch-loads: loads the blocks of the next iteration while this iteration is computed.
//
// A thread waits for a load only where it needs the result. The code of a loop can't begin a load
// before the iteration that contains it, so each iteration waits for memory. Upstream's pipeliner
// runs the loads, and the operations that compute their addresses, one iteration ahead. The loaded
// blocks wait in registers.
#include "compiler/ir/Accesses.h"
#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/Placement.h"
#include "compiler/lowering/Passes.h"
#include "compiler/lowering/pipelining/LoopCounter.h"
#include "compiler/lowering/pipelining/PipelineParts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_PREFETCHLOADS
#include "compiler/lowering/Passes.h.inc"

namespace {

using Operations = llvm::SetVector<Operation *>;

/// The most operations on blocks from which the operands of a load may be computed. If they are
/// used for other values, too, they are computed twice.
constexpr size_t maxSources = 16;

unsigned bitsOfElement(LoadOp load) {
  Type element = getElementTypeOrSelf(load.getType());
  return isa<PointerType>(element) ? 64 : element.getIntOrFloatBitWidth();
}

/// The number of registers in which a thread keeps the result of a load. The loop carries each
/// element in registers of its own. So bytes are not loaded ahead: a thread would unpack them when
/// it has loaded them, and pack them to store them.
int64_t registersOf(LoadOp load) {
  const int64_t perElement = bitsOfElement(load) > 32 ? 2 : 1;
  std::optional<LinearLayout> layout = layoutOf(load.getType());
  return layout ? perElement << withPlaces(*layout, gpuPlaces).placeBits(place::registers)
                : perElement;
}

bool isCheap(Operation *op) {
  return !op->hasTrait<FetchesElements>() && !op->hasTrait<MayCall>() && !isa<PhiloxOp>(op);
}

/// True if each thread computes its elements of the loop's blocks alone, so that threads may have
/// different bounds.
bool isOfSingleThreads(scf::ForOp loop) {
  return llvm::all_of(loop.getBody()->without_terminator(), [](Operation &op) {
    const bool staysInPlace = op.hasTrait<OpTrait::Elementwise>() ||
                              op.hasTrait<ComputesInPlace>() ||
                              op.hasTrait<OpTrait::ConstantLike>();
    return isa<LoadOp, ProgramIdOp>(op) || (staysInPlace && isMemoryEffectFree(&op));
  });
}

/// Adds to `ops` the operations of the loop's body from which `value` is computed. Returns false if
/// one of them can't run an iteration ahead or takes long, or if the value depends on the iteration
/// before.
bool addSources(scf::ForOp loop, Value value, Operations &ops) {
  SmallVector<Value> pending = {value};
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (argument.getOwner() == loop.getBody() && argument != loop.getInductionVar())
        return false;
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (op->getBlock() != loop.getBody() || !ops.insert(op))
      continue;
    if (!isMemoryEffectFree(op) || op->getNumRegions() != 0 || !isCheap(op))
      return false;
    llvm::append_range(pending, op->getOperands());
  }
  return llvm::count_if(ops, [](Operation *op) {
           return isa<RankedTensorType>(op->getResult(0).getType());
         }) <= int64_t(maxSources);
}

class LoadPrefetcher {
public:
  LoadPrefetcher(scf::ForOp loop, int64_t maxRegisters) : loop(loop) {
    for (LoadOp load : loop.getBody()->getOps<LoadOp>()) {
      const int64_t needed = registersOf(load);
      if (needed > maxRegisters || bitsOfElement(load) < 16 || !canPrefetch(load))
        continue;
      maxRegisters -= needed;
      loads.push_back(load);
    }
  }

  LogicalResult run(RewriterBase &rewriter) {
    if (loads.empty())
      return success();
    if (!isOfSingleThreads(loop))
      agreeOnBounds(rewriter, loop);
    prepareCounter(rewriter, loop);
    for (LoadOp load : loads)
      separate(rewriter, load);
    return pipelineParts(rewriter, loop,
                         {/*distance=*/0, /*copiesComeFirst=*/false, /*hasPartAhead=*/true,
                          /*hasThirdPart=*/false});
  }

private:
  bool canPrefetch(LoadOp load) {
    // After the loop, the result of a load that runs ahead would be that of an iteration that did
    // not run.
    const bool isYielded = llvm::is_contained(loop.getYieldedValues(), load.getResult());
    return !isYielded && llvm::all_of(load->getOperands(), [&](Value operand) {
      Operations sources;
      return addSources(loop, operand, sources);
    });
  }

  /// Marks the load, and gives it clones of all operations from which its operands are computed. So
  /// the parts of an iteration share nothing but the loaded values.
  void separate(RewriterBase &rewriter, LoadOp load) {
    Operations sources;
    for (Value operand : load->getOperands())
      addSources(loop, operand, sources);
    SmallVector<Operation *> inOrder;
    for (Operation &op : *loop.getBody())
      if (sources.contains(&op))
        inOrder.push_back(&op);
    IRMapping mapping;
    rewriter.setInsertionPoint(load);
    for (Operation *op : inOrder)
      mark(rewriter.clone(*op, mapping), Mark::Ahead);
    rewriter.modifyOpInPlace(load, [&] {
      for (OpOperand &operand : load->getOpOperands())
        operand.set(mapping.lookupOrDefault(operand.get()));
      mark(load, Mark::Ahead);
    });
    for (Operation *op : llvm::reverse(inOrder))
      if (isOpTriviallyDead(op))
        rewriter.eraseOp(op);
  }

  scf::ForOp loop;
  SmallVector<LoadOp> loads;
};

struct PrefetchLoadsPass : impl::PrefetchLoadsBase<PrefetchLoadsPass> {
  using PrefetchLoadsBase::PrefetchLoadsBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (asksForLoadsAhead(loop) && isa<IntegerType>(loop.getInductionVar().getType()) &&
          !matchPattern(loop.getStep(), m_Zero()) && !writesMemory(loop))
        loops.push_back(loop);
    });
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops)
      if (failed(LoadPrefetcher(loop, maxRegisters).run(rewriter)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace eft
