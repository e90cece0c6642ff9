// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/CopyBytes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/PatternMatch.h"

#include <optional>

namespace eft {
namespace {

using namespace llvm::PatternMatch;

/// A byte count: `whole` if all conditions hold, and 0 otherwise.
struct ConditionalBytes {
  llvm::ConstantInt *whole = nullptr;
  llvm::SmallVector<std::pair<llvm::Value *, bool>> conditions; ///< with the value each must have
};

/// Adds a condition to those of `bytes`. For a conjunction, adds its operands instead.
void addConditions(llvm::Value *condition, ConditionalBytes &bytes) {
  llvm::Value *first = nullptr, *second = nullptr;
  if (match(condition, m_LogicalAnd(m_Value(first), m_Value(second)))) {
    addConditions(first, bytes);
    addConditions(second, bytes);
    return;
  }
  bytes.conditions.emplace_back(condition, true);
}

std::optional<ConditionalBytes> conditionalBytes(llvm::Value *value) {
  ConditionalBytes bytes;
  llvm::Value *condition = nullptr, *other = nullptr;
  for (;;) {
    if (match(value, m_Select(m_Value(condition), m_Value(other), m_Zero()))) {
      addConditions(condition, bytes);
    } else if (match(value, m_Select(m_Value(condition), m_Zero(), m_Value(other)))) {
      bytes.conditions.emplace_back(condition, false);
    } else {
      bytes.whole = llvm::dyn_cast<llvm::ConstantInt>(value);
      return bytes.whole ? std::optional(bytes) : std::nullopt;
    }
    value = other;
  }
}

/// A comparison, `<` or `>`, of a row's number with a bound. One bound makes the comparison false
/// for every row: the least number for `<`, the greatest for `>`.
struct BoundedRow {
  llvm::CmpInst::Predicate predicate; ///< compares the row with the bound
  llvm::Value *row = nullptr;         ///< the row's number, which the loop does not change
  llvm::Value *bound = nullptr;
};

std::optional<BoundedRow> boundedRow(const llvm::Loop &loop, llvm::Value *value, bool isNeeded) {
  auto *comparison = llvm::dyn_cast<llvm::ICmpInst>(value);
  if (!comparison)
    return std::nullopt;
  BoundedRow result{isNeeded ? comparison->getPredicate() : comparison->getInversePredicate(),
                    comparison->getOperand(0), comparison->getOperand(1)};
  if (!loop.isLoopInvariant(result.row)) {
    std::swap(result.row, result.bound);
    result.predicate = llvm::CmpInst::getSwappedPredicate(result.predicate);
  }
  if (!loop.isLoopInvariant(result.row) || !result.row->getType()->isIntegerTy() ||
      !llvm::CmpInst::isRelational(result.predicate) ||
      !llvm::CmpInst::isStrictPredicate(result.predicate))
    return std::nullopt;
  return result;
}

/// The bound that makes the comparison false for every row.
llvm::ConstantInt *boundOfNone(const BoundedRow &row) {
  auto *type = llvm::cast<llvm::IntegerType>(row.row->getType());
  const unsigned width = type->getBitWidth();
  const bool isSigned = llvm::CmpInst::isSigned(row.predicate);
  const bool isLess = llvm::ICmpInst::isLT(row.predicate);
  llvm::APInt least = isSigned ? llvm::APInt::getSignedMinValue(width) : llvm::APInt(width, 0);
  llvm::APInt greatest =
      isSigned ? llvm::APInt::getSignedMaxValue(width) : llvm::APInt::getMaxValue(width);
  return llvm::ConstantInt::get(type->getContext(), isLess ? least : greatest);
}

} // namespace

void CopyBytes::simplify(llvm::CallInst &copy, unsigned bytesOperand) {
  const llvm::Loop *loop = loops.getLoopFor(copy.getParent());
  llvm::BasicBlock *before = loop ? loop->getLoopPredecessor() : nullptr;
  std::optional<ConditionalBytes> bytes = conditionalBytes(copy.getArgOperand(bytesOperand));
  if (!before || !bytes)
    return;
  Conditions kept, changed;
  for (auto [value, needed] : bytes->conditions)
    (loop->isLoopInvariant(value) ? kept : changed).emplace_back(value, needed);
  llvm::IRBuilder<> outside(before->getTerminator()), inside(&copy);
  const bool isMoved = moveBound(*loop, outside, inside, changed);
  if (changed.empty() || (kept.empty() && !isMoved))
    return;
  llvm::Value *zero = llvm::ConstantInt::get(bytes->whole->getType(), 0);
  llvm::Value *ofStep = all(inside, changed);
  if (kept.empty()) {
    copy.setArgOperand(bytesOperand, inside.CreateSelect(ofStep, bytes->whole, zero));
    return;
  }
  llvm::Value *ofRow = outside.CreateSelect(all(outside, kept), bytes->whole, zero);
  llvm::Value *mask = inside.CreateSExt(ofStep, ofRow->getType());
  copy.setArgOperand(bytesOperand, inside.CreateAnd(ofRow, mask));
}

/// Returns a value that is true if all conditions hold, computed once in each basic block.
llvm::Value *CopyBytes::all(llvm::IRBuilder<> &builder, const Conditions &conditions) {
  llvm::Value *&result = known[{builder.GetInsertBlock(), conditions}];
  if (result && dominators.dominates(result, &*builder.GetInsertPoint()))
    return result;
  result = nullptr;
  for (auto [value, needed] : conditions) {
    // A condition may be poison where an earlier condition does not hold.
    llvm::Value *frozen = builder.CreateFreeze(value);
    llvm::Value *holds = needed ? frozen : builder.CreateNot(frozen);
    result = result ? builder.CreateAnd(result, holds) : holds;
  }
  return result;
}

/// Replaces several conditions by one comparison, if one of them compares a row with a bound. If
/// one of the other conditions does not hold, the bound becomes a number that makes the comparison
/// false for every row. If several conditions compare rows, the function takes the condition with
/// the fewest uses. Returns whether the conditions were replaced.
bool CopyBytes::moveBound(const llvm::Loop &loop, llvm::IRBuilder<> &outside,
                          llvm::IRBuilder<> &inside, Conditions &conditions) {
  std::optional<BoundedRow> compared;
  std::pair<llvm::Value *, bool> ofRow;
  for (auto [value, needed] : conditions)
    if (!compared || value->getNumUses() < ofRow.first->getNumUses())
      if (std::optional<BoundedRow> found = boundedRow(loop, value, needed)) {
        compared = found;
        ofRow = {value, needed};
      }
  Conditions others = conditions;
  llvm::erase(others, ofRow);
  if (!compared || others.empty())
    return false;
  // The row may be poison if the other conditions do not hold. Frozen, it is some number, and no
  // number satisfies the comparison with `ofNone`.
  llvm::Value *&row = rows[{outside.GetInsertBlock(), compared->row}];
  if (!row)
    row = outside.CreateFreeze(compared->row);
  llvm::ConstantInt *ofNone = boundOfNone(*compared);
  llvm::Value *othersHold = all(inside, others);
  llvm::Value *&bound = bounds[{compared->bound, othersHold, ofNone}];
  if (!bound)
    bound = inside.CreateSelect(othersHold, inside.CreateFreeze(compared->bound), ofNone);
  conditions = {{inside.CreateICmp(compared->predicate, row, bound), true}};
  return true;
}

} // namespace eft
