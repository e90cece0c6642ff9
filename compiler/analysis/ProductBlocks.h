// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks that are computed element by element from the results of matrix products: by arithmetic,
// comparisons, selections and conversions, as accumulators of further products, and as values that
// loops and conditionals carry. Attention's scores are such a block, and so are their exponentials.
//
// They need not leave the places where the tensor cores have put them. So reductions of them have
// an order of their own (compiler/layout/ReductionOrder.h), and the products whose rows are worked
// on have the warps below each other.
#pragma once

#include "compiler/ir/EftDialect.h"

#include "llvm/ADT/DenseSet.h"

namespace eft {

class ProductBlocks {
public:
  /// Looks at everything inside the operation.
  explicit ProductBlocks(mlir::Operation *top);

  /// The product, the first if there are several, from which a source of the reduction is computed
  /// element by element; null if there is none. The source of a reduction that is free of order may
  /// have been reshaped since.
  DotOp productBehind(ReduceOp reduce) const { return behind.lookup(reduce); }

  /// True if what is computed from the product is reduced along an axis, or is the first factor of
  /// another product, or if its own first factor is computed from a product.
  bool isUsedByRows(DotOp dot) const { return byRows.contains(dot); }

private:
  llvm::DenseMap<mlir::Operation *, DotOp> behind;
  llvm::DenseSet<mlir::Operation *> byRows;
};

} // namespace eft
