// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-pipeline-copies: copies the operands of products to shared memory, iterations ahead.
//
// An iteration of the loop is cut into two parts. The first part computes addresses and masks, and
// begins the copies. The second part waits for the copies of its iteration, and does the rest.
// Upstream's pipeliner runs the first part `stages - 1` iterations ahead. Operations that compute
// addresses are cloned for it, so that the parts share no value that would have to be kept
// meanwhile.
//
// With as many slots as stages, one barrier an iteration is enough: it stands behind the wait for
// the copies of this iteration, and before the copies that overwrite what the last one has read.
#include "compiler/lowering/Passes.h"

#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/MatrixLoad.h"
#include "compiler/layout/Placement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_PIPELINECOPIES
#include "compiler/lowering/Passes.h.inc"

namespace {

constexpr int64_t minBytes = 4, widestAccess = 16;

/// More stages than this hide nothing more, and the iterations ahead are code of their own.
constexpr int64_t maxStages = 8;

/// An operand of a product that a loop loads, and its place in shared memory.
struct Operand {
  LoadOp load;
  ConvertLayoutOp convert;
  SharedType slots; // with one slot
};

/// The first part of an iteration: operations of the loop's body, and arguments that it carries.
struct Slice {
  llvm::SetVector<Operation *> ops;
  llvm::SetVector<BlockArgument> carried;
};

bool isZero(Value value) {
  return matchPattern(value, m_Zero()) || matchPattern(value, m_PosZeroFloat());
}

/// Whether the loop writes memory, or orders accesses, as a load does that waits for what another
/// program writes: then no load may be done earlier.
bool writesMemory(scf::ForOp loop) {
  return loop
      .walk([&](Operation *op) {
        auto load = dyn_cast<LoadOp>(op);
        const bool isHarmless = op == loop || isMemoryEffectFree(op) ||
                                op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
                                hasSingleEffect<MemoryEffects::Read>(op) ||
                                (load && !load.readsAnew());
        return isHarmless ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// The slots for what `load` loads, if copies can do that: of runs of at least four bytes, of which
/// a mask leaves the beginning.
SharedType slotsFor(LoadOp load, ConvertLayoutOp convert) {
  auto block = cast<RankedTensorType>(load.getType());
  Type element = block.getElementType();
  const bool hasHints = load.readsAnew() || load.getCache() || load.getEviction();
  const bool cutsRuns = load.getMask() && !load.getUniformRuns() && !load.getPrefixRuns();
  if (hasHints || cutsRuns || (load.getOther() && !isZero(load.getOther())) ||
      !element.isIntOrFloat() || element.getIntOrFloatBitWidth() < 8)
    return {};
  const unsigned bytes = element.getIntOrFloatBitWidth() / 8;
  std::optional<LinearLayout> loaded = layoutOf(block), needed = layoutOf(convert.getType());
  if (!loaded || !needed)
    return {};
  const LinearLayout from = withPlaces(*loaded, gpuPlaces), wanted = withPlaces(*needed, gpuPlaces);
  if (!from.isSurjective() || !wanted.isSurjective())
    return {};
  SharedOrder order = chooseSharedOrder(from, wanted, bytes);
  const int64_t run = order.layout.runOfFragments(
      from, std::min<int64_t>(load.getRun().value_or(1), widestAccess / bytes));
  if (run * bytes < minBytes)
    return {};
  auto plain = RankedTensorType::get(block.getShape(), element);
  return SharedType::get(load.getContext(), 1,
                         withLayout(plain, order.layout.order(from, place::offset)));
}

class LoopPipeliner {
public:
  LoopPipeliner(scf::ForOp loop, int64_t stages, uint64_t maxBytes)
      : loop(loop), stages(stages), maxBytes(maxBytes) {}

  LogicalResult run(RewriterBase &rewriter) {
    if (writesMemory(loop) || !isa<IntegerType>(loop.getInductionVar().getType()))
      return success();
    findOperands();
    fitStages();
    if (operands.empty() || stages < 2)
      return success();
    if (!countsExactly()) {
      countFromZero(rewriter);
      slice = {};
      operands.clear();
      findOperands();
    }
    splitStages(rewriter);
    return pipeline(rewriter);
  }

private:
  /// Whether the numbers of iterations ahead are exact: the pipeliner adds up to `stages` steps to
  /// the lower bound, or takes them from the upper one, and compares.
  bool countsExactly() {
    constexpr int64_t small = 1 << 20;
    std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound());
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    return first && step && *first >= 0 && *first <= small && *step > 0 && *step <= small;
  }

  /// Lets the loop count its iterations, in 64 bits, from zero on.
  void countFromZero(RewriterBase &rewriter) {
    Location loc = loop.getLoc();
    rewriter.setInsertionPoint(loop);
    Value lower = loop.getLowerBound(), upper = loop.getUpperBound(), step = loop.getStep();
    Type type = lower.getType(), wide = rewriter.getI64Type();
    auto constant = [&](int64_t value) -> Value {
      return rewriter.create<arith::ConstantIntOp>(loc, value, wide);
    };
    auto widen = [&](Value value) -> Value {
      return type == wide ? value : rewriter.create<arith::ExtUIOp>(loc, wide, value).getResult();
    };
    // (upper - lower - 1) / step + 1: as unsigned numbers these are exact, even where the bounds
    // are far apart. Nobody divides by zero, also where nothing runs.
    Value distance = widen(rewriter.create<arith::SubIOp>(loc, upper, lower));
    Value divisor = rewriter.create<arith::MaxUIOp>(loc, widen(step), constant(1));
    Value last = rewriter.create<arith::DivUIOp>(
        loc, rewriter.create<arith::SubIOp>(loc, distance, constant(1)), divisor);
    Value count = rewriter.create<arith::AddIOp>(loc, last, constant(1));
    Value runs = rewriter.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, lower, upper);
    count = rewriter.create<arith::SelectOp>(loc, runs, count, constant(0));
    Value zero = constant(0), one = constant(1);
    rewriter.modifyOpInPlace(loop, [&] {
      loop.setLowerBound(zero);
      loop.setUpperBound(count);
      loop.setStep(one);
      Value counter = loop.getInductionVar();
      counter.setType(wide);
      rewriter.setInsertionPointToStart(loop.getBody());
      Value number = counter;
      if (type != wide)
        number = rewriter.create<arith::TruncIOp>(loc, type, counter);
      Operation *narrow = number.getDefiningOp();
      Value offset = rewriter.create<arith::MulIOp>(loc, number, step);
      Value value = rewriter.create<arith::AddIOp>(loc, lower, offset);
      SmallPtrSet<Operation *, 2> own = {offset.getDefiningOp()};
      if (narrow)
        own.insert(narrow);
      counter.replaceAllUsesExcept(value, own);
    });
  }

  void findOperands() {
    for (DotOp dot : loop.getBody()->getOps<DotOp>())
      if (dot.usesTensorCores())
        for (Value value : {dot.getA(), dot.getB()})
          addOperand(value);
  }

  void addOperand(Value value) {
    // A transposition stays between the slot and the product.
    for (auto trans = value.getDefiningOp<TransOp>(); trans && trans->hasOneUse();
         trans = value.getDefiningOp<TransOp>())
      value = trans.getSource();
    auto convert = value.getDefiningOp<ConvertLayoutOp>();
    auto load = convert ? convert.getSource().getDefiningOp<LoadOp>() : LoadOp();
    const bool isOwn = load && convert->hasOneUse() && load->hasOneUse() &&
                       load->getBlock() == loop.getBody() && convert->getBlock() == loop.getBody();
    SharedType slots = isOwn ? slotsFor(load, convert) : SharedType();
    Slice extended = slice;
    if (!slots || !extend(extended, load.getPointer()) ||
        (load.getMask() && !extend(extended, load.getMask())))
      return;
    slice = std::move(extended);
    operands.push_back({load, convert, slots});
  }

  /// Adds all that a value is computed from in the loop; fails where that is more than arithmetic.
  bool extend(Slice &slice, Value value) {
    SmallVector<Value> pending = {value};
    while (!pending.empty()) {
      Value next = pending.pop_back_val();
      if (auto argument = dyn_cast<BlockArgument>(next)) {
        if (argument.getOwner() == loop.getBody() && argument != loop.getInductionVar() &&
            slice.carried.insert(argument))
          pending.push_back(loop.getTiedLoopYieldedValue(argument)->get());
        continue;
      }
      Operation *op = next.getDefiningOp();
      if (op->getBlock() != loop.getBody() || !slice.ops.insert(op))
        continue;
      if (!isMemoryEffectFree(op) || op->getNumRegions() != 0 || isa<DotOp>(op))
        return false;
      llvm::append_range(pending, op->getOperands());
    }
    return true;
  }

  /// As many stages as were asked for, or as shared memory has room for.
  void fitStages() {
    stages = std::min(stages, maxStages);
    uint64_t bytes = 0;
    for (Operand &operand : operands)
      bytes += operand.slots.getBytes();
    if (bytes != 0)
      stages = std::min<int64_t>(stages, maxBytes / bytes);
  }

  /// Rewrites the body as two parts of one iteration.
  void splitStages(RewriterBase &rewriter) {
    rewriter.setInsertionPoint(loop);
    Location loc = loop.getLoc();
    SmallVector<Value> inits;
    for (BlockArgument argument : slice.carried) {
      inits.push_back(loop.getTiedLoopInit(argument)->get());
      carried.push_back(argument.getArgNumber());
    }
    Value zero = rewriter.create<arith::ConstantIntOp>(loc, 0, 32);
    inits.append(2, zero); // the slots that are written and read
    for (Operand &operand : operands) {
      auto type = SharedType::get(rewriter.getContext(), stages, operand.slots.getBlock());
      slots.push_back(rewriter.create<AllocSharedOp>(operand.load.getLoc(), type));
    }
    auto emit = [&](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
      return emitStages(rewriter, arguments);
    };
    loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        rewriter, inits, /*replaceInitOperandUsesInLoop=*/false, emit));
    // The last iterations begin copies of zeros, which nobody has waited for.
    rewriter.setInsertionPointAfter(loop);
    rewriter.create<WaitCopiesOp>(loc, uint32_t(0));
    for (Value slot : llvm::reverse(slots))
      rewriter.create<DeallocSharedOp>(loc, slot);
  }

