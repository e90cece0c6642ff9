// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds blocks of products: blocks that are computed element by element from the results of matrix
// products. They are computed by arithmetic, comparisons, selections and conversions. Loops and
// conditionals may carry them, and further products may take them as accumulators. Attention's
// scores are such a block, and so are their exponentials.
//
// Such a block can stay in the places where the tensor cores leave the product. So its reductions
// have an order of their own (compiler/layout/ReductionOrder.h). And if the rows of a product are
// reduced or multiplied further, the product's layout has the warps below each other, so that each
// row lies in one warp.
#pragma once

#include "compiler/ir/EftDialect.h"

#include "llvm/ADT/DenseSet.h"

namespace eft {

class ProductBlocks {
public:
  /// Analyses everything inside the operation.
  explicit ProductBlocks(mlir::Operation *top);

  /// Returns the product from which a source of the reduction is computed element by element: the
  /// first one if there are several, null if there is none. If the reduction is free of order, the
  /// source may have been reshaped after that computation.
  DotOp productBehind(ReduceOp reduce) const { return behind.lookup(reduce); }

  /// True if one of these holds: a block that is computed from the product is reduced, such a block
  /// is the first factor of another product, or the product's own first factor is computed from a
  /// product.
  bool isUsedByRows(DotOp dot) const { return byRows.contains(dot); }

private:
  llvm::DenseMap<mlir::Operation *, DotOp> behind;
  llvm::DenseSet<mlir::Operation *> byRows;
};

} // namespace eft
