// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// To learn about a loop, LLVM's analysis of counters examines each condition on the way to the
// loop. Every earlier loop is left by a condition, and all these conditions are on the way. So the
// time for a kernel with N loops in a row would grow with N².
//
// The analysis looks back as long as a single path leads to a basic block. A cut makes two paths.
// So the code is cut after every 16 conditions in a row.
#include "compiler/codegen/Codegen.h"
#include "compiler/codegen/Cuts.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"

namespace eft {

namespace {

/// The number of conditions between two cuts.
constexpr unsigned partLength = 16;

/// A function with fewer basic blocks than this is short, and is not cut.
constexpr size_t shortFunction = 128;

/// The block to which LLVM's analysis goes on from `block`, on its way back. It is the block's only
/// predecessor. If there are several, it is the block before the loop around `block`; null if
/// `block` is in no such loop.
llvm::BasicBlock *blockBefore(llvm::BasicBlock &block, const llvm::LoopInfo &loops) {
  if (llvm::BasicBlock *only = block.getSinglePredecessor())
    return only;
  const llvm::Loop *loop = loops.getLoopFor(&block);
  return loop ? loop->getLoopPredecessor() : nullptr;
}

void cutChains(llvm::Function &function) {
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  llvm::DenseMap<llvm::BasicBlock *, unsigned> conditions;
  llvm::SmallVector<llvm::Instruction *> cuts;
  for (llvm::BasicBlock *block : llvm::ReversePostOrderTraversal(&function)) {
    llvm::BasicBlock *before = blockBefore(*block, loops);
    unsigned count =
        before ? conditions[before] + (before->getTerminator()->getNumSuccessors() > 1) : 0;
    if (count >= partLength && block->getSinglePredecessor()) {
      cuts.push_back(&*block->getFirstNonPHIOrDbgOrAlloca());
      count = 0;
    } else if (count >= partLength) { // a cut in the loop would run in each iteration
      cuts.push_back(before->getTerminator());
      count = conditions[before] = 0;
    }
    conditions[block] = count;
  }
  for (llvm::Instruction *instruction : cuts)
    cutBefore(*instruction);
}

} // namespace

void cutLongChains(llvm::Module &module) {
  for (llvm::Function &function : module)
    if (function.size() >= shortFunction)
      cutChains(function);
}

} // namespace eft
