// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products on a GPU's tensor cores that would need too many instructions if they were unrolled.
#pragma once

#include "compiler/ir/EftDialect.h"
#include "compiler/lowering/gpu/FactorParts.h"

namespace eft {

/// True if a product has so many instructions that it must be a loop over parts of k.
bool isLargeProduct(DotOp dot);

/// Computes a thread's fragments of the product from its fragments of the operands. The factors may
/// have any layouts. Fails with a diagnostic in the same cases as `layoutsOfFactors`.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
multiplyPartByPart(mlir::ImplicitLocOpBuilder &b, SharedMemory &memory, DotOp dot,
                   const FactorFragments (&factors)[2], llvm::ArrayRef<mlir::Value> acc);

} // namespace eft
