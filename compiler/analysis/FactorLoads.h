// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the loads of a loop that load factors of its matrix products.
#pragma once

#include "compiler/ir/EftDialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace eft {

/// The attribute of loads for whose data the loop has prefetches of its own, so that their lowering
/// adds none.
inline constexpr llvm::StringLiteral prefetchedName = "eft.prefetched";

/// Returns the loads in the loop's body, in program order, from whose results factors of matrix
/// products in the body are computed by elementwise operations and element moves. Loads that must
/// read memory anew are left out.
llvm::SmallVector<LoadOp> factorLoads(mlir::scf::ForOp loop);

} // namespace eft
