// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products on a GPU without tensor cores, with fused products and sums.
#pragma once

#include "compiler/ir/EftDialect.h"
#include "compiler/lowering/gpu/SharedMemory.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// Computes a thread's fragments of the product from its fragments of the operands, which may have
/// any layouts. Every element is a chain over k, ascending, that begins with the accumulator.
llvm::SmallVector<mlir::Value> sumOuterProducts(mlir::ImplicitLocOpBuilder &b, SharedMemory &memory,
                                                DotOp dot, llvm::ArrayRef<mlir::Value> a,
                                                llvm::ArrayRef<mlir::Value> other,
                                                llvm::ArrayRef<mlir::Value> acc);

} // namespace eft
