// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For what it wants to know of a loop, LLVM's analysis of counters asks each condition on the way
// to the loop. The conditions of all loops before it are among these, since each was left by one.
// So the time of a kernel with N loops in a row would grow with N².
//
// The analysis looks back as far as one way leads to a basic block. So after some conditions in a
// row, the code is cut.
#include "compiler/codegen/Codegen.h"
#include "compiler/codegen/Cuts.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"

namespace eft {

namespace {

/// Conditions of a part.
constexpr unsigned partLength = 16;

/// A function of fewer basic blocks than these is short.
constexpr size_t shortFunction = 128;

/// The block over which each way leads to another one, as far as LLVM's analysis looks: its only
/// predecessor, or that of its loop, wherever in the loop it is.
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
    } else if (count >= partLength) { // in the loop, code would run in each iteration
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
