// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches the compiled kernels.
#include "ops/DropoutCompiled.h"

#include "runtime/cuda/Gpu.h"
#include "runtime/launch/Grid.h"

#include <atomic>

namespace eft::ops {
namespace {

bool isEmpty(const Forward &what) { return what.rows == 0 || what.columns == 0; }
bool isEmpty(const Backward &what) { return what.count == 0; }

/// That there are too many programs.
Error tooLarge(int64_t programs, const Grid &limits, std::string_view device) {
  return checkGrid({programs, 1, 1}, limits, "dropout", device).error();
}

template <typename What>
Status runOnCpu(const CpuKernel<What> &compiled, int64_t programs, const What &what) {
  if (programs > hostGridLimits.x)
    return tooLarge(programs, hostGridLimits, "cpu");
  const cpu::Kernel *kernel = compiled.kernel();
  if (!kernel)
    return Error{ErrorKind::NoDevice, "dropout has no code that this CPU can run"};
  Slots slots = compiled.slots(what);
  return kernel->launch({uint32_t(programs), 1, 1}, uint64_t(programs),
                        {slots.values.data(), slots.count});
}

/// The GPU of this number, found once.
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

template <typename What>
Status runOnCuda(const cuda::Gpu &gpu, const GpuKernel<What> &kernel, int64_t programs,
                 const What &what, StreamHandle stream) {
  const Grid &limits = gpu.properties().maxGrid;
  if (programs > limits.x) // no launch but this one pays for the error's words
    return tooLarge(programs, limits, gpu.name());
  auto scope = cuda::ContextScope::enter(gpu, "launching dropout");
  if (!scope.ok())
    return scope.error();
  int code = kernel.launch(stream, uint32_t(programs), what);
  if (code == 0)
    return {};
  ErrorKind kind = code == cuda::errorOutOfMemory ? ErrorKind::OutOfMemory : ErrorKind::Cuda;
  return Error{kind, "launching dropout on " + gpu.name() + " failed with code " +
                         std::to_string(code) + ": " + kernel.errorText(code)};
}

} // namespace

Status launchOnCpu(const Forward &what) {
  if (isEmpty(what))
    return {};
  CpuForward plan = planForCpu(what);
  return runOnCpu(kernelFor(plan), plan.programs, plan);
}

Status launchOnCpu(const Backward &what) {
  if (isEmpty(what))
    return {};
  return runOnCpu(cpuKernelFor(what), programsOf(what), what);
}

Status launchOnCuda(const Forward &what, int ordinal, StreamHandle stream) {
  auto gpu = findGpu(ordinal);
  if (!gpu.ok())
    return gpu.error();
  if (isEmpty(what))
    return {};
  GpuForward plan = planForGpu(what);
  return runOnCuda(**gpu, kernelFor(plan), plan.programs, plan, stream);
}

Status launchOnCuda(const Backward &what, int ordinal, StreamHandle stream) {
  auto gpu = findGpu(ordinal);
  if (!gpu.ok())
    return gpu.error();
  if (isEmpty(what))
    return {};
  return runOnCuda(**gpu, gpuKernelFor(what), programsOf(what), what, stream);
}

} // namespace eft::ops
