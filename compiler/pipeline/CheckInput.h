// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of the compiler's input. LLVM ends the process for some of the IR that MLIR accepts. These
// checks refuse such IR with an error at its location.
#pragma once

#include "eft/Compiler.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace eft {

/// Returns a text about what is wrong with the target or the options, apart from the kernel; empty
/// if nothing is. Enumerations are checked, too: a caller may have put any number into them.
std::string validateOptions(const Target &target, const CompileOptions &options);

/// Returns the module's public function. Fails if there is none or more than one.
mlir::FailureOr<mlir::func::FuncOp> findKernel(mlir::ModuleOp module);

/// Returns the types of a kernel's parameters. Fails unless all of them are scalars and pointers.
mlir::FailureOr<std::vector<Parameter>> parametersOf(mlir::func::FuncOp kernel);

/// Fails if the module has operations or types that block IR does not have.
mlir::LogicalResult checkIsBlockIR(mlir::ModuleOp module);

/// Fails if the module has calls that inlining has left.
mlir::LogicalResult checkHasNoCalls(mlir::ModuleOp module);

/// Returns a name for the kernel's code. It is the kernel's own name if an assembler accepts that,
/// and no function of a C library has it: otherwise code that calls that function would call the
/// kernel instead. All other kernels get a name that begins with `kernel_`.
std::string codeName(llvm::StringRef kernelName);

} // namespace eft
