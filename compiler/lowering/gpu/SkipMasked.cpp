// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-skip-masked: if a row leaves part of its block unused, some threads have only elements whose
// masks are false. Their loads access no memory, but the arithmetic on the loaded values is wasted:
// where the mask is false, the values are the same for all elements, as long as they depend on
// nothing else that differs between elements.
//
// So a thread's elements are divided into parts, such that mostly all masks of a part are true, or
// all are false. Each part has a first element, whose mask is true if any mask of the part is true.
// A long chain of operations on a part is put under a branch on that mask. If it is true, the chain
// is computed. Otherwise the elements get the values that the chain has where all masks of the part
// are false. These values are computed once, before the branch, by the same operations, so the bits
// are the same.
//
// Parts also improve the order of instructions. If all of a thread's elements are in one basic
// block, ptxas computes one chain after another; in a branch, it interleaves the chains of the
// branch, four at a time.
//
// Masks that depend on the program id are left alone. They are false for elements of the last
// program only, and all other programs would branch for nothing.
#include "compiler/ir/EftDialect.h"
#include "compiler/lowering/Passes.h"
#include "compiler/lowering/gpu/ElementMasks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace eft {

#define GEN_PASS_DEF_SKIPMASKED
#include "compiler/lowering/Passes.h.inc"

namespace {

/// The extent of a part, in indices: four elements for each lane of a warp.
constexpr int64_t partElements = 128;

/// The least number of instructions of a chain that is put under a branch. The branch, and the
/// point after it at which threads reconverge, cost about four instructions.
constexpr unsigned leastInstructions = 32;

/// Emits the mask at the insertion point of `b`.
Value compute(ImplicitLocOpBuilder &b, const ElementMask &mask) {
  Value index = mask.base;
  if (mask.offset != 0)
    index = b.create<arith::AddIOp>(index, b.create<arith::ConstantIntOp>(mask.offset, 32),
                                    arith::IntegerOverflowFlags::nsw);
  return b.create<arith::CmpIOp>(arith::CmpIPredicate::slt, index, mask.bound);
}

unsigned instructionsOf(Operation *op) {
  if (isa<arith::BitcastOp, arith::NegFOp, LLVM::BitcastOp, LLVM::ExtractElementOp, math::AbsFOp>(
          op) ||
      op->hasTrait<OpTrait::ConstantLike>())
    return 0;
  return isa<arith::DivFOp, math::SqrtOp>(op) ? 10 : 1;
}

/// True for the branch that loads the elements of runs once more if a mask ends inside a run. If
/// the mask is false for a whole run, both sides of the branch yield what the first load returned.
bool loadsCutRuns(scf::IfOp branch) {
  return branch.getCondition().getDefiningOp<LLVM::ExpectWithProbabilityOp>() &&
         branch.getNumResults() != 0;
}

/// True for an operation that can be moved and cloned.
bool isPlain(Operation *op) {
  return isPure(op) && op->getNumRegions() == 0 && op->getNumResults() == 1 &&
         !op->hasTrait<OpTrait::ConstantLike>() && !op->hasTrait<OpTrait::IsTerminator>();
}

class Skipper {
public:
  explicit Skipper(func::FuncOp kernel) {
    kernel.walk([&](arith::CmpIOp compared) { note(compared); });
  }

  void run(Block &block) {
    Pending pending;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto compared = dyn_cast<arith::CmpIOp>(op); compared && masks.contains(compared)) {
        if (!parts.contains(compared.getRhs()))
          continue;
        // The bound is computed from an element, so the comparison is no mask of a row but an
        // operation on elements like any other.
        masks.erase(compared);
        parts.erase(compared);
      }
      Part *part = isPlain(&op) ? partOf(op.getOperands()) : nullptr;
      if (part) {
        parts[op.getResult(0)] = part;
        pending[part].insert(&op);
        continue;
      }
      flushOperands(&op, pending);
      noteLoad(&op);
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          runInside(inner);
    }
  }

