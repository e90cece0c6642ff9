// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The matrix products of a loop that warpgroups begin, and the operations that the loop can run
// while the products are under way.
#pragma once

#include "compiler/lowering/pipelining/LoopOperands.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace eft {

class LoopProducts {
public:
  LoopProducts(mlir::scf::ForOp loop, const LoopOperands &operands);

  /// The products that warpgroups begin: those whose second factors are copied to shared memory.
  llvm::ArrayRef<DotOp> all() const { return products; }

  /// The operands of these products that threads rewrite before an iteration's products begin.
  /// Threads rewrite operands only if all products of the previous iteration can be under way
  /// meanwhile. Otherwise this list is empty, and `all` has no product whose second factor must be
  /// rewritten.
  llvm::ArrayRef<const LoopOperand *> rewritten() const { return rewrittenOperands.getArrayRef(); }
  /// The sum of the bytes of one slot for each operand in `rewritten`.
  uint64_t rewrittenBytes() const;

  /// True if the factor is in a slot of shared memory when the products of an iteration begin.
  bool isInSlot(mlir::OpOperand &factor) const;

  /// True if every product may still be under way when the next iteration begins. Such a product
  /// only adds to a value that the loop carries, and its first factor is not in registers that the
  /// next iteration writes.
  bool canOverlapIterations() const;

  /// True if the loop has a third part: late products, which run one iteration later than the
  /// products in `beginAtOnce`. While they are under way, the next iteration's products in
  /// `beginAtOnce` run, and the operations that use the results of `beginAtOnce`. Nothing else in
  /// the loop reads the accumulators of the late products. In attention, the late product is the
  /// product with V: the next exponentials are computed while it is under way.
  bool haveThirdPart() const { return !late.empty() && !atOnce.empty(); }
  /// True if the operation runs with the late products, one iteration later. It computes an
  /// accumulator of a late product from that accumulator, or an operand of a late product from
  /// other values of the iteration.
  bool isLate(mlir::Operation *op) const { return late.contains(op); }
  /// The arguments of the loop's body that are the late products' accumulators.
  llvm::ArrayRef<mlir::BlockArgument> lateAccumulators() const { return accumulators; }
  /// The late operations that convert first factors to a narrower type. The products read the
  /// results from registers.
  llvm::ArrayRef<mlir::Operation *> lateConversions() const { return conversions; }
  /// The products, other than late ones, that can begin as soon as their copies have arrived:
  /// before the late products begin.
  llvm::ArrayRef<DotOp> beginAtOnce() const { return atOnce; }

  /// An estimate of the registers that a thread needs for the loop's products and the other values
  /// of the loop. `keepsFirstFactors` says whether first factors from before the loop are in
  /// registers; otherwise they are in shared memory. `hasLate` says whether the late products are a
  /// third part.
  int64_t registers(bool keepsFirstFactors, bool hasLate) const;
  /// True if the product's first factor is computed before the loop. During the loop it is in
  /// registers or in shared memory, as the plan says (`PipelinePlan::keepsFirstFactors`).
  bool hasFirstFactorFromBefore(DotOp dot) const;

private:
  bool overlapsIterations(DotOp dot) const;
  bool beginsAtOnce(DotOp dot) const;
  void addLate(mlir::BlockArgument accumulator);
  /// The operation of the loop's body that makes the product's first factor, if it converts a
  /// 32-bit element type to a narrower type, and the product alone uses it; else null.
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