  SmallVector<Value> emitStages(RewriterBase &rewriter, ArrayRef<BlockArgument> arguments) {
    Block *body = loop.getBody(); // of the old loop still, with new arguments
    Value written = arguments.drop_back().back(), read = arguments.back();
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(body);
    IRMapping mapping;
    for (auto [from, to] : llvm::zip(carried, arguments))
      mapping.map(body->getArgument(from), to);
    SmallVector<Operation *> originals;
    for (Operation &op : *body)
      if (slice.ops.contains(&op))
        originals.push_back(&op);
    for (Operation *op : originals)
      first.push_back(rewriter.clone(*op, mapping));
    for (auto [operand, slot] : llvm::zip_equal(operands, slots))
      first.push_back(emitCopy(rewriter, operand, slot, written, mapping));
    first.push_back(rewriter.create<CommitCopiesOp>(loop.getLoc()));

    SmallVector<Value> yielded;
    auto yield = cast<scf::YieldOp>(body->getTerminator());
    for (unsigned number : carried) {
      Value next = mapping.lookupOrDefault(yield.getOperand(number - 1));
      if (!next.getDefiningOp())
        next = emitSame(rewriter, next, &first);
      yielded.push_back(next);
    }
    yielded.push_back(emitNext(rewriter, written, &first));
    wait = rewriter.create<WaitCopiesOp>(loop.getLoc(), uint32_t(stages - 2));
    yielded.push_back(emitNext(rewriter, read, nullptr));
    for (auto [operand, slot] : llvm::zip_equal(operands, slots)) {
      rewriter.setInsertionPoint(operand.convert);
      rewriter.replaceOpWithNewOp<ReadSharedOp>(operand.convert, operand.convert.getType(), slot,
                                                read);
      rewriter.eraseOp(operand.load);
    }
    rewriter.setInsertionPoint(yield);
    for (OpOperand &operand : yield->getOpOperands())
      if (!operand.get().getDefiningOp())
        operand.set(emitSame(rewriter, operand.get(), nullptr));
    for (Operation *op : llvm::reverse(originals))
      if (isOpTriviallyDead(op))
        rewriter.eraseOp(op);
    return yielded;
  }

