// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The regions of reductions and scans, which combine two elements.
#pragma once

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

namespace eft {

/// Returns the operation of a region that combines two elements of one value each, if the region
/// has no other operation but the yield of its result. Its operands are the region's arguments, in
/// their order if it is not commutative. Otherwise null.
inline mlir::Operation *onlyOperation(mlir::Block &combine) {
  if (combine.getNumArguments() != 2 || !llvm::hasNItems(combine, 2))
    return nullptr;
  mlir::Operation &op = combine.front();
  llvm::SmallVector<mlir::Value, 2> arguments(combine.getArguments());
  const bool isSwapped = op.getNumOperands() == 2 && op.getOperand(0) == arguments.back();
  if (isSwapped && op.hasTrait<mlir::OpTrait::IsCommutative>())
    std::swap(arguments.front(), arguments.back());
  const bool isYielded = combine.back().getOperand(0).getDefiningOp() == &op;
  return isYielded && llvm::equal(op.getOperands(), arguments) ? &op : nullptr;
}

} // namespace eft
