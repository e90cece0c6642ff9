// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products on a GPU's tensor cores.
#pragma once

#include "compiler/ir/EftDialect.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// What a thread holds of the product, from what it holds of the operands: one `mma.sync` for each
/// tile. Nothing, with a diagnostic, if the operands are not in the layouts of MatrixLayouts.h.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
multiplyOnTensorCores(mlir::ImplicitLocOpBuilder &b, DotOp dot, llvm::ArrayRef<mlir::Value> a,
                      llvm::ArrayRef<mlir::Value> other, llvm::ArrayRef<mlir::Value> acc);

} // namespace eft
