// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of layouts where the elements are narrow.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace eft {

/// Moves each `eft.convert_layout` behind elementwise work that ends in narrower elements: what
/// changes threads is then half of it, or less. A product of matrices, for example, is converted
/// when it has been rounded to its type in memory. That work may be done on the halves of a block
/// that is split, and with blocks that repeat one number for each row: these are converted before
/// they are repeated.
void narrowConversions(mlir::func::FuncOp function);

} // namespace eft
