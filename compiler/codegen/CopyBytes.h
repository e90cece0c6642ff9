// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of bytes of asynchronous copies, for few registers and instructions.
//
// A copy reads its bytes if some conditions hold, and else none: those of its row, which a loop
// does not change, and those of the loop's step. There are too few registers for conditions to keep
// those of the rows, so that each would be computed anew in each iteration. As a number of bytes, a
// row's condition stays in a common register, and one `and` combines it with that of the step.
//
// Where a step's condition compares a row's number with a bound, as the masks along the inner
// dimension of a product do, the other conditions of the step move the bound: where they do not
// hold, it becomes the least number, and no row is below it. So each copy takes one comparison.
#ifndef EFT_COMPILER_CODEGEN_COPYBYTES_H
#define EFT_COMPILER_CODEGEN_COPYBYTES_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

#include <map>
#include <tuple>
#include <vector>

namespace eft {

/// The bytes of the copies of one function.
class CopyBytes {
public:
  CopyBytes(const llvm::LoopInfo &loops, const llvm::DominatorTree &dominators)
      : loops(loops), dominators(dominators) {}

  /// Simplifies the given operand of a copy, its number of bytes, in the loop around it.
  void simplify(llvm::CallInst &copy, unsigned bytesOperand);

private:
  /// Conditions, each with the value that is needed.
  using Conditions = std::vector<std::pair<llvm::Value *, bool>>;

  llvm::Value *all(llvm::IRBuilder<> &builder, const Conditions &conditions);
  bool moveBound(const llvm::Loop &loop, llvm::IRBuilder<> &outside, llvm::IRBuilder<> &inside,
                 Conditions &conditions);

  const llvm::LoopInfo &loops;
  const llvm::DominatorTree &dominators;
  std::map<std::pair<llvm::BasicBlock *, Conditions>, llvm::Value *> known;
  /// The values that were moved or made safe, by what they were made of.
  std::map<std::tuple<llvm::Value *, llvm::Value *, llvm::Value *>, llvm::Value *> bounds;
  std::map<std::pair<llvm::BasicBlock *, llvm::Value *>, llvm::Value *> rows;
};

} // namespace eft

#endif
