// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads of a program, as the LLVM dialect has them.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace eft {

/// The module's kernel; null if there are several, because it is not known then which of them calls
/// a function.
mlir::LLVM::LLVMFuncOp onlyKernel(mlir::ModuleOp module);

/// The threads of a program that `nvvm.reqntid` requires. None if these are not whole warps along
/// x.
std::optional<int32_t> requiredThreads(mlir::LLVM::LLVMFuncOp kernel);

} // namespace eft
