// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that threads of a GPU do together. LLVM may not move one to where fewer threads come
// by, nor make two of one: it does not, if the call is `convergent`.
//
// LLVM 19 knows this of barriers, votes and shuffles. It takes a matrix product and the load of its
// operands for arithmetic and for a load of each thread, and inline assembly for what its
// constraints say. All of these are marked here, where LLVM IR begins.
//
// Inline assembly without side effects stays as it is. It is a function of its operands, such as a
// conversion: whatever the threads do, each gets its own result. If it were marked, no loop would
// be rid of a conversion that does not change in it.
#include "compiler/codegen/Codegen.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"

namespace eft {
namespace {

bool needsMark(const llvm::CallBase &call) {
  if (auto *code = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand()))
    return code->hasSideEffects();
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee || !callee->isIntrinsic())
    return false;
  llvm::StringRef name = callee->getName();
  return name.starts_with("llvm.nvvm.mma.") || name.starts_with("llvm.nvvm.ldmatrix.");
}

} // namespace

void markConvergent(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction); call && needsMark(*call))
        call->setConvergent();
}

} // namespace eft
