// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces code that NVIDIA's assembler, ptxas, compiles wrongly by code that it compiles
// correctly.
#include "compiler/codegen/Codegen.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

#include <cmath>

namespace eft {
namespace {

using namespace llvm::PatternMatch;

/// Returns a replacement for the negation or the absolute value of an i16; null for other
/// instructions. If the result of `neg.s16`, `sub.s16` from zero, or `abs.s16` is widened, ptxas
/// widens the operand first: -(-32768) and |-32768| become 32768, where 16 bits have only -32768.
/// An unsigned subtraction gives the same bits, and ptxas compiles it correctly. Seen in ptxas 12.x
/// and 13.0.
llvm::Value *exactSigned16(llvm::Instruction &instruction) {
  llvm::Value *operand = nullptr;
  bool isMagnitude = match(&instruction, m_Intrinsic<llvm::Intrinsic::abs>(m_Value(operand)));
  llvm::IRBuilder<> builder(&instruction);
  llvm::Type *i16 = builder.getInt16Ty();
  if (instruction.getType() != i16 ||
      !(isMagnitude || match(&instruction, m_Neg(m_Value(operand)))))
    return nullptr;
  auto *negate = llvm::InlineAsm::get(llvm::FunctionType::get(i16, {i16}, false),
                                      "sub.u16 $0, 0, $1;", "=h,h", /*hasSideEffects=*/false);
  llvm::Value *negated = builder.CreateCall(negate, {operand});
  return isMagnitude ? builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, operand, negated)
                     : negated;
}

/// Returns a replacement for the conversion of an unsigned number to a float, if the number may be
/// a negative one of at most 16 bits that was sign-extended; null for other instructions. If such a
/// number comes from `bfe.s32` of 8 or 16 bits, ptxas converts these bits by one instruction, and
/// as a signed number: -2 for 4294967294. The replacement converts the number as a signed one, and
/// adds 2^32 or 2^64 if it is negative. Both steps together round once. Seen in ptxas 13.0.
llvm::Value *exactUnsignedToFloat(llvm::Instruction &instruction) {
  auto *conversion = llvm::dyn_cast<llvm::UIToFPInst>(&instruction);
  if (!conversion)
    return nullptr;
  llvm::Value *number = conversion->getOperand(0);
  match(number, m_ZExt(m_Value(number)));
  const llvm::DataLayout &layout = instruction.getModule()->getDataLayout();
  unsigned bits = number->getType()->getScalarSizeInBits();
  if (bits < 32 || llvm::ComputeNumSignBits(number, layout) + 15 < bits ||
      llvm::isKnownNonNegative(number, layout))
    return nullptr;
  llvm::IRBuilder<> builder(&instruction);
  llvm::Value *zero = llvm::Constant::getNullValue(number->getType());
  llvm::Value *isNegative = builder.CreateICmpSLT(number, zero);
  llvm::Value *converted = builder.CreateSIToFP(number, instruction.getType());
  llvm::Value *wrapped = builder.CreateFAdd(
      converted, llvm::ConstantFP::get(instruction.getType(), std::ldexp(1.0, int(bits))));
  return builder.CreateSelect(isNegative, wrapped, converted);
}

} // namespace

void avoidPtxasErrors(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      llvm::Value *result = exactSigned16(instruction);
      if (!result)
        result = exactUnsignedToFloat(instruction);
      if (!result)
        continue;
      instruction.replaceAllUsesWith(result);
      instruction.eraseFromParent();
    }
}

} // namespace eft
