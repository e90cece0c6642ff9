// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/Cuts.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/Support/ModRef.h"

namespace eft {

/// Creates a call of an empty piece of inline assembly. It accesses no memory that LLVM knows, and
/// LLVM may neither remove it nor move it.
static llvm::Value *callNothing(llvm::IRBuilder<> &builder, llvm::Type *result,
                                llvm::ArrayRef<llvm::Value *> operands, llvm::StringRef places) {
  llvm::SmallVector<llvm::Type *> types;
  for (llvm::Value *operand : operands)
    types.push_back(operand->getType());
  auto *type = llvm::FunctionType::get(result, types, false);
  llvm::CallInst *call =
      builder.CreateCall(llvm::InlineAsm::get(type, "", places, /*hasSideEffects=*/true), operands);
  call->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
  call->setDoesNotThrow();
  return call;
}

llvm::BasicBlock *cutBefore(llvm::Instruction &instruction) {
  llvm::BasicBlock *first = instruction.getParent();
  llvm::BasicBlock *second = first->splitBasicBlock(&instruction);
  llvm::Instruction *jump = first->getTerminator();
  llvm::IRBuilder<> builder(jump);
  llvm::Type *byte = builder.getInt8Ty();
  llvm::Value *hidden = callNothing(builder, byte, {builder.getInt8(0)}, "=r,0");
  auto *detour =
      llvm::BasicBlock::Create(first->getContext(), "detour", first->getParent(), second);
  builder.CreateCondBr(builder.CreateIsNull(hidden), second, detour);
  jump->eraseFromParent();
  builder.SetInsertPoint(detour);
  callNothing(builder, builder.getVoidTy(), {}, "");
  builder.CreateBr(second);
  return second;
}

} // namespace eft
