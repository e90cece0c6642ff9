// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products on a GPU's tensor cores that would take too much code as a whole.
#pragma once

#include "compiler/ir/EftDialect.h"
#include "compiler/lowering/gpu/FactorParts.h"

namespace eft {

/// Whether the instructions of a product are so many that it should be a loop over parts of k.
bool isLargeProduct(DotOp dot);

/// Computes a thread's fragments of the product from its fragments of the operands. Those of the
/// factors may have any layouts. Fails, with a diagnostic, as `multiplyOnTensorCores` does.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
multiplyPartByPart(mlir::ImplicitLocOpBuilder &b, SharedMemory &memory, DotOp dot,
                   const FactorFragments (&factors)[2], llvm::ArrayRef<mlir::Value> acc);

} // namespace eft
