// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products on a GPU's tensor cores.
#pragma once

#include "compiler/ir/EftDialect.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace eft {

/// Gives a fragment of a factor, by its number, where it is first used.
using FactorFragment = llvm::function_ref<mlir::Value(unsigned fragment)>;

/// What a thread holds of the product, from what it holds of the operands: one `mma.sync` for each
/// tile. Nothing, with a diagnostic, if the operands are not in the layouts of MatrixLayouts.h.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
multiplyOnTensorCores(mlir::ImplicitLocOpBuilder &b, DotOp dot, FactorFragment a,
                      FactorFragment other, llvm::ArrayRef<mlir::Value> acc);

} // namespace eft
