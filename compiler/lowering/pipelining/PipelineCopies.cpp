// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-pipeline-copies: copies the operands of products to shared memory, iterations ahead.
//
// An iteration of the loop is cut into two parts. The first part computes addresses and masks, and
// begins the copies. The second part waits for the copies of its iteration, and does the rest.
// Upstream's pipeliner runs the first part some iterations ahead. Operations that compute addresses
// are cloned for it, so that the parts share no value that would have to be kept meanwhile.
//
// One barrier an iteration is enough: it stands behind the wait for the copies of this iteration,
// and before the copies that overwrite what an earlier one has read. With products that are done
// when an iteration ends, these are the copies into the slot of the last iteration, and a slot for
// each iteration under way will do. Products of warpgroups that only add to accumulators are left
// under way until the next iteration has begun its own, so that there is always one. Their slots
// are free one iteration later: there is one slot more, and the copies come last.
#include "compiler/lowering/Passes.h"
#include "compiler/lowering/pipelining/LoopOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_PIPELINECOPIES
#include "compiler/lowering/Passes.h.inc"

namespace {

/// More stages than this hide nothing more, and the iterations ahead are code of their own.
constexpr int64_t maxStages = 8;

/// The shared memory that is left for values of a loop which change threads.
constexpr uint64_t bytesForStaging = 48 * 1024;

/// Whether something in the loop, beside its products and their operands, may need shared memory.
bool stagesOthers(scf::ForOp loop, const LoopOperands &operands) {
  auto isHarmless = [&](Operation *op) {
    const bool isOperand = llvm::any_of(operands.all(), [&](const LoopOperand &operand) {
      return op == operand.convert || op == operand.load;
    });
    if (auto dot = dyn_cast<DotOp>(op))
      return operands.of(dot.getAMutable()) && operands.of(dot.getBMutable());
    return isOperand || OpTrait::hasElementwiseMappableTraits(op) ||
           isa<scf::YieldOp, AddPtrOp, SplatOp, ArangeOp, ExpandDimsOp, BroadcastOp, TransOp>(op) ||
           (op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
            llvm::none_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>) &&
            llvm::none_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>));
  };
  return !llvm::all_of(*loop.getBody(), [&](Operation &op) { return isHarmless(&op); });
}

class LoopPipeliner {
public:
  LoopPipeliner(scf::ForOp loop, int64_t stages, uint64_t maxBytes)
      : loop(loop), maxBytes(maxBytes), distance(std::min(stages, maxStages) - 1) {}

  LogicalResult run(RewriterBase &rewriter) {
    if (distance < 1 || !isa<IntegerType>(loop.getInductionVar().getType()))
      return success();
    operands.emplace(loop);
    if (operands->all().empty() || !fitSlots())
      return success();
    if (!countsExactly()) {
      countFromZero(rewriter);
      operands.emplace(loop);
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

  /// Whether the product is one that warpgroups begin: its second factor must come by a copy.
  bool isAsync(DotOp dot) const { return dot.getWarpgroups() && operands->of(dot.getBMutable()); }

  /// Whether the product may be under way when the next iteration begins: it only adds to a value
  /// that the loop carries, and its first factor does not come from registers that the next
  /// iteration writes.
  bool canOverlap(DotOp dot) {
    if (!operands->of(dot.getAMutable()) && !loop.isDefinedOutsideOfLoop(dot.getA()))
      return false;
    auto acc = dyn_cast<BlockArgument>(dot.getAcc());
    return acc && acc.getOwner() == loop.getBody() && acc.hasOneUse() && dot->hasOneUse() &&
           loop.getTiedLoopYieldedValue(acc)->get() == dot;
  }

  /// The number of iterations, if the bounds are constants.
  std::optional<int64_t> tripCount() {
    return constantTripCount(loop.getLowerBound(), loop.getUpperBound(), loop.getStep());
  }

  /// Finds how many iterations ahead the copies begin, and the number of slots, as far as there are
  /// iterations, and room in shared memory. False if there is none for two of them.
  bool fitSlots() {
    bool canEachOverlap = true;
    int64_t products = 0;
    for (DotOp dot : loop.getBody()->getOps<DotOp>())
      if (isAsync(dot)) {
        ++products;
        canEachOverlap &= canOverlap(dot);
      }
    if (std::optional<int64_t> count = tripCount())
      distance = std::min(distance, *count - 1);
    if (distance < 1)
      return false;
    const uint64_t others = stagesOthers(loop, *operands) ? bytesForStaging : 0;
    const uint64_t bytes = operands->slotBytes();
    const int64_t maxSlots = maxBytes > others ? (maxBytes - others) / bytes : 0;
    if (products > 0 && canEachOverlap && maxSlots > 2) {
      productsUnderWay = products;
      distance = std::min(distance, maxSlots - 2);
      numSlots = distance + 2;
      return true;
    }
    distance = std::min(distance, maxSlots - 1);
    numSlots = distance + 1;
    return distance > 0;
  }

  /// Rewrites the body as two parts of one iteration.
  void splitStages(RewriterBase &rewriter) {
    rewriter.setInsertionPoint(loop);
    Location loc = loop.getLoc();
    SmallVector<Value> inits;
    for (BlockArgument argument : operands->carried()) {
      inits.push_back(loop.getTiedLoopInit(argument)->get());
      carried.push_back(argument.getArgNumber());
    }
    Value zero = rewriter.create<arith::ConstantIntOp>(loc, 0, 32);
    inits.append(2, zero); // the slots that are written and read
    for (const LoopOperand &operand : operands->all()) {
      auto type =
          SharedType::get(rewriter.getContext(), numSlots, SharedType(operand.slots).getBlock());
      slots.push_back(rewriter.create<AllocSharedOp>(LoadOp(operand.load).getLoc(), type));
    }
    auto emit = [&](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
      return emitStages(rewriter, arguments);
    };
    loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        rewriter, inits, /*replaceInitOperandUsesInLoop=*/false, emit));
    rewriter.setInsertionPointAfter(loop);
    waitForProducts(rewriter);
    // The last iterations begin copies of zeros, which nobody has waited for.
    rewriter.create<WaitCopiesOp>(loc, uint32_t(0));
    for (Value slot : llvm::reverse(slots))
      rewriter.create<DeallocSharedOp>(loc, slot);
  }

