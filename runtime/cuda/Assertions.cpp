// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Assertions.h"

#include "runtime/device/Assertion.h"

namespace eft::cuda {
namespace {

constexpr unsigned portable = 1, mappedForDevice = 2; // of cuMemHostAlloc

} // namespace

Expected<std::unique_ptr<Assertions>> Assertions::of(const Driver &driver, ModuleHandle module,
                                                     std::string_view doing) {
  DevicePointer variable = 0;
  size_t bytes = 0;
  Result result = driver.cuModuleGetGlobal(&variable, &bytes, module, symbol.data());
  if (result == errorNotFound)
    return std::unique_ptr<Assertions>();
  if (result != success)
    return driver.error(result, "cuModuleGetGlobal", doing);
  std::unique_ptr<Assertions> assertions(new Assertions(driver));
  if (Status status = assertions->prepare(module, variable, doing); !status.ok())
    return std::move(status).error();
  return assertions;
}

Status Assertions::prepare(ModuleHandle module, DevicePointer variable, std::string_view doing) {
  void *memory = nullptr;
  Result result = driver.cuMemHostAlloc(&memory, sizeof(Record), portable | mappedForDevice);
  if (result != success)
    return driver.error(result, "cuMemHostAlloc", doing);
  record = new (memory) Record{};
  // The GPU knows the memory by the same address.
  auto address = reinterpret_cast<uint64_t>(memory);
  result = driver.cuMemcpyHtoD(variable, &address, sizeof(address));
  if (result != success)
    return driver.error(result, "cuMemcpyHtoD", doing);
  DevicePointer texts = 0;
  size_t bytes = 0;
  result = driver.cuModuleGetGlobal(&texts, &bytes, module, "eft$sites");
  if (result != success)
    return driver.error(result, "cuModuleGetGlobal", doing);
  sites.resize(bytes);
  return driver.check(driver.cuMemcpyDtoH(sites.data(), texts, bytes), "cuMemcpyDtoH", doing);
}

Assertions::~Assertions() {
  if (record)
    driver.cuMemFreeHost(record);
}

Status Assertions::wait(StreamHandle stream, std::string_view doing) {
  Result result = driver.cuStreamSynchronize(stream);
  if (result != success)
    return driver.error(result, "cuStreamSynchronize", doing);
  Record failed = *record;
  if (failed.site == 0)
    return {};
  *record = Record{};
  return assertionError(sites.c_str() + failed.site - 1,
                        {failed.program[0], failed.program[1], failed.program[2]});
}

} // namespace eft::cuda
