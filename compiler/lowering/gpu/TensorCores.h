// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products on a GPU's tensor cores.
#pragma once

#include "compiler/ir/EftDialect.h"
#include "compiler/layout/MatrixLayouts.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace eft {

/// Packs elements side by side in words of 32 bits; returns them as they are if they fill words.
llvm::SmallVector<mlir::Value> packWords(mlir::ImplicitLocOpBuilder &b,
                                         llvm::ArrayRef<mlir::Value> elements);

/// The name of a format in PTX; empty if PTX has none.
llvm::StringRef ptxName(Float8 format);

/// Returns a fragment of a factor by its number. It is called where the fragment is first used.
using FactorFragment = llvm::function_ref<mlir::Value(unsigned fragment)>;

/// The layouts of the factors of a product, or of `k` elements of them along k. Fails, with a
/// diagnostic, if the operands are not in the layouts of MatrixLayouts.h, or of types that the
/// instructions do not have.
mlir::FailureOr<FactorLayouts> layoutsOfFactors(DotOp dot, int64_t k);

/// Computes a thread's fragments of the product from its fragments of the operands, by one
/// `mma.sync` for each tile of the instruction. The factors have `k` elements along k.
llvm::SmallVector<mlir::Value> multiplyTiles(mlir::ImplicitLocOpBuilder &b, DotOp dot,
                                             const FactorLayouts &layouts, int64_t k,
                                             FactorFragment a, FactorFragment other,
                                             llvm::ArrayRef<mlir::Value> acc);

} // namespace eft
