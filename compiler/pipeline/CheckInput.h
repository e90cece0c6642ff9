// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The check of the compiler's input. LLVM ends the process for some of what MLIR can say; this
// check refuses such input with an error at its place.
#pragma once

#include "eft/Compiler.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace eft {

/// Returns what is wrong with the target or the options, whatever the kernel is; empty if nothing
/// is. An enumeration may hold any number.
std::string validateOptions(const Target &target, const CompileOptions &options);

/// The module's one public function.
mlir::FailureOr<mlir::func::FuncOp> findKernel(mlir::ModuleOp module);

/// The types of a kernel's parameters, of which none is a block.
mlir::FailureOr<std::vector<Parameter>> parametersOf(mlir::func::FuncOp kernel);

/// Refuses operations and types that block IR does not have.
mlir::LogicalResult checkIsBlockIR(mlir::ModuleOp module);

/// Refuses calls that inlining has left.
mlir::LogicalResult checkHasNoCalls(mlir::ModuleOp module);

/// A name for the kernel's code: its own, unless an assembler would not take that, or a C library
/// has a function of that name, which the code may call and the kernel would then stand for.
std::string codeName(llvm::StringRef kernelName);

} // namespace eft
