// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread for which a mask is true throughout, and one for which it is not, take different
// branches at every access under that mask. If the branches join between the accesses, all loaded
// values must be in registers there, and nothing can be scheduled across. So there is one branch in
// front of the first access, and its sides join behind the last.
//
// A kernel that handles its block in parts has a mask for each. Masks of indices below one bound
// mostly are all true, so there is one branch for all of them, too. Among the accesses of all parts
// the loads then go first.
#include "compiler/ir/EftDialect.h"
#include "compiler/lowering/Passes.h"
#include "compiler/lowering/gpu/Convergence.h"
#include "compiler/lowering/gpu/EarlyLoads.h"
#include "compiler/lowering/gpu/Masks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace eft {

#define GEN_PASS_DEF_SPECIALIZEMASKED
#include "compiler/lowering/Passes.h.inc"

namespace {

constexpr unsigned minSelects = 8;

/// Operations of one block, side by side.
struct Span {
  Operation *first = nullptr, *last = nullptr;
  unsigned begin = 0, end = 0; // the numbers of `first` and `last` in their block
  unsigned loads = 0, stores = 0, selects = 0;

  /// True if two versions are worth their code.
  bool isWorthwhile() const { return loads >= 2 || selects >= minSelects; }
  auto operations() const {
    return llvm::make_range(first->getIterator(), std::next(last->getIterator()));
  }
};

/// The operations of a span, and those inside them.
class SpanMembers {
public:
  explicit SpanMembers(const Span &span) : block(*span.first->getBlock()) {
    for (Operation &op : span.operations())
      members.insert(&op);
  }
  bool contains(Operation *op) const {
    Operation *around = block.findAncestorOpInBlock(*op);
    return around && members.contains(around);
  }
  void insert(Operation *op) { members.insert(op); }
  void erase(Operation *op) { members.erase(op); }

private:
  Block &block;
  llvm::DenseSet<Operation *> members;
};

/// The spans of the masks between two convergent operations.
using Segment = llvm::MapVector<Value, Span>;

class Specializer {
public:
  Specializer(func::FuncOp kernel, unsigned maxOperations) : maxOperations(maxOperations) {
    kernel.walk([&](LLVM::ExpectOp expected) {
      Value mask = usualMask(expected);
      if (!mask.getDefiningOp())
        return;
      auto [base, isNew] = bases.try_emplace(mask, baseOf(mask));
      if (isNew)
        masks[base->second].push_back(mask);
    });
  }

  /// Begins with the last segment: its masks may be computed in the span of an earlier one, and
  /// splitting that erases the operations of the span.
  void specialize(Block &block) {
    std::vector<Segment> segments = segmentsOf(block);
    for (const Segment &segment : llvm::reverse(segments))
      specialize(segment);
    for (Operation &op : block)
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          if (!made.contains(&op))
            specialize(inner);
  }

private:
  std::vector<Segment> segmentsOf(Block &block) const {
    std::vector<Segment> segments(1);
    for (auto [number, op] : llvm::enumerate(block))
      if (!isConvergent(&op) && !containsConvergent(&op))
        note(op, number, segments.back());
      else if (!segments.back().empty())
        segments.emplace_back();
    return segments;
  }

  /// Splits the spans of a segment into two versions.
  void specialize(const Segment &segment) {
    if (segment.size() > 1 && splitTogether(segment))
      return;
    SmallVector<std::pair<Value, Span>> chosen;
    for (auto &[mask, span] : segment)
      if (span.isWorthwhile() && size(span) <= maxOperations &&
          (chosen.empty() || chosen.back().second.end < span.begin))
        chosen.emplace_back(mask, span);
    for (auto &[mask, span] : llvm::reverse(chosen))
      split(mask, span);
  }

  void note(Operation &op, unsigned number, Segment &segment) const {
    auto extended = [&](Value mask) -> Span & {
      Span &span = segment[mask];
      if (!span.first)
        span.first = &op, span.begin = number;
      span.last = &op, span.end = number;
      return span;
    };
    if (auto masked = dyn_cast<scf::IfOp>(op)) {
      if (auto expected = masked.getCondition().getDefiningOp<LLVM::ExpectOp>()) {
        Span &span = extended(usualMask(expected));
        (op.getNumResults() != 0 ? span.loads : span.stores) += 1;
      }
    } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
      if (Value mask = usualMaskOf(select.getCondition(), op))
        extended(mask).selects += 1;
    }
  }

  /// A mask for which there is a span, and where it is true the element's mask is, too. It must be
  /// computed before `user`. Null if there is none.
  Value usualMaskOf(Value mask, Operation &user) const {
    auto ofBase = masks.find(baseOf(mask));
    if (ofBase == masks.end())
      return {};
    for (Value usual : ofBase->second) {
      Operation *around = usual.getParentBlock()->findAncestorOpInBlock(user);
      if (around && usual.getDefiningOp()->isBeforeInBlock(around) && follows(mask, usual))
        return usual;
    }
    return {};
  }

