// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU: its properties, and the primary context in which everything of Eft lives on it, the same
// one that PyTorch, CuPy and the CUDA runtime use.
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
  int major = 0; // major number of the compute capability
  int minor = 0;
  Grid maxGrid;
  int multiprocessors = 0;
  int clockRateKilohertz = 0;
  int memoryClockKilohertz = 0;
  int memoryBusBits = 0;
  int l2CacheBytes = 0;
  int maxSharedPerBlock = 0; // with the opt-in that the launch makes
  int maxRegistersPerBlock = 0;
  // Of a multiprocessor, which its blocks share.
  int maxBlocksPerMultiprocessor = 0;
  int maxThreadsPerMultiprocessor = 0;
  int maxSharedPerMultiprocessor = 0;
  int maxRegistersPerMultiprocessor = 0;
  size_t totalMemory = 0;
};

// One for each GPU of the process, made at its first use and never destroyed. Safe to use from
// several threads.
class Gpu {
public:
  const Driver &driver() const { return *owner; }
  int ordinal() const { return number; }
  const GpuProperties &properties() const { return facts; }
  // "cuda:0"
  std::string name() const { return "cuda:" + std::to_string(number); }
  // The name of the target that the compiler makes code for: "cuda:90".
  std::string target() const;

  // The primary context, retained at the first call for the life of the process.
  Expected<ContextHandle> context() const;

  // Waits for all work on the device, or until the interruption, if there is one, ends that.
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

// GPUs that this process may use; 0 where there is no driver at all. A driver that is there but
// can't be used (too old, broken) is an error.
Expected<int> gpuCount();

EFT_API Expected<const Gpu *> gpu(int ordinal);

// A Gpu that is not one of the process's, for a driver that is not the process's.
Expected<std::unique_ptr<Gpu>> makeGpu(const Driver &driver, int ordinal);

// Makes a context current for the lifetime of the object, then the previous one again.
class EFT_API ContextScope {
public:
  // `doing` is what Eft is about to do, for the error's text.
  static Expected<ContextScope> enter(const Gpu &gpu, std::string_view doing);

  ContextScope(ContextScope &&other) noexcept;
  ContextScope &operator=(ContextScope &&) = delete;
  ~ContextScope();

private:
  ContextScope() = default;

  const Driver *driver = nullptr; // null if there is nothing to restore
  ContextHandle previous = nullptr;
};

// Runs one call of the driver, `name`, in the GPU's context.
template <typename Call>
Status inContext(const Gpu &gpu, std::string_view name, const std::string &doing, Call call) {
  auto scope = ContextScope::enter(gpu, doing);
  if (!scope.ok())
    return scope.error();
  return gpu.driver().check(call(gpu.driver()), name, doing);
}

// Lets this thread load code for the lifetime of the object, also while a stream is being captured
// into a graph: loading is no work of a stream, and capturing does not record it.
class CaptureAllowance {
public:
  explicit CaptureAllowance(const Driver &driver);
  CaptureAllowance(const CaptureAllowance &) = delete;
  ~CaptureAllowance();

private:
  const Driver &driver;
  CaptureMode mode = captureRelaxed; // the previous one, once exchanged
};

// The GPU on which `pointer` lies, or an error if it is no pointer that CUDA knows.
Expected<int> gpuOfPointer(uint64_t pointer);

} // namespace eft::cuda
