// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft::load: loads compiled code onto a device.
#include "compiler/pipeline/Compile.h"

namespace eft {
namespace {

Error invalid(const Compiled &compiled, const std::string &what) {
  return {ErrorKind::InvalidArgument, "kernel '" + compiled.name + "' " + what};
}

Expected<Kernel> loadOnHost(const Compiled &compiled, KernelInfo info) {
  auto missing = missingFeature(compiled.target);
  if (!missing)
    return invalid(compiled, "can't be loaded: " + llvm::toString(missing.takeError()));
  if (!missing->empty())
    return invalid(compiled,
                   "needs the CPU's feature '" + *missing + "', which this machine lacks");
  HostSymbols symbols;
  for (const HostSymbol &symbol : hostSymbols())
    symbols.emplace_back(symbol.name, symbol.address);
  auto code = HostCode::load(compiled.binary, compiled.name, symbols);
  if (!code)
    return invalid(compiled, "can't be loaded: " + llvm::toString(code.takeError()));
  auto *function = reinterpret_cast<HostFunction *>((*code)->address());
  return Kernel::loadHost(function, std::move(info),
                          std::shared_ptr<const HostCode>(std::move(*code)));
}

} // namespace

Expected<Kernel> load(const Compiled &compiled, Device device) {
  bool isForHost = compiled.target.kind == Target::Kind::Host;
  if (isForHost != device.isHost())
    return invalid(compiled, "was compiled for " +
                                 std::string(isForHost ? "the host" : "a GPU of NVIDIA") +
                                 ", and can't be loaded on " + device.name());
  if (compiled.binary.empty())
    return invalid(compiled, "has no code: its compile ended before that stage");
  KernelInfo info{compiled.name,        compiled.parameters,       compiled.numWarps,
                  compiled.sharedBytes, compiled.programsPerBlock, compiled.maxPrograms};
  if (isForHost)
    return loadOnHost(compiled, std::move(info));
  return Kernel::loadCuda(device, compiled.binary, std::move(info));
}

} // namespace eft
