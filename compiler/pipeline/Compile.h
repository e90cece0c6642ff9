// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler's one entry: a module of block IR in, code out. eft/Compiler.h, which has the types,
// offers the same without MLIR to programs that embed Eft.
//
// It starts no process, writes no file and calls no driver. It works on a thread of its own, so
// that it does not matter how small the caller's stack is, and returns when that is done. Compiles
// in several threads are independent as long as each has a context of its own. Errors are
// diagnostics of the module's context, at the place in the IR that they are about.
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

/// Ways to watch a compile at work.
struct CompileObserver {
  /// Sees each pass manager before it runs, to have it print or record what its passes do.
  std::function<void(mlir::PassManager &)> watchPasses;
  /// Gets a scope inside for each step.
  mlir::TimingScope timing;
};

/// Makes known to a context what the compiler reads and makes.
void registerDialects(mlir::DialectRegistry &registry);

/// Controls of a compile for callers inside Eft, beside its result.
struct CompileControl {
  /// Once it is true, nobody wants the result: the compile fails, without a diagnostic, where the
  /// next stage or the next of LLVM's optimizations would begin. Null: nobody will.
  const std::atomic<bool> *isAbandoned = nullptr;
  /// Let code for the host look whether its launch is to end (runtime/cpu/Stop.h). Who loads it has
  /// to offer it all of eft::hostSymbols().
  bool stoppable = false;
};

/// Compiles the module's kernel: its one public function. The module is left as it was.
mlir::FailureOr<Compiled> compile(mlir::ModuleOp module, const Target &target,
                                  const CompileOptions &options = {},
                                  const CompileControl &control = {},
                                  CompileObserver *observer = nullptr);

/// The kernel's integer parameters whose values reach an address: those that are worth specialising
/// a kernel on.
mlir::FailureOr<std::vector<AddressParameter>> addressParameters(mlir::ModuleOp module);

/// LLVM's names of the features that code for a host target may use; an error for a CPU or a
/// feature that LLVM doesn't know.
llvm::Expected<std::vector<std::string>> hostFeatures(const Target &target);

/// A feature that code for a host target may use and the CPU at hand lacks; empty if there is none.
llvm::Expected<std::string> missingFeature(const Target &target);

/// The name and features of the CPU that a host target means: objects made for one CPU are of use
/// to another only if these are equal.
std::string hostCpuDescription(const Target &target);

} // namespace eft
