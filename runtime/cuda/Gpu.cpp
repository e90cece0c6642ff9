// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Properties and contexts of GPUs.
#include "runtime/cuda/Gpu.h"

#include "runtime/cuda/Wait.h"

#include <map>

namespace eft::cuda {

std::string Gpu::target() const {
  return "cuda:" + std::to_string(facts.major) + std::to_string(facts.minor);
}

Expected<ContextHandle> Gpu::context() const {
  if (ContextHandle ready = primary.load(std::memory_order_acquire))
    return ready;
  std::lock_guard lock(retaining);
  if (ContextHandle ready = primary.load(std::memory_order_relaxed))
    return ready;
  ContextHandle made = nullptr;
  Result result = owner->cuDevicePrimaryCtxRetain(&made, handle);
  if (result != success)
    return owner->error(result, "cuDevicePrimaryCtxRetain", "preparing " + name());
  primary.store(made, std::memory_order_release);
  return made;
}

// Waits for all work in a context. Returns false if the interruption has ended the wait. The driver
// can't be asked whether a context is done. So this records an event after all work in the context,
// and polls the event. If the driver can't make the event, returns true: the caller's blocking wait
// then reports the error.
static bool waitForContext(const Driver &driver, ContextHandle context,
                           Interruption &interruption) {
  EventHandle event = nullptr;
  if (driver.cuEventCreate(&event, disableTiming) != success)
    return true;
  auto isDone = [&] { return driver.cuEventQuery(event) != errorNotReady; };
  bool goesOn =
      driver.cuCtxRecordEvent(context, event) != success || waitUntil(isDone, interruption);
  if (!forkedAfterStart()) // the interruption may have forked the process
    driver.cuEventDestroy(event);
  return goesOn;
}

Status Gpu::synchronize(Interruption *interruption) const {
  std::string doing = "waiting for " + name();
  auto scope = ContextScope::enter(*this, doing);
  if (!scope.ok())
    return std::move(scope).error();
  if (interruption && !waitForContext(*owner, primary, *interruption))
    return {};
  return owner->check(owner->cuCtxSynchronize(), "cuCtxSynchronize", doing);
}

Expected<std::unique_ptr<Gpu>> makeGpu(const Driver &driver, int ordinal) {
  auto gpu = std::make_unique<Gpu>();
  gpu->owner = &driver;
  gpu->number = ordinal;
  std::string doing = "reading the properties of " + gpu->name();
  Result result = driver.cuDeviceGet(&gpu->handle, ordinal);
  if (result != success)
    return driver.error(result, "cuDeviceGet", doing);

  GpuProperties &facts = gpu->facts;
  char name[256] = {};
  result = driver.cuDeviceGetName(name, sizeof(name), gpu->handle);
  if (result != success)
    return driver.error(result, "cuDeviceGetName", doing);
  facts.name = name;
  result = driver.cuDeviceTotalMem(&facts.totalMemory, gpu->handle);
  if (result != success)
    return driver.error(result, "cuDeviceTotalMem", doing);

  int maxGrid[3] = {};
  const std::pair<DeviceAttribute, int *> attributes[] = {
      {maxGridX, &maxGrid[0]},
      {maxGridY, &maxGrid[1]},
      {maxGridZ, &maxGrid[2]},
      {capabilityMajor, &facts.major},
      {capabilityMinor, &facts.minor},
      {multiprocessorCount, &facts.multiprocessors},
      {clockRateKilohertz, &facts.clockRateKilohertz},
      {memoryClockKilohertz, &facts.memoryClockKilohertz},
      {memoryBusBits, &facts.memoryBusBits},
      {maxRegistersPerBlock, &facts.maxRegistersPerBlock},
      {maxBlocksPerMultiprocessor, &facts.maxBlocksPerMultiprocessor},
      {maxThreadsPerMultiprocessor, &facts.maxThreadsPerMultiprocessor},
      {maxSharedPerMultiprocessor, &facts.maxSharedPerMultiprocessor},
      {maxRegistersPerMultiprocessor, &facts.maxRegistersPerMultiprocessor},
      {l2CacheBytes, &facts.l2CacheBytes},
      {maxSharedPerBlockOptIn, &facts.maxSharedPerBlock},
  };
  for (auto [attribute, value] : attributes) {
    result = driver.cuDeviceGetAttribute(value, attribute, gpu->handle);
    if (result != success)
      return driver.error(result, "cuDeviceGetAttribute", doing);
  }
  facts.maxGrid = {maxGrid[0], maxGrid[1], maxGrid[2]};
  return gpu;
}

Expected<int> gpuCount() {
  auto opened = driver();
  if (!opened.ok()) {
    if (opened.error().kind == ErrorKind::NoDriver)
      return 0;
    return opened.error();
  }
  if (!(*opened)->hasDevices())
    return 0;
  int count = 0;
  Result result = (*opened)->cuDeviceGetCount(&count);
  if (result != success)
    return (*opened)->error(result, "cuDeviceGetCount", "counting the GPUs");
  return count;
}

Expected<const Gpu *> gpu(int ordinal) {
  auto opened = driver();
  if (!opened.ok())
    return opened.error();
  auto count = gpuCount();
  if (!count.ok())
    return count.error();
  if (ordinal < 0 || ordinal >= *count)
    return Error{ErrorKind::NoDevice, "there is no device cuda:" + std::to_string(ordinal) +
                                          ": this process can use " + std::to_string(*count) +
                                          " NVIDIA GPU" + (*count == 1 ? "" : "s")};
  static std::mutex lock;
  static auto &known = *new std::map<int, std::unique_ptr<const Gpu>>;
  std::lock_guard guard(lock);
  std::unique_ptr<const Gpu> &entry = known[ordinal];
  if (!entry) {
    auto made = makeGpu(**opened, ordinal);
    if (!made.ok())
      return made.error();
    entry = *std::move(made);
  }
  return entry.get();
}

Expected<ContextScope> ContextScope::enter(const Gpu &gpu, std::string_view doing) {
  auto wanted = gpu.context();
  if (!wanted.ok())
    return wanted.error();
  const Driver &driver = gpu.driver();
  ContextScope scope;
  Result result = driver.cuCtxGetCurrent(&scope.previous);
  if (result != success)
    return driver.error(result, "cuCtxGetCurrent", doing);
  if (scope.previous != *wanted) {
    result = driver.cuCtxSetCurrent(*wanted);
    if (result != success)
      return driver.error(result, "cuCtxSetCurrent", doing);
    scope.driver = &driver;
  }
  return scope;
}

ContextScope::ContextScope(ContextScope &&other) noexcept
    : driver(std::exchange(other.driver, nullptr)), previous(other.previous) {}

ContextScope::~ContextScope() {
  if (driver)
    driver->cuCtxSetCurrent(previous);
}

CaptureAllowance::CaptureAllowance(const Driver &driver) : driver(driver) {
  driver.cuThreadExchangeStreamCaptureMode(&mode);
}

CaptureAllowance::~CaptureAllowance() { driver.cuThreadExchangeStreamCaptureMode(&mode); }

Expected<int> gpuOfPointer(uint64_t pointer) {
  auto opened = driver();
  if (!opened.ok())
    return opened.error();
  int ordinal = 0;
  auto ask = [&] {
    return (*opened)->cuPointerGetAttribute(&ordinal, pointerDeviceOrdinal, pointer);
  };
  std::string doing = "asking for the device of a pointer";
  Result result = ask();
  if (result == errorInvalidContext) {
    // This thread has used no GPU yet. Any context will do for the question.
    auto first = gpu(0);
    if (!first.ok())
      return first.error();
    auto scope = ContextScope::enter(**first, doing);
    if (!scope.ok())
      return scope.error();
    result = ask();
  }
  if (result != success)
    return (*opened)->error(result, "cuPointerGetAttribute", doing);
  return ordinal;
}

} // namespace eft::cuda
