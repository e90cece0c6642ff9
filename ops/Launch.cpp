// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ops/Launch.h"

#include <atomic>

namespace eft::ops {

Expected<const cuda::Gpu *> findGpu(int ordinal) {
  constexpr int most = 64;
  static std::atomic<const cuda::Gpu *> known[most];
  if (cuda::forkedAfterStart())
    return cuda::driver().error();
  bool fits = ordinal >= 0 && ordinal < most;
  if (const cuda::Gpu *gpu = fits ? known[ordinal].load(std::memory_order_acquire) : nullptr)
    return gpu;
  auto found = cuda::gpu(ordinal);
  if (found.ok() && fits)
    known[ordinal].store(*found, std::memory_order_release);
  return found;
}

Error tooLarge(OperatorName name, int64_t programs, const Grid &limits, std::string_view device) {
  return checkGrid({programs, 1, 1}, limits, name.name, device).error();
}

Error launchError(OperatorName name, const cuda::Gpu &gpu, int code, const char *text) {
  ErrorKind kind = code == cuda::errorOutOfMemory ? ErrorKind::OutOfMemory : ErrorKind::Cuda;
  return {kind, std::string(name.launching) + " on " + gpu.name() + " failed with code " +
                    std::to_string(code) + ": " + text};
}

} // namespace eft::ops