  /// Waits for the products that the loop leaves under way.
  void waitForProducts(RewriterBase &rewriter) {
    if (productsUnderWay == 0)
      return;
    SmallVector<Value> results;
    for (unsigned number : accumulators)
      results.push_back(loop.getResult(number));
    auto wait = rewriter.create<WaitDotsOp>(loop.getLoc(), ValueRange(results).getTypes(),
                                            uint32_t(0), results);
    for (auto [before, after] : llvm::zip_equal(results, wait.getResults()))
      rewriter.replaceAllUsesExcept(before, after, wait);
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
      if (operands->computesAddress(&op))
        originals.push_back(&op);
    for (Operation *op : originals)
      first.push_back(rewriter.clone(*op, mapping));
    for (auto [operand, slot] : llvm::zip_equal(operands->all(), slots))
      first.push_back(emitCopy(rewriter, operand, slot, written, mapping));
    first.push_back(rewriter.create<CommitCopiesOp>(loop.getLoc()));

    SmallVector<Value> yielded;
    auto yield = cast<scf::YieldOp>(body->getTerminator());
    auto isComputed = [&](Value value) {
      Operation *op = value.getDefiningOp();
      return op && op->getBlock() == body;
    };
    for (unsigned number : carried) {
      Value next = mapping.lookupOrDefault(yield.getOperand(number - 1));
      if (!isComputed(next))
        next = emitSame(rewriter, next, &first);
      yielded.push_back(next);
    }
    yielded.push_back(emitNext(rewriter, written, &first));
    wait = rewriter.create<WaitCopiesOp>(loop.getLoc(), uint32_t(distance - 1));
    yielded.push_back(emitNext(rewriter, read, nullptr));
    beginProducts(rewriter, read);
    for (auto [operand, slot] : llvm::zip_equal(operands->all(), slots)) {
      ConvertLayoutOp convert = operand.convert;
      rewriter.setInsertionPoint(convert);
      if (!convert->use_empty())
        rewriter.replaceAllUsesWith(
            convert, rewriter.create<ReadSharedOp>(convert.getLoc(), convert.getType(), slot, read)
                         .getResult());
      rewriter.eraseOp(convert);
      rewriter.eraseOp(operand.load);
    }
    rewriter.setInsertionPoint(yield);
    for (OpOperand &operand : yield->getOpOperands())
      if (!isComputed(operand.get()))
        operand.set(emitSame(rewriter, operand.get(), nullptr));
    for (Operation *op : llvm::reverse(originals))
      if (isOpTriviallyDead(op))
        rewriter.eraseOp(op);
    return yielded;
  }

