// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The NVPTX target machine.
#include "compiler/codegen/Codegen.h"
#include "compiler/codegen/Targets.h"

#include "llvm/MC/TargetRegistry.h"

namespace eft {

namespace {

constexpr unsigned oldestCapability = 80; // asynchronous copies and bf16 conversions need it
constexpr unsigned newestCapability = 90; // the newest GPU that LLVM 19 knows
constexpr const char *ptxVersion = "+ptx85";

} // namespace

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> makePtxMachine(unsigned computeCapability,
                                                                    bool hasWarpgroups) {
  if (computeCapability < oldestCapability)
    return llvm::createStringError("a GPU of compute capability %u.%u is too old: 8.0 is needed",
                                   computeCapability / 10, computeCapability % 10);
  registerTargets();
  // A driver accepts PTX for an older GPU on any newer one. LLVM knows 86, 87 and 89 by name; for
  // all others below 90, 80 is taken.
  unsigned known = computeCapability >= newestCapability ? newestCapability
                   : computeCapability == 86 || computeCapability == 87 || computeCapability == 89
                       ? computeCapability
                       : oldestCapability;
  std::string error;
  const char *triple = "nvptx64-nvidia-cuda";
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return llvm::createStringError(error);
  llvm::TargetOptions options;
  // Multiplications and additions are fused in the block IR, for both targets alike.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, "sm_" + std::to_string(known) + (hasWarpgroups ? "a" : ""), ptxVersion, options,
      llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
}

} // namespace eft
