// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of the compiler's input. LLVM ends the process for some of the IR that MLIR accepts. These
// checks refuse such IR with an error at its location.
#pragma once

#include "eft/Compiler.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace eft {

/// Checks the target and the options, without looking at a kernel. Returns a text about what is
/// wrong; empty if nothing is. Enumerations are checked, too: a caller may have put any number into
/// them.
std::string validateOptions(const Target &target, const CompileOptions &options);

/// Returns the module's public function. Fails if there is none or more than one.
mlir::FailureOr<mlir::func::FuncOp> findKernel(mlir::ModuleOp module);

/// Returns the types of a kernel's parameters. Fails unless each of them is a scalar or a pointer.
mlir::FailureOr<std::vector<Parameter>> parametersOf(mlir::func::FuncOp kernel);

/// Fails if the module has operations or types that block IR does not have.
mlir::LogicalResult checkIsBlockIR(mlir::ModuleOp module);

/// Fails if the module has calls that inlining has left.
mlir::LogicalResult checkHasNoCalls(mlir::ModuleOp module);

/// Returns a name for the kernel's code. It begins with `kernel_` if an assembler would not accept
/// the kernel's own name, or if a function of a C library has this name: code that calls the
/// function would call the kernel instead. Otherwise it is the kernel's own name.
std::string codeName(llvm::StringRef kernelName);

} // namespace eft
