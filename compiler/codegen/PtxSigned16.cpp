// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Negation and magnitude of 16-bit integers, in a form that NVIDIA's assembler keeps to.
//
// For `neg.s16`, `sub.s16` from zero and `abs.s16`, whose results are widened, ptxas (seen in 12.x
// and 13.0) widens the operand first: -(-32768) and |-32768| become 32768, where 16 bits have only
// -32768. Subtracting as unsigned numbers gives the same bits, and it leaves that alone.
#include "compiler/codegen/Codegen.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

namespace eft {

void keepSigned16Exact(llvm::Module &module) {
  using namespace llvm::PatternMatch;
  llvm::Type *i16 = llvm::Type::getInt16Ty(module.getContext());
  auto *negate = llvm::InlineAsm::get(llvm::FunctionType::get(i16, {i16}, false),
                                      "sub.u16 $0, 0, $1;", "=h,h", /*hasSideEffects=*/false);
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      llvm::Value *operand = nullptr;
      bool isMagnitude = match(&instruction, m_Intrinsic<llvm::Intrinsic::abs>(m_Value(operand)));
      if (instruction.getType() != i16 ||
          !(isMagnitude || match(&instruction, m_Neg(m_Value(operand)))))
        continue;
      llvm::IRBuilder<> builder(&instruction);
      llvm::Value *result = builder.CreateCall(negate, {operand});
      if (isMagnitude)
        result = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, operand, result);
      instruction.replaceAllUsesWith(result);
      instruction.eraseFromParent();
    }
}

} // namespace eft