  static Operation *emitCopy(RewriterBase &rewriter, Operand &operand, Value slot, Value written,
                             const IRMapping &mapping) {
    LoadOp load = operand.load;
    Value mask = load.getMask() ? mapping.lookupOrDefault(load.getMask()) : Value();
    return rewriter.create<CopyAsyncOp>(
        load.getLoc(), mapping.lookupOrDefault(load.getPointer()), slot, written,
        /*condition=*/Value(), mask, load.getRunAttr(), load.getUniformRunsAttr(),
        load.getPrefixRunsAttr(), load.getHeadlessAttr());
  }

  /// The same value, of an operation of its own: the pipeliner takes no argument for a result.
  Value emitSame(RewriterBase &rewriter, Value value, SmallVectorImpl<Operation *> *stage) {
    Value yes = rewriter.create<arith::ConstantIntOp>(loop.getLoc(), 1, 1);
    Value same = rewriter.create<arith::SelectOp>(loop.getLoc(), yes, value, value);
    if (stage)
      stage->append({yes.getDefiningOp(), same.getDefiningOp()});
    return same;
  }

  /// The slot behind `slot`, round and round.
  Value emitNext(RewriterBase &rewriter, Value slot, SmallVectorImpl<Operation *> *stage) {
    Location loc = loop.getLoc();
    auto constant = [&](int64_t value) {
      return rewriter.create<arith::ConstantIntOp>(loc, value, 32);
    };
    Value one = constant(1), last = constant(stages - 1), zero = constant(0);
    Value isLast = rewriter.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, slot, last);
    Value next = rewriter.create<arith::AddIOp>(loc, slot, one);
    Value result = rewriter.create<arith::SelectOp>(loc, isLast, zero, next);
    if (stage)
      for (Value value : {one, last, zero, isLast, next, result})
        stage->push_back(value.getDefiningOp());
    return result;
  }

  LogicalResult pipeline(RewriterBase &rewriter) {
    const unsigned lastStage = unsigned(stages - 1);
    scf::PipeliningOption options;
    options.getScheduleFn = [&](scf::ForOp,
                                std::vector<std::pair<Operation *, unsigned>> &schedule) {
      llvm::SmallPtrSet<Operation *, 16> ofFirst(first.begin(), first.end());
      schedule.emplace_back(wait, lastStage);
      for (Operation *op : first)
        schedule.emplace_back(op, 0);
      for (Operation &op : loop.getBody()->without_terminator())
        if (!ofFirst.contains(&op) && &op != wait)
          schedule.emplace_back(&op, lastStage);
    };
    options.peelEpilogue = false;
    options.supportDynamicLoops = true;
    options.predicateFn = [](RewriterBase &rewriter, Operation *op, Value condition) {
      if (auto copy = dyn_cast<CopyAsyncOp>(op)) {
        if (Value own = copy.getCondition())
          condition = rewriter.create<arith::AndIOp>(op->getLoc(), own, condition);
        copy.getConditionMutable().assign(condition);
      }
      return op;
    };
    rewriter.setInsertionPoint(loop);
    if (succeeded(scf::pipelineForLoop(rewriter, loop, options)))
      return success();
    return loop.emitError("can't be pipelined");
  }

  scf::ForOp loop;
  int64_t stages;
  uint64_t maxBytes;
  Slice slice;
  SmallVector<Operand> operands;
  SmallVector<unsigned> carried; // the numbers of the slice's arguments
  SmallVector<Value> slots;
  SmallVector<Operation *> first; // the first stage
  Operation *wait = nullptr;
};

struct PipelineCopiesPass : impl::PipelineCopiesBase<PipelineCopiesPass> {
  using PipelineCopiesBase::PipelineCopiesBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (!loop.getBody()->getOps<DotOp>().empty())
        loops.push_back(loop);
    });
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops) {
      auto own = loop->getAttrOfType<IntegerAttr>(EftDialect::numStagesName);
      const int64_t stages = own ? own.getInt() : int64_t(numStages);
      if (failed(LoopPipeliner(loop, stages, maxBytes).run(rewriter)))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace eft
