// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lifetimes of the arrays on a program's stack (on a GPU, in a thread's local memory).
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace eft {

/// The bytes that the arrays of a kernel take.
struct StackBytes {
  int64_t all;    ///< if each had memory of its own
  int64_t atOnce; ///< the most that are in use at one time
};

/// The operations that use an array; nothing if there are none, or its address may be kept.
std::optional<mlir::SmallVector<mlir::Operation *>> usersOf(mlir::LLVM::AllocaOp array);

/// Marks for each array in the frame of a lowered kernel the first and the last use, in the
/// innermost block that has all of its uses. LLVM then gives the same memory to arrays that are
/// never in use together.
StackBytes markStackLifetimes(mlir::func::FuncOp kernel);

} // namespace eft
