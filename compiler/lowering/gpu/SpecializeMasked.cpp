// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-specialize-masked: at every access under a mask, threads in which the mask is true for all
// elements take one branch, and the other threads another. If the branches join between the
// accesses, all loaded values must be in registers there, and no instruction can be moved across.
// So the pass makes one branch before the first access, whose two sides join after the last access.
//
// A kernel that handles its block in parts has a mask for each part. If these masks compare indices
// with one bound, mostly all of them are true, so one branch serves all of them, too. On the side
// of the branch where they are true, loads of later parts move before the stores of earlier parts,
// if EarlyLoads.h finds a condition under which this is allowed.
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

/// A sequence of consecutive operations of one basic block.
struct Span {
  Operation *first = nullptr, *last = nullptr;
  unsigned begin = 0, end = 0; // the numbers of `first` and `last` in their block
  unsigned loads = 0, stores = 0, selects = 0;

  /// True if two versions of the span save enough to be worth their code.
  bool isWorthwhile() const { return loads >= 2 || selects >= minSelects; }
  auto operations() const {
    return llvm::make_range(first->getIterator(), std::next(last->getIterator()));
  }
};

/// The operations of a span, and the operations nested in them.
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

/// The code between two convergent operations: for each mask, the span from the mask's first access
/// or selection to its last.
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

  /// Specializes the last segment first: its masks may be computed in the span of an earlier
  /// segment, and splitting that span erases the operations that compute them.
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

  /// A mask that has a span, is computed before `user`, and implies `mask`: where it is true,
  /// `mask` is true. Null if there is none.
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

  /// The mask in the condition of `expected`, which is true for most threads.
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

  /// Splits one span for all masks of a segment, if they compare with one bound and no mask has a
  /// worthwhile span of its own. Returns false if it splits none.
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

  /// Adds to `found` the operations of a span that compute `value`. Returns false if one of them is
  /// not pure, has regions, or is the first of the span.
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

  /// True if the span contains a loop. A loop between accesses is long, and has masks of its own to
  /// specialize.
  static bool containsLoop(const Span &span) {
    return llvm::any_of(span.operations(), [](Operation &op) {
      return op.walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); }).wasInterrupted();
    });
  }

  /// The operations in the span's basic block from which the addresses of its accesses are
  /// computed.
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

  /// Moves into the span those operations before the condition whose results only the span uses. In
  /// the span they can run after the loads have begun. Operations that compute addresses stay,
  /// because the loads wait for them.
  void sinkInto(Span &span, Operation &condition) {
    const llvm::SetVector<Operation *> addresses = addressesOf(span);
    SpanMembers inside(span);
    Block::reverse_iterator next = condition.getReverseIterator(),
                            end = condition.getBlock()->rend();
    ++next;
    for (unsigned seen = 0; next != end && seen < maxOperations; ++seen) {
      Operation &op = *next++;
      // The operations before a convergent operation belong to earlier segments, whose spans are
      // still to be split.
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

  /// The values of the span that are used after it.
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

  /// Moves an operation that unpacks loaded words to after the span if only operations after the
  /// span use its result, so that the branch yields whole words. Moves constants before the span,
  /// so that the branch need not yield them.
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

  /// Makes the two versions of a span under one mask. In the second version the mask is false.
  void split(Value mask, const Span &span) {
    narrow(span);
    ImplicitLocOpBuilder b(span.first->getLoc(), span.first);
    const bool canOrder = results(span).empty() && hasOneStore(mask, span);
    scf::IfOp ways = makeWays(b, mask, mask, span);
    if (canOrder)
      orderByElements(*ways.elseBlock());
  }

  /// Makes the two versions of a span under several masks. In the second version, any of them may
  /// be true.
  void split(ValueRange usual, Value condition, const Span &span) {
    narrow(span);
    ImplicitLocOpBuilder b(span.first->getLoc(), span.first);
    scf::IfOp ways = makeWays(b, usual, condition, span);
    auto expected = ways.getCondition().getDefiningOp<LLVM::ExpectOp>();
    b.setInsertionPoint(expected);
    if (Value isFree = moveLoadsUp(b, *ways.thenBlock()))
      expected.setOperand(0, b.create<arith::AndIOp>(condition, isFree));
  }

  /// Replaces the span by a branch on the condition, with a version of the span on each side. The
  /// condition is one mask, or the conjunction of several.
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

  /// True for a store of whole runs whose predicate is the mask.
  static bool isStoreUnder(Value mask, Operation &op) {
    auto store = dyn_cast<ThreadStoreOp>(op);
    return store && store.getCondition() == mask;
  }

  /// Emits a version of the span. If `isUsual`, it is the version for threads in which all masks
  /// are true, and otherwise the version for the other threads. There, a single mask is known to be
  /// false; of several masks, any may be true.
  static void clone(ImplicitLocOpBuilder &b, ValueRange usual, const Span &span, bool isUsual,
                    ValueRange used) {
    IRMapping known;
    const bool isKnown = isUsual || usual.size() == 1;
    Value answer = b.create<arith::ConstantIntOp>(isUsual, 1);
    for (Value mask : usual.take_front(isKnown ? usual.size() : 0)) {
      known.map(mask, answer);
      // An `expect` of the mask may precede the span.
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
      return; // the builder has made the terminator already
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

  /// Orders the operations such that each element is loaded, computed and stored before the next.
  /// Then only the values of one element are in registers at a time, so that a thread in which the
  /// mask is partly false needs no more registers than other threads. The new order is allowed:
  /// `hasOneStore` holds, so one operation on a block makes all stores, and accesses to memory at
  /// different positions of a block are not ordered.
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

  /// True if the span has no effects but loads and one store, which is its last operation. Stores
  /// of whole runs under the mask are ignored: the second version of the span does not have them.
  static bool hasOneStore(Value mask, const Span &span) {
    for (Operation &op : span.operations()) {
      bool isLast = &op == span.last && span.stores == 1;
      if (!isStoreUnder(mask, op) && !doesOnly(op, /*mayStore=*/isLast))
        return false;
    }
    return span.stores == 1;
  }

  /// True if an operation only loads from memory or, with `mayStore`, also stores.
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

  /// Removes a value from the masks, because its operation is erased.
  void forget(Value value) {
    auto base = bases.find(value);
    if (base == bases.end())
      return;
    llvm::erase(masks[base->second], value);
    bases.erase(base);
  }

  unsigned maxOperations;
  // Splitting a span may change the base of a mask. The mask is then no longer found for later
  // selects.
  llvm::DenseMap<Value, SmallVector<Value>> masks; // by base: masks that are true in most threads
  llvm::DenseMap<Value, Value> bases;              // the base of each of these masks
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
    // The original masks are dead now. They must be erased before common subexpressions are
    // eliminated, or they would replace the recomputed masks. Users are visited first, so that
    // indices which only masks use are erased, too.
    getOperation().walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
      if (isOpTriviallyDead(op))
        op->erase();
    });
  }

private:
  /// Recomputes the masks in the unusual branch, each right before the conditional that uses it.
  static void recomputeMasks(Region &unusual) {
    unusual.walk([](scf::IfOp masked) {
      ImplicitLocOpBuilder b(masked.getLoc(), masked);
      masked.setOperand(recompute(b, masked.getCondition()));
    });
  }
};

} // namespace

} // namespace eft
