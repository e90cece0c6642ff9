// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of printing and asserting that GPUs and CPUs share: texts, and passing values to the
// function that prints.
//
// That function has the C form `int print(const char *format, const void *values)`. On a GPU it is
// the driver's `vprintf`. Each value takes 8 bytes: an integer of 64 bits or a double.
#pragma once

#include "compiler/ir/EftDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// Returns the printf format of one line of `eft.print`: the program's position in the grid, the
/// element's index along each dimension, the text of the print, and the value. A print without a
/// value has only the position and the text.
std::string printFormat(PrintOp print);

/// Emits the address of a constant of the module that holds `text` and a zero byte after it. Equal
/// texts share one constant.
mlir::Value emitText(mlir::ImplicitLocOpBuilder &b, llvm::StringRef text);

/// Emits memory on the stack for `count` values of 8 bytes. In a loop, every iteration uses the
/// same memory.
mlir::Value emitValueMemory(mlir::ImplicitLocOpBuilder &b, unsigned count);

/// Emits stores of `values` to `memory` (from `emitValueMemory`), and a call of the printing
/// function with the name `function`. Its arguments are `format`, which is the address of a text,
/// and `memory`. Values are doubles, or integers, which are zero-extended to 64 bits.
void emitPrint(mlir::ImplicitLocOpBuilder &b, llvm::StringRef function, mlir::Value format,
               mlir::Value memory, llvm::ArrayRef<mlir::Value> values);

/// Returns the declaration of a function of the runtime. Declares the function if the module does
/// not yet.
mlir::LLVM::LLVMFuncOp declareFunction(mlir::ImplicitLocOpBuilder &b, llvm::StringRef name,
                                       mlir::Type result, llvm::ArrayRef<mlir::Type> parameters);

/// Returns "file:line: message", or "file:line" if there is no message. File and line are those of
/// the source where the assertion was written. If they are unknown, "an unknown place" replaces
/// them.
std::string assertionText(AssertOp assertion);

} // namespace eft
