// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of targets.
#include "compiler/codegen/Codegen.h"
#include "compiler/pipeline/Compile.h"

namespace eft {

Expected<Target> Target::parse(std::string_view text) {
  Target target;
  if (text == "cpu" || text == "host")
    return target;
  llvm::StringRef number = text;
  if (llvm::StringRef cpu = text; cpu.consume_front("host:") && !cpu.empty()) {
    std::tie(target.cpu, target.features) = cpu.split(',');
    return target;
  }
  if (number.consume_front("cuda:") || number.consume_front("sm_")) {
    target.kind = Kind::Cuda;
    if (!number.getAsInteger(10, target.computeCapability))
      return target;
  }
  return Error{
      ErrorKind::InvalidArgument,
      "target must be 'cpu', 'host:' with LLVM's name of a CPU, or 'cuda:' with the compute "
      "capability times ten, such as 'cuda:90', got '" +
          std::string(text) + "'"};
}

llvm::Expected<std::vector<std::string>> hostFeatures(const Target &target) {
  auto machine = makeHostMachine(target.cpu, target.features);
  if (!machine)
    return machine.takeError();
  return enabledFeatures(**machine);
}

std::string hostCpuDescription() { return hostCpuName() + " " + hostCpuFeatures(); }

} // namespace eft
