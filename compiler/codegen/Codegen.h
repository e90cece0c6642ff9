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

/// Deletes a module, together with what LLVM's NVPTX target has cached about it.
struct CodeModuleDeleter {
  void operator()(llvm::Module *module) const;
};

/// A module of LLVM IR.
using CodeModule = std::unique_ptr<llvm::Module, CodeModuleDeleter>;

/// Registers the translations from the dialects to LLVM IR.
void registerTranslations(mlir::DialectRegistry &registry);

/// Translates a module of the LLVM dialect to LLVM IR.
llvm::Expected<CodeModule> translate(mlir::ModuleOp module, llvm::LLVMContext &context);

/// Returns the target machine that makes PTX for GPUs of this compute capability, at least 80. LLVM
/// 19 knows 80, 86, 87, 89 and 90. Other capabilities get `sm_80` below 90, and `sm_90` above. With
/// `hasWarpgroups` the code may use the instructions of warpgroups, and runs only on GPUs of
/// compute capability 9.0: `sm_90a`.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> makePtxMachine(unsigned computeCapability,
                                                                    bool hasWarpgroups = false);

/// A CPU: LLVM's name for it, and the features that it has or lacks beyond that name, such as
/// `+a,-b`.
struct HostCpu {
  std::string name, features;
};

/// Returns the CPU that a name and features mean. The name `native`, or neither a name nor
/// features, means the CPU at hand. Features that are given with `native` follow that CPU's own,
/// and override them.
HostCpu resolveHostCpu(llvm::StringRef name, llvm::StringRef features);

/// Returns the target machine for the CPU that `resolveHostCpu` returns; an error if LLVM doesn't
/// know the CPU or a feature.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> makeHostMachine(llvm::StringRef cpu,
                                                                     llvm::StringRef features);

/// The name and the features of the CPU at hand, as LLVM writes them.
std::string hostCpuName();
std::string hostCpuFeatures();

/// LLVM's names of the features that code for the machine may use.
std::vector<std::string> enabledFeatures(const llvm::TargetMachine &machine);

/// True if the machine has instructions that convert between f16 and f32.
bool convertsF16(const llvm::TargetMachine &machine);

/// The width in bits of the widest vectors that code for the machine should use.
unsigned vectorBits(const llvm::TargetMachine &machine);

/// Marks the calls in code for NVPTX that are convergent: threads execute them together. Calls that
/// LLVM knows to be convergent need no mark.
void markConvergent(llvm::Module &module);

/// Replaces code for NVPTX that ptxas is known to compile wrongly by equivalent code that it
/// compiles correctly.
void avoidPtxasErrors(llvm::Module &module);

/// Rewrites the operands of asynchronous copies in code for NVPTX, so that fewer and faster
/// instructions compute them.
void fitCopyOperands(llvm::Module &module);

/// Cuts basic blocks that are too long for LLVM's code generator. Its instruction selection and
/// register allocation scan a whole basic block again and again, so the time for a long one grows
/// out of proportion.
void cutLongBlocks(llvm::Module &module);

/// Cuts code with many loops in a row, so that LLVM's analysis of one loop does not examine the
/// conditions of all loops before it.
void cutLongChains(llvm::Module &module);

/// Sets the module's data layout and triple to the machine's, and runs LLVM's optimizations. None
/// of them changes the bits of a result. Once `*isAbandoned` is true, the remaining optimizations
/// are skipped.
void optimize(llvm::Module &module, llvm::TargetMachine &machine,
              const std::atomic<bool> *isAbandoned = nullptr);

/// Returns the module's code: assembly text (PTX for a GPU) or an object. The module is changed.
llvm::Expected<std::string> emit(llvm::Module &module, llvm::TargetMachine &machine,
                                 llvm::CodeGenFileType type);

/// Renames the accesses in PTX by the bits that they move, as versions of LLVM after 19 do:
/// `ld.global.v4.f32` becomes `ld.global.v4.b32`. Inline assembly stays as it is.
void nameAccessesByBits(std::string &ptx);

} // namespace eft
