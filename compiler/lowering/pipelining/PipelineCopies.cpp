// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-pipeline-copies: copies the operands of matrix products to shared memory, iterations ahead of
// the products.
//
// An iteration of the loop is cut into parts. The first part computes addresses and masks, and
// begins the copies. The second part waits for the copies of its iteration, and does the rest.
// Upstream's pipeliner runs the first part some iterations ahead of the second. Operations that
// compute addresses are cloned for the first part, so that the parts share no value that would have
// to be kept for these iterations. If addresses are loaded, for example from a table of pages,
// their loads are a separate part that runs one iteration further ahead, so that the copies do not
// wait for the loads.
//
// One barrier in each iteration is enough. It follows the wait for the copies of this iteration,
// and precedes the copies that overwrite the slot that an earlier iteration has read. If an
// iteration waits for its own products, the copies overwrite the slot of the previous iteration,
// and as many slots as iterations under way suffice. Products of warpgroups that only add to
// accumulators stay under way until the next iteration has begun its own products, so that a
// product is always under way. Their slots become free one iteration later: there is one more slot,
// and the copies come last in the iteration. If one more slot would leave room for fewer programs,
// a second barrier before the copies replaces it.
//
// Warpgroups can't read some factors in the order in which copies bring them. Threads read such
// factors to registers and write them to separate slots in another order. Meanwhile the products of
// the previous iteration are under way, and read another of these slots. A barrier follows the
// writes, too.
//
// If one product of warpgroups depends on another, as in attention, the loop may have a third part,
// which runs one iteration later than the second part. It has the products whose results nothing
// else in the loop waits for. With S = Q Kᵀ, P the exponentials of S, and O += P V, an iteration is
//
//   wait for O(i - 1); wait for copies; begin S(i + 1), then O(i); copy; wait for S(i + 1);
//   compute P(i + 1)
//
// Here, too, slots become free one iteration later. The loop is put into a conditional, so that it
// runs at least one iteration. The second part of the first iteration then precedes the pipelined
// loop, and the third part of the last iteration follows it.
#include "compiler/ir/Accesses.h"
#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/Placement.h"
#include "compiler/lowering/LoopGuard.h"
#include "compiler/lowering/Passes.h"
#include "compiler/lowering/pipelining/FactorSource.h"
#include "compiler/lowering/pipelining/LoopCounter.h"
#include "compiler/lowering/pipelining/LoopOperands.h"
#include "compiler/lowering/pipelining/LoopProducts.h"
#include "compiler/lowering/pipelining/PipelineParts.h"
#include "compiler/lowering/pipelining/PipelinePlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_PIPELINECOPIES
#include "compiler/lowering/Passes.h.inc"

namespace {

class LoopPipeliner {
public:
  explicit LoopPipeliner(scf::ForOp loop) : loop(loop) {}

  LogicalResult run(RewriterBase &rewriter, int64_t stages, uint64_t maxBytes) {
    if (!isa<IntegerType>(loop.getInductionVar().getType()))
      return success();
    if (!makePlan(stages, maxBytes))
      return success();
    agreeOnBounds(rewriter, loop);
    if (prepareCounter(rewriter, loop))
      analyze();
    if (plan.hasThirdPart)
      runIfAnyIteration(rewriter, loop);
    else
      operands->addScalars();
    if (!plan.keepsFirstFactors)
      writeFirstFactors(rewriter);
    splitParts(rewriter);
    const bool copiesComeFirst = plan.productsUnderWay == 0 && !plan.hasThirdPart;
    return pipelineParts(rewriter, loop,
                         {unsigned(plan.distance), copiesComeFirst,
                          /*hasPartAhead=*/!operands->loads().ops.empty(), plan.hasThirdPart});
  }

private:
  void analyze() {
    operands.emplace(loop, mayRewrite, mayCompute);
    products.emplace(loop, *operands);
  }

