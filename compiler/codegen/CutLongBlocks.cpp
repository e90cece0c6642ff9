// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's code generator takes a basic block at a time, and some of what it does looks at all of the
// block for each instruction of it: whether a load can be folded into its user, or where in the
// block a value is best spilled. A kernel whose loop is unrolled a hundred times is one basic block
// of 100,000 instructions, and would take minutes.
//
// So a long block is cut into parts. The code generator would join parts of which one always
// follows the other, so each ends in a branch on a condition that it can't know: an empty piece of
// inline assembly gives a zero. Between two such branches stand hundreds of vector instructions, so
// that they cost nothing.
#include "compiler/codegen/Codegen.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace eft {

namespace {

/// Instructions of a part.
constexpr unsigned partLength = 256;

/// Cuts what follows the first part off, and gives it; null if there is only one part, or the rest
/// would be short.
llvm::BasicBlock *cutPart(llvm::BasicBlock &block, llvm::BasicBlock *&never) {
  auto last = block.getFirstNonPHIIt(), ahead = last;
  for (unsigned length = 0; length < partLength + partLength / 4; ++length) {
    if (length < partLength)
      ++last;
    if (++ahead == block.end())
      return nullptr;
  }
  llvm::Function &function = *block.getParent();
  if (!never) {
    never = llvm::BasicBlock::Create(function.getContext(), "never", &function);
    new llvm::UnreachableInst(function.getContext(), never);
  }
  llvm::BasicBlock *rest = block.splitBasicBlock(last);
  llvm::Instruction *jump = block.getTerminator();
  llvm::IRBuilder<> builder(jump);
  auto *type = llvm::FunctionType::get(builder.getInt8Ty(), {builder.getInt8Ty()}, false);
  auto *hide = llvm::InlineAsm::get(type, "", "=r,0", /*hasSideEffects=*/false);
  llvm::Value *hidden = builder.CreateCall(hide, builder.getInt8(0));
  builder.CreateCondBr(builder.CreateIsNull(hidden), rest, never);
  jump->eraseFromParent();
  return rest;
}

} // namespace

void cutLongBlocks(llvm::Module &module) {
  for (llvm::Function &function : module) {
    llvm::BasicBlock *never = nullptr;
    for (llvm::BasicBlock &start : llvm::make_early_inc_range(function))
      for (llvm::BasicBlock *block = &start; block;)
        block = cutPart(*block, never);
  }
}

} // namespace eft
