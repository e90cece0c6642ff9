// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loads of a loop that bring factors of its matrix products.
#pragma once

#include "compiler/ir/EftDialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace eft {

/// The attribute of loads for which the loop prefetches by itself.
inline constexpr llvm::StringLiteral prefetchedName = "eft.prefetched";

/// The loads of blocks in the loop's body, in its order, from which factors of products in the body
/// are computed: element by element, or by moving elements. Loads that must read memory anew are
/// left out.
llvm::SmallVector<LoadOp> factorLoads(mlir::scf::ForOp loop);

} // namespace eft