  /// The mask that is true for most threads.
  static Value usualMask(LLVM::ExpectOp expected) {
    Value condition = expected.getVal();
    auto opposite = condition.getDefiningOp<arith::XOrIOp>();
    return opposite ? opposite.getLhs() : condition;
  }

  static unsigned size(const Span &span) {
    unsigned count = 0;
    for (Operation &op : span.operations())
      op.walk([&](Operation *) { ++count; });
    return count;
  }

  /// Makes one span for all masks, if they compare with one bound and none is worth a span of its
  /// own. Returns false if it makes none.
  bool splitTogether(const Segment &segment) {
    Span all;
    Value bound;
    for (auto &[mask, span] : segment) {
      auto compared = mask.getDefiningOp<arith::CmpIOp>();
      if (!compared || compared.getPredicate() != arith::CmpIPredicate::slt ||
          (bound && bound != compared.getRhs()) || span.isWorthwhile())
        return false;
      bound = compared.getRhs();
      if (!all.first || span.begin < all.begin)
        all.first = span.first, all.begin = span.begin;
      if (!all.last || all.end < span.end)
        all.last = span.last, all.end = span.end;
      all.loads += span.loads;
    }
    if (!all.isWorthwhile() || size(all) > maxOperations || containsLoop(all))
      return false;
    llvm::SetVector<Operation *> conditions;
    const SpanMembers members(all);
    for (auto &[mask, span] : segment)
      if (!addWithOperands(mask, members, *all.first, conditions))
        return false;
    for (Operation *op : conditions)
      op->moveBefore(all.first);
    ImplicitLocOpBuilder b(all.first->getLoc(), all.first);
    SmallVector<Value> usual = llvm::to_vector(llvm::make_first_range(segment));
    Value condition = usual.front();
    for (Value mask : ArrayRef(usual).drop_front())
      condition = b.create<arith::AndIOp>(condition, mask);
    sinkInto(all, *condition.getDefiningOp());
    split(usual, condition, all);
    return true;
  }

  /// Adds the operations of a span that compute a value, if they are plain ones.
  static bool addWithOperands(Value value, const SpanMembers &span, Operation &first,
                              llvm::SetVector<Operation *> &found) {
    Operation *op = value.getDefiningOp();
    if (!op || !span.contains(op) || found.contains(op))
      return true;
    if (op == &first || !isPure(op) || op->getNumRegions() != 0)
      return false;
    for (Value operand : op->getOperands())
      if (!addWithOperands(operand, span, first, found))
        return false;
    return found.insert(op);
  }

