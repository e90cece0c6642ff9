// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts a long function of scalars and vectors into functions that are compiled separately.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace eft {

/// The lengths at which a block is cut into parts.
struct PartLimits {
  /// The most operations of a block. Operations nested in it count too.
  unsigned maxOperations;
  /// The fewest operations of a part for each value that is live at its end. To reach this ratio, a
  /// part may become longer than `maxOperations`, up to twice as long. If that does not suffice,
  /// the part is cut without regard to the ratio.
  unsigned operationsPerValue;
};

/// Moves runs of consecutive operations into functions of their own, until no block has many more
/// operations than the limit, counting nested ones. Returns the new functions; a function comes
/// after those that it calls. An array on the stack that only one part uses moves into that part. A
/// function with a stack array of computed size stays as it is.
mlir::SmallVector<mlir::func::FuncOp> outlineParts(mlir::func::FuncOp function, PartLimits limits);

} // namespace eft