  /// Lets warpgroups begin the products whose factors are in slots.
  void beginProducts(RewriterBase &rewriter, Value slot) {
    SmallVector<DotOp> dots;
    for (DotOp dot : loop.getBody()->getOps<DotOp>())
      if (isAsync(dot))
        dots.push_back(dot);
    auto shared = [&](const LoopOperand &operand) {
      return slots[&operand - operands->all().data()];
    };
    for (DotOp dot : dots) {
      rewriter.setInsertionPoint(dot);
      const LoopOperand *a = operands->of(dot.getAMutable()), *b = operands->of(dot.getBMutable());
      auto begun = rewriter.create<DotAsyncOp>(
          dot.getLoc(), dot.getType(), dot.getAcc(), a ? shared(*a) : dot.getA(),
          a ? slot : Value(), shared(*b), slot, a && a->isTransposed, b->isTransposed);
      Value result = begun;
      if (productsUnderWay != 0)
        accumulators.push_back(cast<BlockArgument>(dot.getAcc()).getArgNumber() - 1);
      else
        result = rewriter.create<WaitDotsOp>(dot.getLoc(), result.getType(), uint32_t(0), result)
                     .getResult(0);
      SmallVector<Value> factors = {dot.getA(), dot.getB()};
      rewriter.replaceOp(dot, result);
      for (Value factor : factors)
        eraseTranspositions(rewriter, factor);
      last = begun;
    }
    if (productsUnderWay != 0) {
      rewriter.setInsertionPointAfter(last);
      rewriter.create<WaitDotsOp>(last->getLoc(), TypeRange(), uint32_t(productsUnderWay),
                                  ValueRange());
    }
  }

  static void eraseTranspositions(RewriterBase &rewriter, Value value) {
    for (auto trans = value.getDefiningOp<TransOp>(); trans && trans->use_empty();
         trans = value.getDefiningOp<TransOp>()) {
      value = trans.getSource();
      rewriter.eraseOp(trans);
    }
  }

  static Operation *emitCopy(RewriterBase &rewriter, const LoopOperand &operand, Value slot,
                             Value written, const IRMapping &mapping) {
    LoadOp load = operand.load;
    Value mask = load.getMask() ? mapping.lookupOrDefault(load.getMask()) : Value();
    return rewriter.create<CopyAsyncOp>(
        load.getLoc(), mapping.lookupOrDefault(load.getPointer()), slot, written,
        /*condition=*/Value(), mask, load.getRunAttr(), load.getUniformRunsAttr(),
        load.getPrefixRunsAttr(), load.getHeadlessAttr());
  }

  /// The same value, of an operation of its own: the pipeliner takes nothing else for a result,
  /// neither an argument nor what is computed before the loop.
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
    Value one = constant(1), last = constant(numSlots - 1), zero = constant(0);
    Value isLast = rewriter.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, slot, last);
    Value next = rewriter.create<arith::AddIOp>(loc, slot, one);
    Value result = rewriter.create<arith::SelectOp>(loc, isLast, zero, next);
    if (stage)
      for (Value value : {one, last, zero, isLast, next, result})
        stage->push_back(value.getDefiningOp());
    return result;
  }

  LogicalResult pipeline(RewriterBase &rewriter) {
    const auto lastStage = unsigned(distance);
    scf::PipeliningOption options;
    options.getScheduleFn = [&](scf::ForOp,
                                std::vector<std::pair<Operation *, unsigned>> &schedule) {
      llvm::SmallPtrSet<Operation *, 16> ofFirst(first.begin(), first.end());
      auto addFirst = [&] {
        for (Operation *op : first)
          schedule.emplace_back(op, 0);
      };
      schedule.emplace_back(wait, lastStage);
      if (productsUnderWay == 0)
        addFirst();
      for (Operation &op : loop.getBody()->without_terminator())
        if (!ofFirst.contains(&op) && &op != wait)
          schedule.emplace_back(&op, lastStage);
      if (productsUnderWay != 0)
        addFirst();
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
  uint64_t maxBytes;
  int64_t distance;             // of iterations, by which copies come before what reads them
  int64_t numSlots = 0;         // of each operand
  int64_t productsUnderWay = 0; // at the end of an iteration
  std::optional<LoopOperands> operands;
  SmallVector<unsigned> carried;      // the numbers of the arguments for addresses
  SmallVector<unsigned> accumulators; // the numbers of the results of products under way
  SmallVector<Value> slots;
  SmallVector<Operation *> first; // the first part
  Operation *wait = nullptr, *last = nullptr;
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
