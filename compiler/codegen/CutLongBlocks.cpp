// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's code generator works on one basic block at a time. For each instruction, some of its steps
// scan the whole basic block: they check whether a load can be folded into its user, or where a
// value is best spilled. A kernel whose loop is unrolled a hundred times is one basic block of
// 100,000 instructions, and would take minutes.
//
// So a long block is cut into parts. Each part has hundreds of instructions, most of them on
// vectors. Compared with these, a cut costs nothing.
#include "compiler/codegen/Codegen.h"
#include "compiler/codegen/Cuts.h"

#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace eft {

/// The number of instructions in a part.
static constexpr unsigned partLength = 256;

/// The weight of an instruction in the length of a part. A gather or scatter weighs as much as the
/// accesses to its elements, which the code generator makes of it if the CPU can do no better. A
/// CPU that can gains nothing from longer parts.
static unsigned lengthOf(const llvm::Instruction &instruction) {
  const auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!call)
    return 1;
  switch (call->getIntrinsicID()) {
  case llvm::Intrinsic::masked_gather:
    return llvm::cast<llvm::FixedVectorType>(call->getType())->getNumElements();
  case llvm::Intrinsic::masked_scatter:
    return llvm::cast<llvm::FixedVectorType>(call->getArgOperand(0)->getType())->getNumElements();
  default:
    return 1;
  }
}

/// Cuts the block after its first part, and returns the rest. If the rest would have at most a
/// quarter of a part's length, cuts nothing and returns null.
static llvm::BasicBlock *cutPart(llvm::BasicBlock &block) {
  auto end = block.getFirstNonPHIIt();
  for (unsigned length = 0; length < partLength; ++end) {
    if (end == block.end())
      return nullptr;
    length += lengthOf(*end);
  }
  auto ahead = end;
  for (unsigned rest = 0; rest <= partLength / 4; ++ahead) {
    if (ahead == block.end())
      return nullptr;
    rest += lengthOf(*ahead);
  }
  return cutBefore(*end);
}

void cutLongBlocks(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &start : llvm::make_early_inc_range(function))
      for (llvm::BasicBlock *block = &start; block;)
        block = cutPart(*block);
}

} // namespace eft
