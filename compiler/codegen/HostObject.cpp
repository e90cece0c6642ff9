// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host's target machine.
#include "compiler/codegen/Codegen.h"

#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

#include <mutex>

namespace eft {

namespace {

void initialize() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
}

} // namespace

std::string hostCpuName() { return llvm::sys::getHostCPUName().str(); }

std::string hostCpuFeatures() {
  llvm::SubtargetFeatures features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    features.AddFeature(feature.first(), feature.second);
  return features.getString();
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> makeHostMachine(llvm::StringRef cpu,
                                                                     llvm::StringRef features) {
  initialize();
  std::string error, triple = llvm::sys::getProcessTriple();
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return llvm::createStringError(error);
  bool isHost = cpu.empty() && features.empty();
  llvm::TargetOptions options;
  // What is fused is decided in the block IR, for both targets alike.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, isHost ? hostCpuName() : cpu.str(), isHost ? hostCpuFeatures() : features.str(),
      options, llvm::Reloc::PIC_, llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
  if (!machine)
    return llvm::createStringError("LLVM has no code generator for " + triple);
  return machine;
}

unsigned vectorBits(const llvm::TargetMachine &machine) {
  llvm::StringRef features = machine.getTargetFeatureString();
  auto has = [&](llvm::StringRef name) {
    llvm::SmallVector<llvm::StringRef> all;
    features.split(all, ',');
    return llvm::is_contained(all, name);
  };
  if (has("+avx512f") && has("+avx512vl") && has("+avx512dq") && has("+avx512bw"))
    return 512;
  return has("+avx2") ? 256 : 128;
}

} // namespace eft
