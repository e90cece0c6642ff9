// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of printing and asserting that the targets share: texts, and the passing of values.
//
// Both call a function of C's form `int print(const char *format, const void *values)`, on a GPU
// the driver's `vprintf`. All values are of 8 bytes: integers of 64 bits and doubles.
#pragma once

#include "compiler/ir/EftDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// The format of a line of `eft.print`: the program's position, an index per dimension, a value.
std::string printFormat(PrintOp print);

/// The address of a text with a terminating zero. It lives as long as the code.
mlir::Value emitText(mlir::ImplicitLocOpBuilder &b, llvm::StringRef text);

/// Memory for `count` values of 8 bytes. It is the same memory in every iteration of a loop.
mlir::Value emitValueMemory(mlir::ImplicitLocOpBuilder &b, unsigned count);

/// Calls `function` with a format and with values: integers, which are zero-extended, or doubles.
void emitPrint(mlir::ImplicitLocOpBuilder &b, llvm::StringRef function, mlir::Value format,
               mlir::Value memory, llvm::ArrayRef<mlir::Value> values);

/// Declares a function of the runtime, unless it is declared already.
mlir::LLVM::LLVMFuncOp declareFunction(mlir::ImplicitLocOpBuilder &b, llvm::StringRef name,
                                       mlir::Type result, llvm::ArrayRef<mlir::Type> parameters);

/// "file:line: message", with the place in the source where the operation was written.
std::string assertionText(AssertOp assertion);

} // namespace eft