private:
  /// A part of a thread's elements, represented by the mask of its first element.
  using Part = ElementMask;
  using Chain = llvm::SetVector<Operation *>;
  using Pending = llvm::MapVector<Part *, Chain>;

  void note(arith::CmpIOp compared) {
    std::optional<ElementMask> mask = ElementMask::of(compared);
    if (!mask)
      return;
    std::unique_ptr<Part> &part = byPlace[{mask->base, {mask->bound, mask->offset / partElements}}];
    if (!part)
      part = std::make_unique<Part>(*mask);
    part->offset = std::min(part->offset, mask->offset);
    parts[compared] = part.get();
    masks.insert(compared);
  }

  /// True for a condition that is known to be false wherever all masks of its part are false: a
  /// mask, or a conjunction with a mask. A disjunction is not known to be.
  bool isFalseBehindMask(Value condition) {
    if (masks.contains(condition))
      return true;
    auto both = condition.getDefiningOp<arith::AndIOp>();
    if (!both)
      return false;
    if (auto known = conjunctions.find(both); known != conjunctions.end())
      return known->second;
    const bool found = isFalseBehindMask(both.getLhs()) || isFalseBehindMask(both.getRhs());
    return conjunctions[both] = found;
  }

  /// Adds the words that an operation loads to the part of their mask.
  void noteLoad(Operation *op) {
    auto load = dyn_cast<ThreadLoadOp>(op);
    if (load && load.getCondition())
      if (Part *part = parts.lookup(load.getCondition());
          part && isFalseBehindMask(load.getCondition()))
        parts[load.getWords()] = part;
    if (auto cut = dyn_cast<scf::IfOp>(op); cut && loadsCutRuns(cut))
      for (auto [words, whole] : llvm::zip_equal(cut.getResults(), cut.elseYield().getResults()))
        addTo(parts.lookup(whole), words);
  }

  void addTo(Part *part, Value value) {
    if (part)
      parts[value] = part;
  }

  /// The part to which the operands belong; null if they belong to none, or to several.
  Part *partOf(ValueRange operands) const {
    Part *found = nullptr;
    for (Value operand : operands)
      if (Part *part = parts.lookup(operand)) {
        if (found && found != part)
          return nullptr;
        found = part;
      }
    return found;
  }

  /// Runs on an inner block. The values that it computes for masks that are false do not dominate
  /// the outer block, so they are forgotten after it.
  void runInside(Block &block) {
    auto outerMasked = masked;
    const size_t outerMade = made.size(), outerNoted = noted.size();
    run(block);
    masked = std::move(outerMasked);
    made.truncate(outerMade);
    noted.truncate(outerNoted);
  }

  /// Ends the chains whose values `user` uses, and puts them under branches before it.
  void flushOperands(Operation *user, Pending &pending) {
    user->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Part *part = parts.lookup(operand))
          if (auto chain = pending.find(part);
              chain != pending.end() && chain->second.contains(operand.getDefiningOp())) {
            branch(*part, chain->second, user);
            pending.erase(part);
          }
    });
  }

  static SmallVector<Value> resultsOf(const Chain &chain) {
    SmallVector<Value> results;
    for (Operation *op : chain)
      if (llvm::any_of(op->getUsers(), [&](Operation *user) { return !chain.contains(user); }))
        results.push_back(op->getResult(0));
    return results;
  }

  /// Puts the chain under a branch before `place`, if that saves instructions.
  void branch(const Part &part, const Chain &chain, Operation *place) {
    unsigned instructions = 0;
    for (Operation *op : chain)
      instructions += instructionsOf(op);
    if (instructions < leastInstructions)
      return;
    ImplicitLocOpBuilder b(chain.front()->getLoc(), place);
    const SmallVector<Value> results = resultsOf(chain);
    const size_t madeBefore = made.size(), notedBefore = noted.size();
    SmallVector<Value> others;
    for (Value result : results) {
      others.push_back(behindMask(b, result));
      // If many values differ between elements even where the mask is false, the branch saves
      // nothing.
      if (2 * (made.size() - madeBefore) > chain.size())
        return forgetSince(madeBefore, notedBefore);
    }
    auto ways = b.create<scf::IfOp>(ValueRange(results).getTypes(), compute(b, part),
                                    /*withElseRegion=*/true);
    for (auto [number, way] : llvm::enumerate(ways.getResults())) {
      Value result = results[number];
      result.replaceUsesWithIf(way,
                               [&](OpOperand &use) { return !chain.contains(use.getOwner()); });
      parts[way] = parts.lookup(result);
      masked[way] = others[number];
    }
    for (Operation *op : chain)
      op->moveBefore(ways.thenBlock(), ways.thenBlock()->end());
    b.setInsertionPointToEnd(ways.thenBlock());
    b.create<scf::YieldOp>(results);
    b.setInsertionPointToEnd(ways.elseBlock());
    b.create<scf::YieldOp>(others);
  }

  /// Undoes calls of `behindMask`: erases the operations that they made beyond the first
  /// `madeBefore`, and forgets the values that they noted beyond the first `notedBefore`.
  void forgetSince(size_t madeBefore, size_t notedBefore) {
    for (Value value : ArrayRef(noted).drop_front(notedBefore))
      masked.erase(value);
    noted.truncate(notedBefore);
    for (Operation *op : llvm::reverse(ArrayRef(made).drop_front(madeBefore)))
      op->erase();
    made.truncate(madeBefore);
  }

  /// Returns what `value` is where all masks of its part are false.
  Value behindMask(ImplicitLocOpBuilder &b, Value value) {
    if (!parts.contains(value))
      return value;
    if (Value known = masked.lookup(value))
      return known;
    Value found = computeBehindMask(b, value);
    masked[value] = found;
    noted.push_back(value);
    return found;
  }

  Value computeBehindMask(ImplicitLocOpBuilder &b, Value value) {
    Operation *op = value.getDefiningOp();
    if (masks.contains(value))
      return once(b.create<arith::ConstantIntOp>(false, 1));
    if (auto load = dyn_cast<ThreadLoadOp>(op))
      return load.getOther() ? load.getOther()
                             : once(b.create<arith::ConstantOp>(b.getZeroAttr(value.getType())));
    if (auto cut = dyn_cast<scf::IfOp>(op))
      return behindMask(b, cut.elseYield().getOperand(cast<OpResult>(value).getResultNumber()));
    if (auto select = dyn_cast<arith::SelectOp>(op))
      if (matchPattern(behindMask(b, select.getCondition()), m_Zero()))
        return behindMask(b, select.getFalseValue());
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, behindMask(b, operand));
    return once(b.clone(*op, mapping));
  }

  /// Returns the result of `op`. If an equal operation was made before, erases `op` and returns the
  /// result of the other.
  Value once(Operation *op) {
    for (Operation *other : made)
      if (OperationEquivalence::isEquivalentTo(op, other,
                                               OperationEquivalence::Flags::IgnoreLocations)) {
        op->erase();
        return other->getResult(0);
      }
    made.push_back(op);
    return op->getResult(0);
  }

  llvm::DenseMap<std::pair<Value, std::pair<Value, int64_t>>, std::unique_ptr<Part>> byPlace;
  llvm::DenseSet<Value> masks;
  // True for a conjunction that is false wherever all masks of its part are.
  llvm::DenseMap<Operation *, bool> conjunctions;
  llvm::DenseMap<Value, Part *> parts;
  llvm::DenseMap<Value, Value> masked; // each value where the masks of its part are false
  // The keys of `masked`, in the order in which they were added.
  llvm::SmallVector<Value> noted;
  llvm::SmallVector<Operation *> made; // the operations that compute the values in `masked`
};

struct SkipMaskedPass : impl::SkipMaskedBase<SkipMaskedPass> {
  using SkipMaskedBase::SkipMaskedBase;

  void runOnOperation() override {
    Skipper skipper(getOperation());
    for (Block &block : getOperation().getBody())
      skipper.run(block);
  }
};

} // namespace

} // namespace eft
