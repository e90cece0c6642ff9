// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products on a GPU without tensor cores, by fused multiply-adds.
#pragma once

#include "compiler/ir/EftDialect.h"
#include "compiler/lowering/gpu/SharedMemory.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// Computes a thread's fragments of the product from its fragments of the operands, which may have
/// any layouts. Every element of the result starts as the accumulator, and the products are added
/// to it in ascending order of k.
llvm::SmallVector<mlir::Value> sumOuterProducts(mlir::ImplicitLocOpBuilder &b, SharedMemory &memory,
                                                DotOp dot, llvm::ArrayRef<mlir::Value> a,
                                                llvm::ArrayRef<mlir::Value> other,
                                                llvm::ArrayRef<mlir::Value> acc);

} // namespace eft
