// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flow of values into and out of the regions of loops and conditionals.
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace eft {

/// Maps operands to the values that they become where control passes between an operation and its
/// regions. In `scf.for`, the initial values and those that the body yields become the carried
/// arguments and the results; in `scf.if`, the values that the branches yield become the results.
class RegionFlow {
public:
  /// Collects the flow of values for all operations inside `top`.
  explicit RegionFlow(mlir::Operation *top);

  /// The operands that may become the value, which is an argument of a region or a result of an
  /// operation with regions. Other values have none.
  llvm::ArrayRef<mlir::OpOperand *> sourcesOf(mlir::Value value) const;
  /// The values that the operand may become.
  llvm::ArrayRef<mlir::Value> targetsOf(mlir::OpOperand &operand) const;
  /// All values that have sources, in the order of the program.
  llvm::ArrayRef<mlir::Value> targets() const { return order; }

private:
  void add(mlir::OpOperand &source, mlir::Value target);

  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::OpOperand *, 2>> sources;
  llvm::DenseMap<mlir::OpOperand *, llvm::SmallVector<mlir::Value, 2>> reached;
  llvm::SmallVector<mlir::Value> order;
};

} // namespace eft
