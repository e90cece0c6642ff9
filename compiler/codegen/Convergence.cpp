// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Marks convergent operations, which threads of a GPU execute together. LLVM may not make a
// convergent operation depend on a further condition, because fewer threads might then reach the
// operation. The attribute `convergent` on the call forbids that.
//
// LLVM 19 knows that barriers, votes, shuffles and `redux.sync` are convergent. But it treats a
// matrix product as arithmetic, the load of a product's operands (`ldmatrix`) as a load by a single
// thread, and inline assembly as a computation by a single thread. The calls of these three kinds
// are marked here, before LLVM's first optimization.
//
// The exception is inline assembly without side effects. It is a function of its operands, such as
// a conversion: each thread computes its own result, whatever the other threads do. If it were
// marked, LLVM could not move a conversion out of a loop in which it does not change.
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
