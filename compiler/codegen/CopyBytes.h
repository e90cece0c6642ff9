// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The byte counts of asynchronous copies, in a form that takes few registers and instructions.
//
// A copy reads its bytes if all its conditions hold, and no bytes otherwise. Some conditions belong
// to the copy's row, and do not change in the loop. Others belong to the iteration. A GPU has too
// few registers for conditions (predicates) to keep the conditions of all rows, so each would be
// computed again in each iteration. As a byte count (the whole count or 0), a row's condition stays
// in an ordinary register. One `and` combines it with the condition of the iteration.
//
// A condition of the iteration may compare a row's number with a bound: masks along the inner
// dimension of a product do so. Then the other conditions of the iteration are moved into the
// bound. If one of the other conditions does not hold, the bound becomes a number that makes the
// comparison false for every row: for `<`, the least number. So each copy takes one comparison.
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

/// The byte counts of the copies of one function.
class CopyBytes {
public:
  CopyBytes(const llvm::LoopInfo &loops, const llvm::DominatorTree &dominators)
      : loops(loops), dominators(dominators) {}

  /// Simplifies the byte count of a copy in a loop, which is its operand number `bytesOperand`.
  void simplify(llvm::CallInst &copy, unsigned bytesOperand);

private:
  /// Conditions, each with the value (true or false) that it must have.
  using Conditions = std::vector<std::pair<llvm::Value *, bool>>;

  llvm::Value *all(llvm::IRBuilder<> &builder, const Conditions &conditions);
  bool moveBound(const llvm::Loop &loop, llvm::IRBuilder<> &outside, llvm::IRBuilder<> &inside,
                 Conditions &conditions);

  const llvm::LoopInfo &loops;
  const llvm::DominatorTree &dominators;
  std::map<std::pair<llvm::BasicBlock *, Conditions>, llvm::Value *> known;
  /// The bounds and rows that `moveBound` has made, by the values from which they were made.
  std::map<std::tuple<llvm::Value *, llvm::Value *, llvm::Value *>, llvm::Value *> bounds;
  std::map<std::pair<llvm::BasicBlock *, llvm::Value *>, llvm::Value *> rows;
};

} // namespace eft

#endif
