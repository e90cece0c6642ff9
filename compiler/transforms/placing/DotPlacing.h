// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In which layouts a GPU multiplies matrices. A CPU takes any.
#pragma once

#include "compiler/ir/EftDialect.h"

namespace eft {

/// The layout of the product's accumulator and result.
LayoutAttr dotAccumulator(DotOp dot, int64_t numWarps);

/// The layout of the operand for a product in this layout; null for a factor that may lie as it
/// comes.
LayoutAttr dotOperand(mlir::OpOperand &operand, LayoutAttr product);

} // namespace eft
