// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products on a GPU's tensor cores.
#pragma once

#include "compiler/ir/EftDialect.h"
#include "compiler/layout/MatrixLayouts.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace eft {

/// Packs elements side by side in words of 32 bits; returns elements of 32 or more bits as they
/// are.
llvm::SmallVector<mlir::Value> packWords(mlir::ImplicitLocOpBuilder &b,
                                         llvm::ArrayRef<mlir::Value> elements);

/// The name of an 8-bit float format in PTX; empty if PTX does not have the format.
llvm::StringRef ptxName(Float8 format);

/// A function that returns a fragment of a factor by its number. It is called where the fragment is
/// first used.
using FactorFragment = llvm::function_ref<mlir::Value(unsigned fragment)>;

/// The layouts of the factors of a product, or of a part of them with `k` elements along k. Fails
/// with a diagnostic if the operands are not in the layouts of MatrixLayouts.h, or if the
/// instructions do not support their types.
mlir::FailureOr<FactorLayouts> layoutsOfFactors(DotOp dot, int64_t k);

/// Computes a thread's fragments of the product from its fragments of the operands, by one
/// `mma.sync` (three with the precision tf32x3) for each pair of an accumulator tile and a step
/// along k. The factors have `k` elements along k.
llvm::SmallVector<mlir::Value> multiplyTiles(mlir::ImplicitLocOpBuilder &b, DotOp dot,
                                             const FactorLayouts &layouts, int64_t k,
                                             FactorFragment a, FactorFragment other,
                                             llvm::ArrayRef<mlir::Value> acc);

} // namespace eft
