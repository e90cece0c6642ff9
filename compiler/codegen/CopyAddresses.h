// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses of asynchronous copies, in a form that costs little between products of tensor cores.
//
// While the tensor cores work, they read and write registers by the ports of the multipliers: so an
// IMAD.WIDE, which ptxas makes of a product of 64 bits and a sum, waits for them, and so do the
// moves and carries of a sum of 64 bits that a loop carries for each copy. The two as one
// `mad.wide` become LEA, which passes by other ports.
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
/// An address is a sum: the array's, the thread's index in it, and the way that a loop has made. It
/// is computed in an order in which most of the sum is the same for all copies of a block, so that
/// a thread keeps 32 bits for each copy, and adds them by one instruction.
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

  /// Rewrites the given operand of each copy, its address. The copies are in the order of the code.
  void fuse(llvm::ArrayRef<llvm::CallInst *> copies, unsigned operand);

private:
  llvm::Value *sum(const Terms &terms, llvm::IRBuilder<> &builder);

  const llvm::LoopInfo &loops;
  const llvm::DominatorTree &dominators;
  std::map<std::pair<llvm::BasicBlock *, Terms>, llvm::Value *> known;
};

} // namespace eft

#endif
