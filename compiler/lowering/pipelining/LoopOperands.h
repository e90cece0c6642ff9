// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operands of a loop's matrix products that copies can bring to shared memory, and what must be
// computed ahead for that.
//
// Factors of warpgroups whose neighbours form no run that a copy can move go through registers, if
// there are enough: they wait for memory while a product is under way.
//
// Beside them, copies bring blocks of which several threads need each element, such as a number for
// each column of a product's result: each thread would load it from memory, and wait for it.
#pragma once

#include "compiler/ir/EftDialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace eft {

/// A block that a loop loads and that copies can bring to shared memory, and its place there.
struct LoopOperand {
  LoadOp load;
  SharedType slots;   // with one slot
  bool feedsProducts; // it is only used by products, directly or through conversions
};

class LoopOperands {
public:
  /// Finds the operands. There are none if the loop writes memory, or no product has one.
  explicit LoopOperands(mlir::scf::ForOp loop);

  llvm::ArrayRef<LoopOperand> all() const { return operands; }
  /// The operand of the loop that a product uses here; null if it uses none.
  const LoopOperand *of(mlir::OpOperand &use) const;
  /// Whether that operand is transposed between its conversion and the product.
  bool isTransposed(mlir::OpOperand &use) const;
  /// Operations of the loop's body that compute the addresses and masks of the operands, and
  /// arguments that the loop carries for them.
  bool computesAddress(mlir::Operation *op) const { return slice.ops.contains(op); }
  llvm::ArrayRef<mlir::BlockArgument> carried() const { return slice.carried.getArrayRef(); }

  /// The registers in which a thread has the elements, and their addresses, that copies can't move
  /// by the word: it loads them while other products are under way.
  int64_t registersForElements() const;
  /// The bytes of one slot for each operand.
  uint64_t slotBytes() const;

private:
  struct Slice {
    llvm::SetVector<mlir::Operation *> ops;
    llvm::SetVector<mlir::BlockArgument> carried;
  };

  bool hasRegistersForShortRuns();
  void addFactor(LoadOp load, int64_t minBytes);
  void addShared(LoadOp load);
  bool add(LoadOp load, SharedType slots, bool feedsProducts);
  bool extend(Slice &slice, mlir::Value value);

  mlir::scf::ForOp loop;
  llvm::SmallVector<LoopOperand> operands;
  /// The index in `operands` of what a product uses.
  llvm::DenseMap<mlir::OpOperand *, unsigned> numbers;
  Slice slice;
};

} // namespace eft
