// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU features that code for the host uses.
#include "compiler/codegen/Codegen.h"
#include "compiler/pipeline/Compile.h"

#include "llvm/TargetParser/Host.h"

namespace eft {

llvm::Expected<std::vector<std::string>> hostFeatures(const Target &target) {
  auto machine = makeHostMachine(target.cpu, target.features);
  if (!machine)
    return machine.takeError();
  return enabledFeatures(**machine);
}

llvm::Expected<std::string> missingFeature(const Target &target) {
  HostCpu meant = resolveHostCpu(target.cpu, target.features);
  if (meant.name == hostCpuName() && meant.features == hostCpuFeatures())
    return "";
  auto used = hostFeatures(target);
  if (!used)
    return used.takeError();
  const llvm::StringMap<bool> present = llvm::sys::getHostCPUFeatures();
  for (const std::string &feature : *used) {
    // The map lacks features that say what is fast on the CPU, and not what the CPU can do.
    auto found = present.find(feature);
    if (found != present.end() && !found->second)
      return feature;
  }
  return "";
}

std::string hostCpuDescription(const Target &target) {
  HostCpu cpu = resolveHostCpu(target.cpu, target.features);
  return cpu.name + " " + cpu.features;
}

} // namespace eft
