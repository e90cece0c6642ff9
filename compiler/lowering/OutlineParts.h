// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts a long function of scalars and vectors into functions that are compiled one by one.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace eft {

/// The lengths at which a block is cut into parts.
struct PartLimits {
  /// The most operations of a block, with those nested in it.
  unsigned maxOperations;
  /// The least length of a part for each value that lives on behind it. A part may become twice as
  /// long for that.
  unsigned operationsPerValue;
};

/// Moves operations that follow each other into functions of their own, until no block has, with
/// all that is nested in it, many more than the limit. Gives the new functions; one that calls
/// another stands behind it. An array of the frame that one part alone uses moves there. A function
/// with an array of computed size stays as it is.
mlir::SmallVector<mlir::func::FuncOp> outlineParts(mlir::func::FuncOp function, PartLimits limits);

} // namespace eft
