// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the LLVM dialect to code: PTX text, or an object for this machine.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace eft {

/// Ends a module, and what LLVM's NVPTX target remembers of it.
struct CodeModuleDeleter {
  void operator()(llvm::Module *module) const;
};

/// A module of LLVM IR.
using CodeModule = std::unique_ptr<llvm::Module, CodeModuleDeleter>;

/// Lets the context's dialects be translated to LLVM IR.
void registerTranslations(mlir::DialectRegistry &registry);

/// Translates a module of the LLVM dialect.
llvm::Expected<CodeModule> translate(mlir::ModuleOp module, llvm::LLVMContext &context);

/// Code for `sm_<computeCapability>`, or for the newest GPU before it that LLVM knows. If it has
/// warpgroups, it is for that GPU alone: `sm_90a`.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> makePtxMachine(unsigned computeCapability,
                                                                    bool hasWarpgroups = false);

/// A CPU by LLVM's name, and what it has and lacks: `+a,-b`.
struct HostCpu {
  std::string name, features;
};

/// The CPU that is meant: neither name nor features, and the name `native`, mean the one at hand;
/// features with that name come after its own, and win.
HostCpu resolveHostCpu(llvm::StringRef name, llvm::StringRef features);

/// Code for the CPU that `resolveHostCpu` makes of a name and features.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> makeHostMachine(llvm::StringRef cpu,
                                                                     llvm::StringRef features);

/// The name and the features of the CPU at hand.
std::string hostCpuName();
std::string hostCpuFeatures();

/// LLVM's names of the features that code for the machine may use.
std::vector<std::string> enabledFeatures(const llvm::TargetMachine &machine);

/// Whether the machine has instructions between f16 and f32.
bool convertsF16(const llvm::TargetMachine &machine);

/// The width in bits of the widest vectors that code for the machine should use.
unsigned vectorBits(const llvm::TargetMachine &machine);

/// Marks the calls in code for NVPTX that threads do together, as far as LLVM does not know it.
void markConvergent(llvm::Module &module);

/// Replaces what ptxas is known to compile wrongly in code for NVPTX, by what it compiles
/// correctly.
void avoidPtxasErrors(llvm::Module &module);

/// Computes the operands of asynchronous copies by fewer and faster instructions in code for NVPTX.
void fitCopyOperands(llvm::Module &module);

/// Cuts straight lines of code that are longer than LLVM's code generator can take in reasonable
/// time: its instruction selection and register allocation look at all of a line again and again.
void cutLongBlocks(llvm::Module &module);

/// Cuts code in which one loop follows the other, so that LLVM's analysis of a loop does not look
/// at the conditions of all loops before it.
void cutLongChains(llvm::Module &module);

/// LLVM's optimizations, with the module's data layout and triple set to the machine's. Nothing
/// that it does changes the bits of a result. Once `isAbandoned` is true, what is left of them is
/// skipped.
void optimize(llvm::Module &module, llvm::TargetMachine &machine,
              const std::atomic<bool> *isAbandoned = nullptr);

/// Assembly text (PTX on a GPU), or an object.
llvm::Expected<std::string> emit(llvm::Module &module, llvm::TargetMachine &machine,
                                 llvm::CodeGenFileType type);

/// Names the accesses in PTX by the bits that they move, as versions of LLVM after 19 do:
/// `ld.global.v4.b32` for `ld.global.v4.f32`. Assembly that was written by hand stays as it is.
void nameAccessesByBits(std::string &ptx);

} // namespace eft