  /// Makes the plan; returns false if the loop must stay as it is. In the first attempt, threads
  /// rewrite factors that copies bring in another order than products read. This pays only while
  /// products of the previous iteration are under way. If none can be, a second attempt lets copies
  /// bring these factors in the order that products read. Such copies move fewer bytes each, but
  /// there are no slots for rewriting, and the loop may have a third part. If the copies then run
  /// less far ahead than `stages` asks for, the last attempt does not copy the blocks from which
  /// factors are computed. It is used if its copies run further ahead.
  bool makePlan(int64_t stages, uint64_t maxBytes) {
    auto planWith = [&](bool rewrites) {
      mayRewrite = rewrites;
      analyze();
      return planPipeline(loop, *operands, *products, stages, maxBytes);
    };
    std::optional<PipelinePlan> found = planWith(true);
    if (operands->rewrittenBytes() != 0 && (!found || !rewrites())) {
      std::optional<PipelinePlan> other = planWith(false);
      if (other && (!found || other->hasThirdPart))
        found = other;
      else
        planWith(true);
    }
    if (operands->haveComputed() && (!found || found->distance < stages - 1)) {
      mayCompute = false;
      std::optional<PipelinePlan> other = planWith(mayRewrite);
      if (other && (!found || other->distance > found->distance)) {
        found = other;
      } else {
        mayCompute = true;
        planWith(mayRewrite);
      }
    }
    plan = found.value_or(PipelinePlan{});
    return found.has_value();
  }

  /// A product's first factor may be computed before the loop. Writes such factors to shared
  /// memory, unless they are there already, so that the loop can use their registers.
  void writeFirstFactors(RewriterBase &rewriter) {
    rewriter.setInsertionPoint(loop);
    Value zero = rewriter.create<arith::ConstantIntOp>(loop.getLoc(), 0, 32);
    for (DotOp dot : products->all()) {
      if (!products->hasFirstFactorFromBefore(dot))
        continue;
      FactorSource source(dot.getA(), 1);
      if (source.present) {
        firstFactors[dot] = {source.present.getShared(), source.present.getSlot()};
        continue;
      }
      auto alloc = rewriter.create<AllocSharedOp>(dot.getLoc(), source.slotType());
      rewriter.create<WriteSharedOp>(dot.getLoc(), source.block, alloc, zero);
      firstFactors[dot] = {alloc, zero};
      slotsOfFirstFactors.push_back(alloc);
    }
    if (!slotsOfFirstFactors.empty())
      rewriter.create<BarrierOp>(loop.getLoc());
  }

