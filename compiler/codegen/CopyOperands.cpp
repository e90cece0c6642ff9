// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands of asynchronous copies, in forms that cost little between products of tensor cores.
//
// While the tensor cores work, they read and write registers by the ports of the multipliers: so an
// IMAD.WIDE, which ptxas makes of a product of 64 bits and a sum, waits for them. The two as one
// `mad.wide` become LEA, which passes by other ports.
//
// A copy reads its bytes if some conditions hold, and else none: those of its row, which a loop
// does not change, and those of the loop's step. There are too few registers for conditions to keep
// those of the rows, so that each would be computed anew in each iteration. As a number of bytes, a
// row's condition stays in a common register, and one instruction meets it with that of the step.
#include "compiler/codegen/Codegen.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

#include <map>
#include <optional>

namespace eft {
namespace {

using namespace llvm::PatternMatch;

bool isCopy(const llvm::IntrinsicInst &call) {
  switch (call.getIntrinsicID()) {
  case llvm::Intrinsic::nvvm_cp_async_ca_shared_global_4:
  case llvm::Intrinsic::nvvm_cp_async_ca_shared_global_4_s:
  case llvm::Intrinsic::nvvm_cp_async_ca_shared_global_8:
  case llvm::Intrinsic::nvvm_cp_async_ca_shared_global_8_s:
  case llvm::Intrinsic::nvvm_cp_async_ca_shared_global_16:
  case llvm::Intrinsic::nvvm_cp_async_ca_shared_global_16_s:
  case llvm::Intrinsic::nvvm_cp_async_cg_shared_global_16:
  case llvm::Intrinsic::nvvm_cp_async_cg_shared_global_16_s:
    return true;
  default:
    return false;
  }
}

constexpr unsigned addressOperand = 1, bytesOperand = 2;

/// The instruction has its factor as a signed number of 32 bits.
constexpr unsigned maxShift = 30;

/// Computes the address base + index · size, of which the index has 32 bits, by one instruction.
void fuseAddress(llvm::IntrinsicInst &copy) {
  auto *address = llvm::dyn_cast<llvm::IntToPtrInst>(copy.getArgOperand(addressOperand));
  llvm::Value *index = nullptr, *base = nullptr;
  llvm::ConstantInt *shift = nullptr;
  if (!address ||
      !match(address->getOperand(0),
             m_c_Add(m_Shl(m_SExt(m_Value(index)), m_ConstantInt(shift)), m_Value(base))) ||
      !index->getType()->isIntegerTy(32) || shift->getValue().ugt(maxShift))
    return;
  llvm::IRBuilder<> builder(address);
  auto *type = llvm::FunctionType::get(base->getType(), {index->getType(), base->getType()}, false);
  std::string size = std::to_string(uint64_t(1) << shift->getZExtValue());
  auto *sum = llvm::InlineAsm::get(type, "mad.wide.s32 $0, $1, " + size + ", $2;", "=l,r,l",
                                   /*hasSideEffects=*/false);
  address->setOperand(0, builder.CreateCall(sum, {index, base}));
}

/// The number of bytes `whole` if all conditions hold, and else 0.
struct ConditionalBytes {
  llvm::ConstantInt *whole = nullptr;
  llvm::SmallVector<std::pair<llvm::Value *, bool>> conditions; ///< with the value that each needs
};

/// Adds the factors of a conjunction.
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

/// The bytes of the copies of one function.
class CopyBytes {
public:
  explicit CopyBytes(llvm::Function &function) : dominators(function), loops(dominators) {}

  /// Computes what the loop around a copy does not change of its bytes before that loop.
  void hoist(llvm::IntrinsicInst &copy) {
    if (copy.arg_size() <= bytesOperand)
      return;
    llvm::Loop *loop = loops.getLoopFor(copy.getParent());
    llvm::BasicBlock *before = loop ? loop->getLoopPredecessor() : nullptr;
    std::optional<ConditionalBytes> bytes = conditionalBytes(copy.getArgOperand(bytesOperand));
    if (!before || !bytes)
      return;
    Conditions kept, changed;
    for (auto [value, needed] : bytes->conditions)
      (loop->isLoopInvariant(value) ? kept : changed).emplace_back(value, needed);
    if (kept.empty() || changed.empty())
      return;
    llvm::IRBuilder<> outside(before->getTerminator()), inside(&copy);
    llvm::Value *zero = llvm::ConstantInt::get(bytes->whole->getType(), 0);
    llvm::Value *ofRow = outside.CreateSelect(all(outside, kept), bytes->whole, zero);
    llvm::Value *ofStep = inside.CreateSExt(all(inside, changed), ofRow->getType());
    copy.setArgOperand(bytesOperand, inside.CreateAnd(ofRow, ofStep));
  }

private:
  using Conditions = llvm::SmallVector<std::pair<llvm::Value *, bool>>;

  /// Whether all conditions hold, computed once in each basic block.
  llvm::Value *all(llvm::IRBuilder<> &builder, const Conditions &conditions) {
    llvm::Value *&result =
        known[{builder.GetInsertBlock(), {conditions.begin(), conditions.end()}}];
    if (result)
      return result;
    for (auto [value, needed] : conditions) {
      // A condition may have no value where one before it does not hold.
      llvm::Value *frozen = builder.CreateFreeze(value);
      llvm::Value *holds = needed ? frozen : builder.CreateNot(frozen);
      result = result ? builder.CreateAnd(result, holds) : holds;
    }
    return result;
  }

  llvm::DominatorTree dominators;
  llvm::LoopInfo loops;
  std::map<std::pair<llvm::BasicBlock *, std::vector<std::pair<llvm::Value *, bool>>>,
           llvm::Value *>
      known;
};

} // namespace

void fitCopyOperands(llvm::Module &module) {
  for (llvm::Function &function : module) {
    llvm::SmallVector<llvm::IntrinsicInst *> copies;
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction); call && isCopy(*call))
        copies.push_back(call);
    if (copies.empty())
      continue;
    CopyBytes bytes(function);
    for (llvm::IntrinsicInst *copy : copies) {
      fuseAddress(*copy);
      bytes.hoist(*copy);
    }
  }
}

} // namespace eft
