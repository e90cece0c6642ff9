// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU: its properties and its primary context. Everything that Eft has on the GPU is in this
// context, which PyTorch, CuPy and the CUDA runtime use too.
#pragma once

#include "eft/Export.h"
#include "eft/Signature.h"
#include "runtime/cuda/Driver.h"
#include "runtime/device/Interruption.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

namespace eft::cuda {

struct GpuProperties {
  std::string name;
  int major = 0; // the compute capability is major.minor
  int minor = 0;
  Grid maxGrid;
  int multiprocessors = 0;
  int clockRateKilohertz = 0;
  int memoryClockKilohertz = 0;
  int memoryBusBits = 0;
  int l2CacheBytes = 0;
  int maxSharedPerBlock = 0; // the limit for kernels that opt in to more than 48 KiB
  int maxRegistersPerBlock = 0;
  // Limits of a multiprocessor, which all blocks on it share.
  int maxBlocksPerMultiprocessor = 0;
  int maxThreadsPerMultiprocessor = 0;
  int maxSharedPerMultiprocessor = 0;
  int maxRegistersPerMultiprocessor = 0;
  size_t totalMemory = 0;
};

// A GPU of the process. Each is made at its first use and never destroyed. Safe to use from several
// threads.
class Gpu {
public:
  const Driver &driver() const { return *owner; }
  int ordinal() const { return number; }
  const GpuProperties &properties() const { return facts; }
  // "cuda:0"
  std::string name() const { return "cuda:" + std::to_string(number); }
  // The name of the target for which the compiler makes code, such as "cuda:90".
  std::string target() const;

  // The primary context. The first call retains it for the life of the process.
  Expected<ContextHandle> context() const;

  // Waits for all work on the device, or until the interruption, if there is one, ends the wait.
  Status synchronize(Interruption *interruption = nullptr) const;

private:
  friend Expected<std::unique_ptr<Gpu>> makeGpu(const Driver &driver, int ordinal);

  const Driver *owner = nullptr;
  int number = 0;
  DeviceHandle handle = 0;
  GpuProperties facts;
  mutable std::mutex retaining;
  mutable std::atomic<ContextHandle> primary = nullptr;
};

// The number of GPUs that this process may use; 0 if there is no driver. A driver that exists but
// can't be used (too old, broken) is an error.
Expected<int> gpuCount();

EFT_API Expected<const Gpu *> gpu(int ordinal);

// Makes a Gpu that is independent of the process's GPUs, for a driver other than the process's.
Expected<std::unique_ptr<Gpu>> makeGpu(const Driver &driver, int ordinal);

// Makes a context current for the lifetime of the object, and then restores the previous one.
class EFT_API ContextScope {
public:
  // `doing` says what Eft is doing, such as "loading kernel 'k'", for an error message.
  static Expected<ContextScope> enter(const Gpu &gpu, std::string_view doing);

  ContextScope(ContextScope &&other) noexcept;
  ContextScope &operator=(ContextScope &&) = delete;
  ~ContextScope();

private:
  ContextScope() = default;

  const Driver *driver = nullptr; // null if there is nothing to restore
  ContextHandle previous = nullptr;
};

// Makes one driver call in the GPU's context. `name` is the driver function's name, and `doing`
// says what Eft is doing; both are for an error message.
template <typename Call>
Status inContext(const Gpu &gpu, std::string_view name, const std::string &doing, Call call) {
  auto scope = ContextScope::enter(gpu, doing);
  if (!scope.ok())
    return scope.error();
  return gpu.driver().check(call(gpu.driver()), name, doing);
}

// Allows this thread to load code for the lifetime of the object, even while a stream is being
// captured into a graph. Loading is not work of a stream, so the capture does not record it.
class CaptureAllowance {
public:
  explicit CaptureAllowance(const Driver &driver);
  CaptureAllowance(const CaptureAllowance &) = delete;
  ~CaptureAllowance();

private:
  const Driver &driver;
  CaptureMode mode = captureRelaxed; // the previous mode after the exchange
};

// The number of the GPU to whose memory `pointer` points, or an error if CUDA does not know the
// pointer.
Expected<int> gpuOfPointer(uint64_t pointer);

} // namespace eft::cuda
