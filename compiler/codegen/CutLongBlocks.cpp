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

#include "llvm/IR/Module.h"

namespace eft {

/// The number of instructions in a part.
static constexpr unsigned partLength = 256;

/// Cuts the block after its first part, and returns the rest. If the rest would have at most a
/// quarter of a part's length, cuts nothing and returns null.
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
