// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lifetimes of the arrays (`llvm.alloca`) on a program's stack. On a GPU, they are in the thread's
// local memory.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace eft {

/// The bytes that the arrays of a kernel take.
struct StackBytes {
  int64_t all;    ///< if each array had memory of its own
  int64_t atOnce; ///< the most that are in use at one time
};

/// The operations that use an array, directly or by an address that `llvm.getelementptr` computes
/// from it. Nothing if there are none, or if one of them may turn the address into another value:
/// into an integer or another pointer, or by passing it in or out of a region.
std::optional<mlir::SmallVector<mlir::Operation *>> usersOf(mlir::LLVM::AllocaOp array);

/// Marks the first and the last use of each array in the frame of a lowered kernel, if the array's
/// users (`usersOf`) and size are known. Both marks are in the innermost block that contains all
/// uses. LLVM then gives the same memory to arrays that are never in use together. Returns the
/// bytes that the arrays take.
StackBytes markStackLifetimes(mlir::func::FuncOp kernel);

} // namespace eft