  /// A loop between accesses is long, and has masks of its own to specialise.
  static bool containsLoop(const Span &span) {
    return llvm::any_of(span.operations(), [](Operation &op) {
      return op.walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); }).wasInterrupted();
    });
  }

  /// The operations of the block that the addresses of a span's accesses are computed from.
  static llvm::SetVector<Operation *> addressesOf(const Span &span) {
    llvm::SetVector<Operation *> found;
    for (Operation &op : span.operations())
      op.walk([&](LLVM::IntToPtrOp pointer) { found.insert(pointer); });
    for (size_t next = 0; next < found.size(); ++next)
      for (Value operand : found[next]->getOperands())
        if (Operation *source = operand.getDefiningOp();
            source && source->getBlock() == span.first->getBlock())
          found.insert(source);
    return found;
  }

  /// Moves what only the span needs from in front of the condition into the span, where it may wait
  /// until the loads have begun. They wait for their addresses, so those stay.
  void sinkInto(Span &span, Operation &condition) {
    const llvm::SetVector<Operation *> addresses = addressesOf(span);
    SpanMembers inside(span);
    Block::reverse_iterator next = condition.getReverseIterator(),
                            end = condition.getBlock()->rend();
    ++next;
    for (unsigned seen = 0; next != end && seen < maxOperations; ++seen) {
      Operation &op = *next++;
      // The segments in front of this one have spans yet to be split.
      if (isConvergent(&op) || containsConvergent(&op))
        return;
      if (addresses.contains(&op) || op.use_empty() || !isPure(&op) || op.getNumRegions() != 0 ||
          op.hasTrait<OpTrait::ConstantLike>() ||
          !llvm::all_of(op.getUsers(), [&](Operation *user) { return inside.contains(user); }))
        continue;
      op.moveBefore(span.first);
      span.first = &op;
      inside.insert(&op);
    }
  }

  /// Values of the span that are used behind it.
  static SmallVector<Value> results(const Span &span) {
    SmallVector<Value> results;
    const SpanMembers members(span);
    for (Operation &op : span.operations())
      for (Value value : op.getResults())
        if (llvm::any_of(value.getUsers(),
                         [&](Operation *user) { return !members.contains(user); }))
          results.push_back(value);
    return results;
  }

  /// Moves operations that unpack loaded words for later users behind the span: the branch then
  /// gives whole words. Constants go in front of the span, so that the branch need not give them.
  static void narrow(const Span &span) {
    for (Operation &op : llvm::make_early_inc_range(span.operations()))
      if (&op != span.first && op.hasTrait<OpTrait::ConstantLike>())
        op.moveBefore(span.first);
    SmallVector<Operation *> takers;
    for (Operation &op : span.operations())
      if (&op != span.first && isa<LLVM::ExtractElementOp, LLVM::BitcastOp>(op))
        takers.push_back(&op);
    SpanMembers inside(span);
    for (Operation *op : llvm::reverse(takers))
      if (llvm::none_of(op->getUsers(), [&](Operation *user) { return inside.contains(user); })) {
        op->moveAfter(span.last);
        inside.erase(op);
      }
  }

  /// Makes the two versions of a span under one mask.
  void split(Value mask, const Span &span) {
    narrow(span);
    ImplicitLocOpBuilder b(span.first->getLoc(), span.first);
    const bool canOrder = results(span).empty() && hasOneStore(mask, span);
    scf::IfOp ways = makeWays(b, mask, mask, span);
    if (canOrder)
      orderByElements(*ways.elseBlock());
  }

  /// Makes the two versions of a span under several masks. In the second one any of them may be
  /// true.
  void split(ValueRange usual, Value condition, const Span &span) {
    narrow(span);
    ImplicitLocOpBuilder b(span.first->getLoc(), span.first);
    scf::IfOp ways = makeWays(b, usual, condition, span);
    auto expected = ways.getCondition().getDefiningOp<LLVM::ExpectOp>();
    b.setInsertionPoint(expected);
    if (Value isFree = moveLoadsUp(b, *ways.thenBlock()))
      expected.setOperand(0, b.create<arith::AndIOp>(condition, isFree));
  }

  /// A branch on the condition in front of the span, which goes. The condition is one mask, or the
  /// conjunction of several.
  scf::IfOp makeWays(ImplicitLocOpBuilder &b, ValueRange usual, Value condition, const Span &span) {
    SmallVector<Value> used = results(span);
    Value expected = b.create<LLVM::ExpectOp>(condition, b.create<arith::ConstantIntOp>(1, 1));
    auto ways = b.create<scf::IfOp>(ValueRange(used).getTypes(), expected, /*withElseRegion=*/true);
    for (bool isUsual : {true, false}) {
      b.setInsertionPointToStart(isUsual ? ways.thenBlock() : ways.elseBlock());
      clone(b, usual, span, isUsual, used);
    }
    for (auto [value, result] : llvm::zip_equal(used, ways.getResults()))
      value.replaceAllUsesWith(result);
    SmallVector<Operation *> old;
    for (Operation &op : span.operations())
      old.push_back(&op);
    for (Operation *op : llvm::reverse(old)) {
      op->walk([&](Operation *inner) {
        for (Value result : inner->getResults())
          forget(result);
      });
      op->erase();
    }
    fold(ways);
    made.insert(ways);
    return ways;
  }

  /// A store of whole runs, which has the mask for its predicate.
  static bool isStoreUnder(Value mask, Operation &op) {
    auto store = dyn_cast<ThreadStoreOp>(op);
    return store && store.getCondition() == mask;
  }

  /// The span for threads for which the masks are true throughout, or not. One mask is false then;
  /// of several any may be.
  static void clone(ImplicitLocOpBuilder &b, ValueRange usual, const Span &span, bool isUsual,
                    ValueRange used) {
    IRMapping known;
    const bool isKnown = isUsual || usual.size() == 1;
    Value answer = b.create<arith::ConstantIntOp>(isUsual, 1);
    for (Value mask : usual.take_front(isKnown ? usual.size() : 0)) {
      known.map(mask, answer);
      // An `expect` of the mask may stand in front of the span.
      for (Operation *user : mask.getUsers())
        if (isa<LLVM::ExpectOp>(user))
          known.map(user->getResult(0), answer);
    }
    auto isMask = [&](Value condition) {
      return isKnown && llvm::any_of(usual, [&](Value mask) { return follows(condition, mask); });
    };
    for (Operation &op : span.operations()) {
      if (!isUsual && isKnown && isStoreUnder(usual.front(), op))
        continue;
      if (auto select = dyn_cast<arith::SelectOp>(op); select && isMask(select.getCondition()))
        known.map(select.getCondition(),
                  isUsual ? answer : recompute(b, known.lookupOrDefault(select.getCondition())));
      if (auto expected = dyn_cast<LLVM::ExpectOp>(op); expected && isKnown)
        known.map(expected.getRes(), known.lookupOrDefault(expected.getVal()));
      else
        b.clone(op, known);
    }
    if (used.empty())
      return; // the builder has made the terminator
    SmallVector<Value> yielded;
    for (Value value : used)
      yielded.push_back(known.lookup(value));
    b.create<scf::YieldOp>(yielded);
  }

  static void fold(scf::IfOp ways) {
    RewritePatternSet patterns(ways.getContext());
    scf::IfOp::getCanonicalizationPatterns(patterns, ways.getContext());
    FrozenRewritePatternSet frozen(std::move(patterns));
    for (Region &region : ways->getRegions())
      (void)applyPatternsAndFoldGreedily(region, frozen);
  }

  /// Loads, computes and stores one element after the other, so that a thread at the border needs
  /// no more registers than the others. That elements of a block have no order in memory allows it,
  /// as long as all is stored by one operation on a block.
  static void orderByElements(Block &block) {
    llvm::SetVector<Operation *> order;
    for (Operation &op : block)
      if (isa<scf::IfOp>(op) && op.getNumResults() == 0)
        addBehindOperands(op, order);
    for (Operation &op : block)
      addBehindOperands(op, order);
    for (Operation *op : order)
      op->moveBefore(&block, block.end());
  }

  /// True if the span only loads from memory, and stores only by its last operation.
  static bool hasOneStore(Value mask, const Span &span) {
    for (Operation &op : span.operations()) {
      bool isLast = &op == span.last && span.stores == 1;
      if (!isStoreUnder(mask, op) && !doesOnly(op, /*mayStore=*/isLast))
        return false;
    }
    return span.stores == 1;
  }

  /// True if an operation only loads from memory, or also stores.
  static bool doesOnly(Operation &op, bool mayStore) {
    auto isPlain = [&](Operation *inner) {
      if (auto load = dyn_cast<LLVM::LoadOp>(inner))
        return !load.getVolatile_();
      if (auto store = dyn_cast<LLVM::StoreOp>(inner))
        return mayStore && !store.getVolatile_();
      return isa<scf::IfOp, scf::YieldOp>(inner) || isMemoryEffectFree(inner);
    };
    return !op.walk([&](Operation *inner) {
                return isPlain(inner) ? WalkResult::advance() : WalkResult::interrupt();
              }).wasInterrupted();
  }

  static void addBehindOperands(Operation &op, llvm::SetVector<Operation *> &order) {
    if (order.contains(&op))
      return;
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *source = operand.getDefiningOp();
        source = source ? op.getBlock()->findAncestorOpInBlock(*source) : nullptr;
        if (source && source != &op)
          addBehindOperands(*source, order);
      }
    });
    order.insert(&op);
  }

  /// Removes a value from the masks, since its operation goes.
  void forget(Value value) {
    auto base = bases.find(value);
    if (base == bases.end())
      return;
    llvm::erase(masks[base->second], value);
    bases.erase(base);
  }

  unsigned maxOperations;
  // Splitting a span may give a mask another base. It then is no usual mask for later selects.
  llvm::DenseMap<Value, SmallVector<Value>> masks; // true for most threads, by their bases
  llvm::DenseMap<Value, Value> bases;              // of these masks
  llvm::SmallPtrSet<Operation *, 4> made;
};

