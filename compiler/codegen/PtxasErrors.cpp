// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forms of code that NVIDIA's assembler compiles correctly, for those that it does not.
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

/// Of `neg.s16`, `sub.s16` from zero and `abs.s16`, whose results are widened, it widens the
/// operand first: -(-32768) and |-32768| become 32768, where 16 bits have only -32768. Subtracting
/// as unsigned numbers gives the same bits, and it leaves that alone. Seen in ptxas 12.x and 13.0.
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

/// Of `bfe.s32` of 8 or 16 bits, whose result becomes a float as an unsigned number, it makes one
/// conversion of these bits, and a signed one: -2 for 4294967294. So what has so few bits is
/// converted as a signed number here, and where that is negative 2^32 is added, or 2^64: together
/// they round once. Seen in ptxas 13.0.
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
