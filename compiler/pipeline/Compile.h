// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler's one entry point: it takes a module of block IR and returns code. eft/Compiler.h,
// which has the types, offers the same without MLIR to programs that embed Eft.
//
// The compiler starts no process, writes no file and calls no driver. It works on a thread of its
// own, if the system grants one, so the caller's stack may be small. It returns when the work is
// done. Compiles in several threads are independent if each has a context of its own. Errors are
// reported as diagnostics of the module's context, at the location of what is wrong in the IR.
#pragma once

#include "compiler/analysis/AddressParameters.h"
#include "compiler/codegen/HostCode.h"
#include "eft/Compiler.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/Error.h"

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace eft {

/// Hooks for watching a compile.
struct CompileObserver {
  /// Is called with each pass manager before it runs. It can make the manager print or record what
  /// its passes do.
  std::function<void(mlir::PassManager &)> watchPasses;
  /// The timing scope in which each step of the compile opens a scope of its own.
  mlir::TimingScope timing;
};

/// Registers the dialects that the compiler reads and makes, and their translations to LLVM IR.
void registerDialects(mlir::DialectRegistry &registry);

/// Controls of a compile that only callers inside Eft have.
struct CompileControl {
  /// If this becomes true, nobody needs the result any more. The compile then skips the rest of
  /// LLVM's optimizations, and fails without a diagnostic before the next stage. Null if the
  /// compile is never abandoned.
  const std::atomic<bool> *isAbandoned = nullptr;
  /// Makes the compiled code of the host look now and then whether its launch should end
  /// (runtime/cpu/Stop.h). A program that loads this code must offer it all of eft::hostSymbols().
  bool stoppable = false;
};

/// Compiles the module's kernel: its one public function. The module is left as it was.
mlir::FailureOr<Compiled> compile(mlir::ModuleOp module, const Target &target,
                                  const CompileOptions &options = {},
                                  const CompileControl &control = {},
                                  CompileObserver *observer = nullptr);

/// Returns the kernel's address parameters: the integers that reach an address or bound certain
/// masks (compiler/analysis/AddressParameters.h). A launch specialises on these.
mlir::FailureOr<std::vector<AddressParameter>> addressParameters(mlir::ModuleOp module);

/// Returns LLVM's names of the features that code for a host target may use; an error for a CPU or
/// a feature that LLVM doesn't know.
llvm::Expected<std::vector<std::string>> hostFeatures(const Target &target);

/// Returns a feature that code for a host target may use and the CPU at hand lacks; empty if there
/// is none.
llvm::Expected<std::string> missingFeature(const Target &target);

/// Returns the name and the features of the CPU that a host target means. An object that was made
/// for one target is useful for another only if both have the same description.
std::string hostCpuDescription(const Target &target);

} // namespace eft