struct SpecializeMaskedPass : impl::SpecializeMaskedBase<SpecializeMaskedPass> {
  using SpecializeMaskedBase::SpecializeMaskedBase;

  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      Specializer(getOperation(), maxOperations).specialize(block);
    getOperation().walk([](scf::IfOp ways) {
      if (auto expected = ways.getCondition().getDefiningOp<LLVM::ExpectOp>())
        recomputeMasks(matchPattern(expected.getExpected(), m_One()) ? ways.getElseRegion()
                                                                     : ways.getThenRegion());
      else if (ways.getCondition().getDefiningOp<LLVM::ExpectWithProbabilityOp>())
        recomputeMasks(ways.getThenRegion());
    });
    // The masks at their old place are dead, and go before common subexpressions are searched for.
    // Users go first, so that the indices which only masks use go, too.
    getOperation().walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
      if (isOpTriviallyDead(op))
        op->erase();
    });
  }

private:
  /// Computes the masks that the unusual way needs where it needs them.
  static void recomputeMasks(Region &unusual) {
    unusual.walk([](scf::IfOp masked) {
      ImplicitLocOpBuilder b(masked.getLoc(), masked);
      masked.setOperand(recompute(b, masked.getCondition()));
    });
  }
};

} // namespace

} // namespace eft
