// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operands of a loop's matrix products that copies can bring to shared memory, and what must be
// computed ahead for that.
#pragma once

#include "compiler/ir/EftDialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace eft {

/// An operand of a product that a loop loads, and its place in shared memory.
struct LoopOperand {
  LoadOp load;
  ConvertLayoutOp convert;
  bool isTransposed; // between the conversion and the product
  DotOp dot;
  SharedType slots; // with one slot
};

class LoopOperands {
public:
  /// Finds the operands. There are none if the loop writes memory.
  explicit LoopOperands(mlir::scf::ForOp loop);

  llvm::ArrayRef<LoopOperand> all() const { return operands; }
  /// The operand of the loop that is loaded for this use by a product; null if it is not.
  const LoopOperand *of(mlir::OpOperand &use) const;
  /// Operations of the loop's body that compute the addresses and masks of the operands, and
  /// arguments that the loop carries for them.
  bool computesAddress(mlir::Operation *op) const { return slice.ops.contains(op); }
  llvm::ArrayRef<mlir::BlockArgument> carried() const { return slice.carried.getArrayRef(); }

  /// The bytes of one slot for each operand.
  uint64_t slotBytes() const;

private:
  struct Slice {
    llvm::SetVector<mlir::Operation *> ops;
    llvm::SetVector<mlir::BlockArgument> carried;
  };

  void add(DotOp dot, mlir::OpOperand &use);
  bool extend(Slice &slice, mlir::Value value);

  mlir::scf::ForOp loop;
  llvm::SmallVector<LoopOperand> operands;
  llvm::DenseMap<mlir::OpOperand *, unsigned> numbers;
  Slice slice;
};

} // namespace eft
