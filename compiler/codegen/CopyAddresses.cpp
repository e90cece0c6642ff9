// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/CopyAddresses.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/PatternMatch.h"

namespace eft {
namespace {

using namespace llvm::PatternMatch;

/// The largest shift of a term: `mad.wide.s32` takes its factor, 2^shift, as a signed number of 32
/// bits.
constexpr unsigned maxShift = 30;

/// Returns the 32-bit index of a term that is a sign-extended index times a power of two; null for
/// other terms.
llvm::Value *indexOf(const CopyAddresses::Term &term) {
  llvm::Value *index = nullptr;
  const bool isIndex = term.shift <= maxShift && match(term.value, m_SExt(m_Value(index))) &&
                       index->getType()->isIntegerTy(32);
  return isIndex ? index : nullptr;
}

void addTerms(llvm::Value *value, unsigned shift, CopyAddresses::Terms &terms) {
  llvm::Value *first = nullptr, *second = nullptr;
  const llvm::APInt *more = nullptr;
  if (match(value, m_Add(m_Value(first), m_Value(second)))) {
    addTerms(first, shift, terms);
    addTerms(second, shift, terms);
  } else if (match(value, m_Shl(m_Value(first), m_APInt(more))) && more->ule(maxShift - shift)) {
    addTerms(first, shift + unsigned(more->getZExtValue()), terms);
  } else {
    terms.push_back({value, shift});
  }
}

llvm::Value *add(llvm::IRBuilder<> &builder, llvm::Value *base, const CopyAddresses::Term &term) {
  llvm::Value *index = indexOf(term);
  if (!base || !index) {
    llvm::Value *scaled =
        term.shift == 0 ? term.value : builder.CreateShl(term.value, uint64_t(term.shift));
    return base ? builder.CreateAdd(base, scaled) : scaled;
  }
  auto *type = llvm::FunctionType::get(base->getType(), {index->getType(), base->getType()}, false);
  std::string size = std::to_string(uint64_t(1) << term.shift);
  auto *fused = llvm::InlineAsm::get(type, "mad.wide.s32 $0, $1, " + size + ", $2;", "=l,r,l",
                                     /*hasSideEffects=*/false);
  return builder.CreateCall(fused, {index, base});
}

} // namespace

void CopyAddresses::fuse(llvm::ArrayRef<llvm::CallInst *> copies, unsigned operand) {
  llvm::MapVector<llvm::CallInst *, Terms> termsOf;
  std::map<std::pair<llvm::BasicBlock *, Term>, unsigned> uses;
  for (llvm::CallInst *copy : copies)
    if (auto *address = llvm::dyn_cast<llvm::IntToPtrInst>(copy->getArgOperand(operand))) {
      Terms &terms = termsOf[copy];
      addTerms(address->getOperand(0), 0, terms);
      for (const Term &term : terms)
        ++uses[{copy->getParent(), term}];
    }
  for (auto &[copy, terms] : termsOf) {
    // The index that the fewest addresses share is added last.
    const Term *last = nullptr;
    auto usesOf = [&, block = copy->getParent()](const Term &term) { return uses[{block, term}]; };
    for (const Term &term : terms)
      if (indexOf(term) && (!last || usesOf(term) < usesOf(*last)))
        last = &term;
    if (!last || terms.size() < 2)
      continue;
    const Term own = *last;
    terms.erase(llvm::find(terms, own)); // erases only one of several equal terms
    llvm::IRBuilder<> builder(copy);
    llvm::Value *address = add(builder, sum(terms, builder), own);
    copy->setArgOperand(operand,
                        builder.CreateIntToPtr(address, copy->getArgOperand(operand)->getType()));
  }
}

/// Returns the sum of the terms, computed once in each basic block. The terms that do not change in
/// the loop are summed before the loop. Indices are added last: `add` fuses an index only with a
/// sum that exists already.
llvm::Value *CopyAddresses::sum(const Terms &terms, llvm::IRBuilder<> &builder) {
  llvm::Value *&result = known[{builder.GetInsertBlock(), terms}];
  if (result && dominators.dominates(result, &*builder.GetInsertPoint()))
    return result;
  const llvm::Loop *loop = loops.getLoopFor(builder.GetInsertBlock());
  llvm::BasicBlock *before = loop ? loop->getLoopPredecessor() : nullptr;
  Terms kept, changed;
  for (const Term &term : terms)
    (before && loop->isLoopInvariant(term.value) ? kept : changed).push_back(term);
  if (!kept.empty() && !changed.empty()) {
    llvm::IRBuilder<> outside(before->getTerminator());
    changed.insert(changed.begin(), Term{sum(kept, outside), 0});
  } else if (changed.empty()) {
    changed = std::move(kept);
  }
  llvm::Value *all = nullptr;
  for (bool areIndices : {false, true})
    for (const Term &term : changed)
      if ((indexOf(term) != nullptr) == areIndices)
        all = add(builder, all, term);
  return result = all;
}

} // namespace eft
