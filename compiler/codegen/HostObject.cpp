// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host's target machine.
#include "compiler/codegen/Codegen.h"
#include "compiler/codegen/Targets.h"

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

namespace eft {

namespace {

/// Returns an error for a CPU or features that LLVM does not know. LLVM itself would print a
/// warning and ignore them, or end the process.
llvm::Error checkCpu(const llvm::Target &target, llvm::StringRef triple, llvm::StringRef cpu,
                     llvm::StringRef features) {
  auto make = [&](llvm::StringRef someCpu, llvm::StringRef someFeatures) {
    return std::unique_ptr<llvm::MCSubtargetInfo>(
        target.createMCSubtargetInfo(triple, someCpu, someFeatures));
  };
  std::unique_ptr<llvm::MCSubtargetInfo> any = make("", "");
  if (!cpu.empty() && !any->isCPUStringValid(cpu))
    return llvm::createStringError("LLVM knows no CPU '" + cpu + "' for " + triple);
  auto isKnown = [&](llvm::StringRef feature) {
    return (feature.starts_with("+") || feature.starts_with("-")) &&
           llvm::any_of(any->getAllProcessorFeatures(),
                        [&](const auto &known) { return feature.drop_front() == known.Key; });
  };
  for (llvm::StringRef feature : llvm::split(features, ','))
    if (!features.empty() && !isKnown(feature))
      return llvm::createStringError("features must be '+' or '-' and a name that LLVM knows for " +
                                     triple + ", got '" + feature + "'");
  if (triple.starts_with("x86_64") && !make(cpu, features)->checkFeatures("+64bit"))
    return llvm::createStringError("the CPU '" + cpu + "' does not run code of 64 bits");
  return llvm::Error::success();
}

} // namespace

std::string hostCpuName() { return llvm::sys::getHostCPUName().str(); }

std::string hostCpuFeatures() {
  llvm::SubtargetFeatures features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    features.AddFeature(feature.first(), feature.second);
  return features.getString();
}

HostCpu resolveHostCpu(llvm::StringRef name, llvm::StringRef features) {
  if (name != "native" && !(name.empty() && features.empty()))
    return {name.str(), features.str()};
  std::string all = hostCpuFeatures();
  return {hostCpuName(), features.empty() ? all : all + "," + features.str()};
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> makeHostMachine(llvm::StringRef cpu,
                                                                     llvm::StringRef features) {
  registerTargets();
  std::string error, triple = llvm::sys::getProcessTriple();
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return llvm::createStringError(error);
  if (llvm::Error unfit = checkCpu(*target, triple, cpu == "native" ? "" : cpu, features))
    return std::move(unfit);
  HostCpu meant = resolveHostCpu(cpu, features);
  llvm::TargetOptions options;
  // Multiplications and additions are fused in the block IR, for both targets alike.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, meant.name, meant.features, options, llvm::Reloc::PIC_,
                                  llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
  if (!machine)
    return llvm::createStringError("LLVM has no code generator for " + triple);
  return machine;
}

std::vector<std::string> enabledFeatures(const llvm::TargetMachine &machine) {
  const llvm::MCSubtargetInfo &info = *machine.getMCSubtargetInfo();
  std::vector<std::string> names;
  for (const llvm::SubtargetFeatureKV &feature : info.getAllProcessorFeatures())
    if (info.getFeatureBits().test(feature.Value))
      names.push_back(feature.Key);
  return names;
}

bool convertsF16(const llvm::TargetMachine &machine) {
  return !machine.getTargetTriple().isX86() || llvm::is_contained(enabledFeatures(machine), "f16c");
}

unsigned vectorBits(const llvm::TargetMachine &machine) {
  // The features that were given by name are not enough: the name of a CPU implies features, too.
  std::vector<std::string> enabled = enabledFeatures(machine);
  auto has = [&](llvm::StringRef name) { return llvm::is_contained(enabled, name); };
  if (has("avx512f") && has("avx512vl") && has("avx512dq") && has("avx512bw"))
    return 512;
  return has("avx2") ? 256 : 128;
}

} // namespace eft
