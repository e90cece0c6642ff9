// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's code generator takes a basic block at a time, and some of what it does looks at all of the
// block for each instruction of it: whether a load can be folded into its user, or where in the
// block a value is best spilled. A kernel whose loop is unrolled a hundred times is one basic block
// of 100,000 instructions, and would take minutes.
//
// So a long block is cut into parts. Between two cuts stand hundreds of vector instructions, so
// that they cost nothing.
#include "compiler/codegen/Codegen.h"
#include "compiler/codegen/Cuts.h"

#include "llvm/IR/Module.h"

namespace eft {

/// Instructions of a part.
static constexpr unsigned partLength = 256;

/// Cuts what follows the first part off, and gives it; null if there is only one part, or the rest
/// would be short.
static llvm::BasicBlock *cutPart(llvm::BasicBlock &block) {
  auto last = block.getFirstNonPHIIt(), ahead = last;
  for (unsigned length = 0; length < partLength + partLength / 4; ++length) {
    if (length < partLength)
      ++last;
    if (++ahead == block.end())
      return nullptr;
  }
  return cutBefore(*last);
}

void cutLongBlocks(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &start : llvm::make_early_inc_range(function))
      for (llvm::BasicBlock *block = &start; block;)
        block = cutPart(*block);
}

} // namespace eft
