// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layouts of matrix products on a GPU. A CPU can multiply matrices in any layout.
#pragma once

#include "compiler/analysis/DefaultLayouts.h"

namespace eft {

/// Returns the layout of the product's accumulator and result. `byRows` says whether the product is
/// used by rows (see ProductBlocks.h). Each row then lies inside one warp, unless there are too few
/// rows for all warps (see accumulatorLayoutByRows in MatrixLayouts.h).
LayoutAttr dotAccumulator(DotOp dot, bool byRows, const PlacementTarget &target);

/// Returns true if warpgroups of the target are to compute the product.
bool isForWarpgroups(DotOp dot, const PlacementTarget &target);

/// Returns the layout of an operand of a product whose result has the layout `product`; null for a
/// factor that may have any layout.
LayoutAttr dotOperand(mlir::OpOperand &operand, LayoutAttr product);

} // namespace eft
