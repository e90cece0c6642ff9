// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The matrix products of a loop that warpgroups begin, and what may be computed meanwhile.
#pragma once

#include "compiler/lowering/pipelining/LoopOperands.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace eft {

class LoopProducts {
public:
  LoopProducts(mlir::scf::ForOp loop, const LoopOperands &operands);

  /// The products that warpgroups begin: copies bring their second factors.
  llvm::ArrayRef<DotOp> all() const { return products; }

  /// The operands of these products that threads rewrite before an iteration's products begin. They
  /// do if the previous iteration's products can all be under way meanwhile; else there are none
  /// here, and `all` has no product with such a second factor.
  llvm::ArrayRef<const LoopOperand *> rewritten() const { return rewrittenOperands.getArrayRef(); }
  /// The bytes of one slot for each of them.
  uint64_t rewrittenBytes() const;

  /// Whether a product finds the factor in a slot when the products of an iteration begin.
  bool isInSlot(mlir::OpOperand &factor) const;

  /// Whether each product may be under way when the next iteration begins: it only adds to a value
  /// that the loop carries, and its first factor does not come from registers that the next
  /// iteration writes.
  bool canOverlapIterations() const;

  /// Whether some products, the late ones, can be done one iteration later, while others are, and
  /// what follows from those: they are added to accumulators that nothing else in the loop reads.
  /// In attention, it is the product with V, beside which the next exponentials are computed.
  bool haveThirdPart() const { return !late.empty() && !atOnce.empty(); }
  /// Whether the operation belongs to such products: it makes an accumulator of an accumulator, or
  /// what the late products read of what the iteration has computed.
  bool isLate(mlir::Operation *op) const { return late.contains(op); }
  /// The arguments of the loop that are the late products' accumulators.
  llvm::ArrayRef<mlir::BlockArgument> lateAccumulators() const { return accumulators; }
  /// The late operations that narrow first factors, which the products then read from registers.
  llvm::ArrayRef<mlir::Operation *> lateConversions() const { return conversions; }
  /// The products that can begin as soon as their copies are there, for the late ones to follow.
  llvm::ArrayRef<DotOp> beginAtOnce() const { return atOnce; }

  /// About as many registers as a thread needs for the loop's products and what is around them: a
  /// lower bound, with first factors from before the loop in registers or in shared memory, and
  /// with late products or without.
  int64_t registers(bool keepsFirstFactors, bool hasLate) const;
  /// Whether the product's first factor comes from before the loop, in registers.
  bool hasFirstFactorFromBefore(DotOp dot) const;

private:
  bool overlapsIterations(DotOp dot) const;
  bool beginsAtOnce(DotOp dot) const;
  void addLate(mlir::BlockArgument accumulator);
  /// The operation of the body that narrows the product's first factor, and does nothing else; null
  /// if there is none.
  mlir::Operation *conversionFor(DotOp dot) const;
  void addWhatLateOnesUse();

  mutable mlir::scf::ForOp loop;
  const LoopOperands &operands;
  llvm::SetVector<const LoopOperand *> rewrittenOperands;
  llvm::SmallVector<DotOp> products, atOnce;
  llvm::DenseSet<mlir::Operation *> late;
  llvm::SmallVector<mlir::BlockArgument> accumulators;
  llvm::SmallVector<mlir::Operation *> conversions;
};

} // namespace eft
