// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Negation of 16-bit integers, in a form that NVIDIA's assembler keeps to.
//
// For `neg.s16` and `sub.s16` from zero, whose result is widened, ptxas (seen in 12.x) negates the
// widened operand instead: -(-32768) becomes 32768, where 16 bits have only -32768. Subtracting as
// unsigned numbers gives the same bits, and it leaves that alone.
#include "compiler/codegen/Codegen.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

namespace eft {

void negateAsUnsigned(llvm::Module &module) {
  llvm::Type *i16 = llvm::Type::getInt16Ty(module.getContext());
  auto *negate = llvm::InlineAsm::get(llvm::FunctionType::get(i16, {i16}, false),
                                      "sub.u16 $0, 0, $1;", "=h,h", /*hasSideEffects=*/false);
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      llvm::Value *operand = nullptr;
      if (instruction.getType() != i16 ||
          !llvm::PatternMatch::match(
              &instruction, llvm::PatternMatch::m_Neg(llvm::PatternMatch::m_Value(operand))))
        continue;
      llvm::IRBuilder<> builder(&instruction);
      instruction.replaceAllUsesWith(builder.CreateCall(negate, {operand}));
      instruction.eraseFromParent();
    }
}

} // namespace eft
