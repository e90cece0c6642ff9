// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layouts in which a GPU multiplies matrices. A CPU multiplies in any layout.
#pragma once

#include "compiler/analysis/DefaultLayouts.h"

namespace eft {

/// The layout of the product's accumulator and result. If it is used `byRows` (ProductBlocks.h),
/// its warps lie below each other.
LayoutAttr dotAccumulator(DotOp dot, bool byRows, const PlacementTarget &target);

/// Whether warpgroups of the target are to compute the product.
bool isForWarpgroups(DotOp dot, const PlacementTarget &target);

/// The layout of the operand for a product in the layout `product`; null for a factor that may have
/// any layout.
LayoutAttr dotOperand(mlir::OpOperand &operand, LayoutAttr product);

} // namespace eft