  /// Rewrites the loop's body: divides its operations into parts, and replaces loads by copies and
  /// reads of slots.
  void splitParts(RewriterBase &rewriter) {
    rewriter.setInsertionPoint(loop);
    Location loc = loop.getLoc();
    SmallVector<Value> inits;
    for (const LoopOperands::Slice *slice : {&operands->loads(), &operands->addresses()})
      for (BlockArgument argument : slice->carried)
        inits.push_back(loop.getTiedLoopInit(argument)->get());
    findAccumulators();
    Value zero = rewriter.create<arith::ConstantIntOp>(loc, 0, 32);
    // The numbers of the slot that copies write and of the slot that is read, and of the slot in
    // which threads rewrite factors.
    inits.append(rewrites() ? 3 : 2, zero);
    for (const LoopOperand &operand : operands->all())
      slots.push_back(allocate(rewriter, operand.load, operand.slots, plan.numSlots));
    for (const LoopOperand *operand : products->rewritten())
      rewrittenSlots.push_back(
          allocate(rewriter, operand->load, operand->rewritten, plan.numRewrittenSlots));
    auto emit = [&](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
      return emitParts(rewriter, arguments);
    };
    loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        rewriter, inits, /*replaceInitOperandUsesInLoop=*/false, emit));
    rewriter.setInsertionPointAfter(loop);
    waitForProducts(rewriter);
    // In the last iterations the copies belong to no iteration. They write zeros, and no iteration
    // waits for them.
    rewriter.create<WaitCopiesOp>(loc, uint32_t(0));
    for (ArrayRef<Value> allocated : {rewrittenSlots, slots, slotsOfFirstFactors})
      for (Value slot : llvm::reverse(allocated))
        rewriter.create<DeallocSharedOp>(loc, slot);
  }

  static Value allocate(RewriterBase &rewriter, LoadOp load, SharedType slot, int64_t count) {
    auto type = SharedType::get(rewriter.getContext(), count, slot.getBlock());
    return rewriter.create<AllocSharedOp>(load.getLoc(), type);
  }

  /// Finds the results of products that are still under way when the loop ends.
  void findAccumulators() {
    if (plan.hasThirdPart)
      for (BlockArgument accumulator : products->lateAccumulators())
        accumulators.push_back(accumulator.getArgNumber() - 1);
    if (plan.productsUnderWay != 0)
      for (DotOp dot : products->all())
        accumulators.push_back(cast<BlockArgument>(dot.getAcc()).getArgNumber() - 1);
  }

  /// Waits for the products that are still under way when the loop ends.
  void waitForProducts(RewriterBase &rewriter) {
    SmallVector<Value> results;
    for (unsigned number : accumulators)
      results.push_back(loop.getResult(number));
    if (results.empty())
      return;
    auto wait = rewriter.create<WaitDotsOp>(loop.getLoc(), ValueRange(results).getTypes(),
                                            uint32_t(0), results);
    for (auto [before, after] : llvm::zip_equal(results, wait.getResults()))
      rewriter.replaceAllUsesExcept(before, after, wait);
  }

  SmallVector<Value> emitParts(RewriterBase &rewriter, ArrayRef<BlockArgument> arguments) {
    Block *body = loop.getBody(); // still the body of the old loop; `arguments` are the new loop's
    ArrayRef<BlockArgument> numbers = arguments.take_back(rewrites() ? 3 : 2);
    Value written = numbers[0], read = numbers[1];
    rewrittenSlot = rewrites() ? Value(numbers[2]) : Value();
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(body);
    const LoopOperands::Slice &loads = operands->loads(), &addresses = operands->addresses();
    SmallVector<Operation *> originals;
    for (Operation &op : *body)
      if (loads.ops.contains(&op) || addresses.ops.contains(&op))
        originals.push_back(&op);
    IRMapping ofLoads, mapping;
    cloneSlice(rewriter, loads, arguments, ofLoads, Mark::Ahead);
    for (Operation *op : loads.ops)
      if (isa<LoadOp>(op))
        mapping.map(op->getResult(0), ofLoads.lookup(op->getResult(0)));
    for (LoadOp load : operands->scalars())
      rewriter.replaceAllUsesWith(load.getResult(), ofLoads.lookup(load.getResult()));
    cloneSlice(rewriter, addresses, arguments.drop_front(loads.carried.size()), mapping,
               Mark::First);
    for (auto [operand, slot] : llvm::zip_equal(operands->all(), slots))
      mark(emitCopy(rewriter, operand, slot, written, mapping), Mark::First);
    mark(rewriter.create<CommitCopiesOp>(loop.getLoc()), Mark::First);

    SmallVector<Value> yielded;
    yieldCarried(rewriter, loads, ofLoads, Mark::Ahead, yielded);
    yieldCarried(rewriter, addresses, mapping, Mark::First, yielded);
    yielded.push_back(emitNext(rewriter, written, plan.numSlots, Mark::First));
    mark(rewriter.create<WaitCopiesOp>(loop.getLoc(), uint32_t(plan.distance - 1)), Mark::Wait);
    yielded.push_back(emitNext(rewriter, read, plan.numSlots));
    if (rewrites()) {
      yielded.push_back(emitNext(rewriter, rewrittenSlot, plan.numRewrittenSlots));
      rewriteFactors(rewriter, read);
    }
    beginProducts(rewriter, read);
    for (auto [operand, slot] : llvm::zip_equal(operands->all(), slots))
      readSlot(rewriter, operand, slot, read);
    for (Operation *op : llvm::reverse(originals))
      if (isOpTriviallyDead(op))
        rewriter.eraseOp(op);
    return yielded;
  }

  /// Clones the operations of a slice for a part of the iteration. The first of the `arguments` are
  /// those that the new loop carries for the slice.
  void cloneSlice(RewriterBase &rewriter, const LoopOperands::Slice &slice,
                  ArrayRef<BlockArgument> arguments, IRMapping &mapping, Mark part) {
    for (auto [from, to] : llvm::zip(slice.carried, arguments))
      mapping.map(loop.getBody()->getArgument(from.getArgNumber()), to);
    SmallVector<Operation *> originals;
    for (Operation &op : *loop.getBody())
      if (slice.ops.contains(&op))
        originals.push_back(&op);
    for (Operation *op : originals)
      mark(rewriter.clone(*op, mapping), part);
  }

  /// Adds to `yielded` the values that an iteration yields for the carried arguments of a part. A
  /// value that another part loads, or that is not computed in the loop, becomes the result of an
  /// operation in this part.
  void yieldCarried(RewriterBase &rewriter, const LoopOperands::Slice &slice,
                    const IRMapping &mapping, Mark part, SmallVector<Value> &yielded) {
    auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
    for (BlockArgument argument : slice.carried) {
      Value next = mapping.lookupOrDefault(yield.getOperand(argument.getArgNumber() - 1));
      const bool isOfPart =
          isComputedIn(loop, next) && (part == Mark::Ahead || !next.getDefiningOp<LoadOp>());
      yielded.push_back(isOfPart ? next : emitSame(rewriter, loop.getLoc(), next, part));
    }
  }

  bool rewrites() const { return !products->rewritten().empty(); }

  /// Reads the factors that threads rewrite from the slots of their copies, and writes them to the
  /// slots that products read.
  void rewriteFactors(RewriterBase &rewriter, Value number) {
    DotOp first = products->all().front();
    rewriter.setInsertionPoint(first);
    for (auto [operand, to] : llvm::zip_equal(products->rewritten(), rewrittenSlots)) {
      Location loc = LoadOp(operand->load).getLoc();
      Value from = slots[operand - operands->all().data()];
      Value block = rewriter.create<ReadSharedOp>(loc, operand->read, from, number);
      rewriter.create<WriteSharedOp>(loc, block, to, rewrittenSlot);
    }
    rewriter.create<BarrierOp>(first.getLoc());
  }

  /// Replaces a load by reads of the slot. A product that takes its factor directly from the slot
  /// needs no read.
  void readSlot(RewriterBase &rewriter, const LoopOperand &operand, Value slot, Value number) {
    LoadOp load = operand.load;
    if (!operand.readsAsConverted() && !llvm::is_contained(products->rewritten(), &operand)) {
      rewriter.setInsertionPoint(load);
      rewriter.replaceOpWithNewOp<ReadSharedOp>(load, operand.read, slot, number);
      return;
    }
    for (Operation *reader : llvm::make_early_inc_range(load->getUsers())) {
      rewriter.setInsertionPoint(reader);
      if (reader->use_empty())
        rewriter.eraseOp(reader);
      else
        rewriter.replaceOpWithNewOp<ReadSharedOp>(reader, reader->getResult(0).getType(), slot,
                                                  number);
    }
    rewriter.eraseOp(load);
  }

  /// Replaces the products whose factors are in slots by asynchronous products of warpgroups, and
  /// adds waits for them.
  void beginProducts(RewriterBase &rewriter, Value slot) {
    // When the third part runs, `slot` is already the next iteration's slot, so the loop carries
    // the number for the third part.
    Value slotOfThird = plan.hasThirdPart ? emitSame(rewriter, loop.getLoc(), slot) : Value();
    if (plan.hasThirdPart)
      separateThirdPart(rewriter);
    const unsigned numAtOnce = plan.hasThirdPart ? unsigned(products->beginAtOnce().size()) : 0;
    const auto numThird =
        unsigned(llvm::count_if(products->all(), [&](DotOp dot) { return products->isLate(dot); }));
    unsigned begun = 0;
    DotAsyncOp last;
    for (DotOp dot : products->all()) {
      rewriter.setInsertionPoint(dot);
      const bool isThird = plan.hasThirdPart && products->isLate(dot);
      last = beginProduct(rewriter, dot, isThird ? slotOfThird : slot);
      Value result = last;
      if (isThird)
        mark(last, Mark::Third);
      if (!isThird && plan.productsUnderWay == 0) {
        auto wait =
            rewriter.create<WaitDotsOp>(dot.getLoc(), result.getType(), uint32_t(0), result);
        result = wait.getResult(0);
        if (numAtOnce != 0 && llvm::is_contained(products->beginAtOnce(), dot)) {
          // Products that begin after this one may still be under way after the wait. The products
          // of the third part are under way only inside the loop.
          mark(last, Mark::AtOnce);
          wait.setPending(numAtOnce - ++begun);
          setPendingInLoop(wait, wait.getPending() + numThird);
        }
      }
      SmallVector<Value> factors = {dot.getA(), dot.getB()};
      const bool isWritten = firstFactors.contains(dot);
      rewriter.replaceOp(dot, result);
      if (isWritten)
        FactorSource::eraseUnused(rewriter, factors.front());
      else
        eraseTranspositions(rewriter, factors.front());
      eraseTranspositions(rewriter, factors.back());
    }
    if (plan.productsUnderWay != 0) {
      rewriter.setInsertionPointAfter(last);
      rewriter.create<WaitDotsOp>(last.getLoc(), TypeRange(), uint32_t(plan.productsUnderWay),
                                  ValueRange());
      if (plan.sharesSlots)
        rewriter.create<BarrierOp>(last.getLoc());
    }
  }

  /// Moves the operations of the third part after the other parts. The third part begins with a
  /// wait for its products of the previous iteration. Only then may first factors be written again
  /// to the registers that these products read.
  void separateThirdPart(RewriterBase &rewriter) {
    SmallVector<Operation *> late;
    for (Operation &op : *loop.getBody())
      if (products->isLate(&op))
        late.push_back(&op);
    Operation *yield = loop.getBody()->getTerminator();
    for (Operation *op : late) {
      rewriter.moveOpBefore(op, yield);
      mark(op, Mark::Third);
    }
    SmallVector<Value> values(products->lateAccumulators());
    for (Operation *op : products->lateConversions())
      values.push_back(op->getOperand(0));
    rewriter.setInsertionPoint(late.front());
    auto wait = rewriter.create<WaitDotsOp>(loop.getLoc(), ValueRange(values).getTypes(),
                                            uint32_t(0), values);
    mark(wait, Mark::ThirdWait);
    for (Operation *op : products->lateConversions())
      mark(op, Mark::ThirdWait);
    for (auto [before, after] : llvm::zip_equal(values, wait.getResults()))
      rewriter.replaceUsesWithIf(before, after,
                                 [&](OpOperand &use) { return products->isLate(use.getOwner()); });
  }

  DotAsyncOp beginProduct(RewriterBase &rewriter, DotOp dot, Value slot) {
    // The slots that hold a factor, and the number of the slot to read; null for a factor in
    // registers.
    auto placeOf = [&](OpOperand &factor) -> std::pair<Value, Value> {
      if (const LoopOperand *operand = operands->of(factor))
        return {slots[operand - operands->all().data()], slot};
      const auto *found = llvm::find(products->rewritten(), operands->rewritten(factor));
      if (found == products->rewritten().end())
        return {};
      return {rewrittenSlots[found - products->rewritten().begin()], rewrittenSlot};
    };
    const auto placeOfA = placeOf(dot.getAMutable()), placeOfB = placeOf(dot.getBMutable());
    Value first = dot.getA(), slotOfFirst;
    bool isTransposed = false;
    if (auto written = firstFactors.find(dot); written != firstFactors.end()) {
      std::tie(first, slotOfFirst) = written->second;
      isTransposed = FactorSource(dot.getA(), 1).isTransposed;
    } else if (placeOfA.first) {
      std::tie(first, slotOfFirst) = placeOfA;
      isTransposed = operands->isTransposed(dot.getAMutable());
    }
    return rewriter.create<DotAsyncOp>(dot.getLoc(), dot.getType(), dot.getAcc(), first,
                                       slotOfFirst, placeOfB.first, placeOfB.second,
                                       dot.getFormatOfAAttr(), dot.getFormatOfBAttr(), isTransposed,
                                       operands->isTransposed(dot.getBMutable()));
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

  /// The number of the slot after `slot`: slot + 1, or 0 after the last of the `count` slots.
  Value emitNext(RewriterBase &rewriter, Value slot, int64_t count,
                 std::optional<Mark> part = std::nullopt) {
    Location loc = loop.getLoc();
    auto constant = [&](int64_t value) {
      return rewriter.create<arith::ConstantIntOp>(loc, value, 32);
    };
    Value one = constant(1), last = constant(count - 1), zero = constant(0);
    Value isLast = rewriter.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, slot, last);
    Value next = rewriter.create<arith::AddIOp>(loc, slot, one);
    Value result = rewriter.create<arith::SelectOp>(loc, isLast, zero, next);
    markAll({one, last, zero, isLast, next, result}, part);
    return result;
  }

  static void markAll(ArrayRef<Value> values, std::optional<Mark> part) {
    if (part)
      for (Value value : values)
        mark(value.getDefiningOp(), *part);
  }

  scf::ForOp loop;
  PipelinePlan plan = {};
  bool mayRewrite = true; // true if threads may rewrite factors
  bool mayCompute = true; // true if copies may bring blocks from which factors are computed
  std::optional<LoopOperands> operands;
  std::optional<LoopProducts> products;
  SmallVector<unsigned> accumulators; // indices of the loop's results that are still under way
  SmallVector<Value> slots, rewrittenSlots, slotsOfFirstFactors;
  Value rewrittenSlot; // the number of the slot in which an iteration rewrites a factor
  llvm::DenseMap<Operation *, std::pair<Value, Value>> firstFactors; // slots, and a slot's number
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
    for (scf::ForOp loop : loops)
      if (failed(LoopPipeliner(loop).run(rewriter, ownStages(loop).value_or(numStages), maxBytes)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace eft
