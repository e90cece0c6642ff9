// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Assertions.h"

#include "runtime/cuda/Wait.h"
#include "runtime/device/Assertion.h"

#include <utility>

namespace eft::cuda {
namespace {

constexpr unsigned portable = 1, mappedForDevice = 2; // flags of cuMemHostAlloc

} // namespace

Expected<std::unique_ptr<Assertions>> Assertions::of(const Driver &driver, ModuleHandle module,
                                                     bool trap, std::string_view doing) {
  DevicePointer variable = 0;
  size_t bytes = 0;
  Result result = driver.cuModuleGetGlobal(&variable, &bytes, module, symbol.data());
  if (result == errorNotFound)
    return std::unique_ptr<Assertions>();
  if (result != success)
    return driver.error(result, "cuModuleGetGlobal", doing);
  std::unique_ptr<Assertions> assertions(new Assertions(driver, trap));
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
  record->traps = traps;
  // The memory has the same address on the host and on the GPU.
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
  // A kernel that still runs may write to the record, so the record is then not freed.
  bool isUsed = abandoned && driver.cuEventQuery(abandoned) == errorNotReady;
  if (abandoned)
    driver.cuEventDestroy(abandoned);
  if (record && !isUsed)
    driver.cuMemFreeHost(record);
}

std::unique_lock<std::mutex> Assertions::beginLaunch(Interruption *interruption) {
  std::unique_lock lock(oneLaunch, std::defer_lock);
  if (!interruption)
    lock.lock();
  else if (!waitUntil([&] { return lock.try_lock(); }, *interruption))
    return {};
  if (abandoned) {
    auto isDone = [&] { return driver.cuEventQuery(abandoned) != errorNotReady; };
    if (!interruption)
      driver.cuEventSynchronize(abandoned);
    else if (!waitUntil(isDone, *interruption))
      return {};
    driver.cuEventDestroy(std::exchange(abandoned, nullptr));
  }
  *record = Record{}; // An abandoned launch may have written a failure.
  return lock;
}

void Assertions::abandon(StreamHandle stream) {
  if (forkedAfterStart()) // the interruption has forked the process
    return;
  if (driver.cuEventCreate(&abandoned, disableTiming) == success)
    driver.cuEventRecord(abandoned, stream);
  else
    abandoned = nullptr;
}

Status Assertions::failure() const {
  const Record failed = *record;
  if (failed.site == 0)
    return {};
  return assertionError(sites.c_str() + failed.site - 1,
                        {failed.program[0], failed.program[1], failed.program[2]});
}

Status Assertions::wait(StreamHandle stream, std::string_view doing, Interruption *interruption) {
  auto isDone = [&] { return driver.cuStreamQuery(stream) != errorNotReady; };
  if (interruption && !waitUntil(isDone, *interruption)) {
    abandon(stream);
    return {};
  }
  Result result = driver.cuStreamSynchronize(stream);
  if (result != success)
    return driver.error(result, "cuStreamSynchronize", doing);
  Status failed = failure();
  *record = Record{};
  return failed;
}

} // namespace eft::cuda
