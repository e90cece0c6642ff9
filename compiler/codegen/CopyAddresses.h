// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses of asynchronous copies, in a form that costs little between products of tensor cores.
//
// While the tensor cores work, they use the register ports of the multipliers. So two kinds of
// instructions must wait for the tensor cores. The first is IMAD.WIDE, which ptxas makes of a
// 64-bit product and a sum. The second are the moves and additions with carry of 64-bit sums; a
// loop that keeps such a sum for each copy has many of them. If product and sum are written as one
// `mad.wide`, ptxas makes an LEA, which uses other ports.
#ifndef EFT_COMPILER_CODEGEN_COPYADDRESSES_H
#define EFT_COMPILER_CODEGEN_COPYADDRESSES_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

#include <compare>
#include <map>
#include <vector>

namespace eft {

/// The addresses of the copies of one function.
///
/// An address is a sum of terms: the array's address, the thread's index in the array, and the
/// distance that the loop has advanced. The terms are added in an order in which most of the sum is
/// the same for all copies of a block. So a thread keeps only an index of 32 bits for each copy,
/// and adds it by one instruction.
class CopyAddresses {
public:
  /// value · 2^shift.
  struct Term {
    llvm::Value *value = nullptr;
    unsigned shift = 0;
    auto operator<=>(const Term &) const = default;
  };
  using Terms = std::vector<Term>;

  CopyAddresses(const llvm::LoopInfo &loops, const llvm::DominatorTree &dominators)
      : loops(loops), dominators(dominators) {}

  /// Rewrites the address of each copy, which is its operand number `operand`. The copies must be
  /// in program order.
  void fuse(llvm::ArrayRef<llvm::CallInst *> copies, unsigned operand);

private:
  llvm::Value *sum(const Terms &terms, llvm::IRBuilder<> &builder);

  const llvm::LoopInfo &loops;
  const llvm::DominatorTree &dominators;
  std::map<std::pair<llvm::BasicBlock *, Terms>, llvm::Value *> known;
};

} // namespace eft

#endif
