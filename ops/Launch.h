// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of compiled kernels, and the errors of launches that fail.
#pragma once

#include "ops/Compiled.h"
#include "runtime/cuda/Gpu.h"
#include "runtime/launch/Grid.h"

namespace eft::ops {

/// Returns the GPU with this number. Later calls find the GPU in a table.
Expected<const cuda::Gpu *> findGpu(int ordinal);

/// Calls `launch` with the GPU of this number and returns the result. Fails if there is no such
/// GPU.
template <typename Launch> Status withGpu(int ordinal, Launch launch) {
  auto gpu = findGpu(ordinal);
  return gpu.ok() ? launch(**gpu) : Status(gpu.error());
}

struct OperatorName {
  const char *name;
  const char *launching; // begins the message of a failure: "launching dropout"
};

/// Returns the error for a launch with more programs than the device's limit.
Error tooLarge(OperatorName name, int64_t programs, const Grid &limits, std::string_view device);

/// Returns the error for a launch on a GPU that failed with this code.
Error launchError(OperatorName name, const cuda::Gpu &gpu, int code, const char *text);

template <typename What>
Status runOnCpu(OperatorName name, const CpuKernel<What> &compiled, int64_t programs,
                const What &what) {
  if (programs > hostGridLimits.x)
    return tooLarge(name, programs, hostGridLimits, "cpu");
  const cpu::Kernel *kernel = compiled.kernel();
  if (!kernel)
    return Error{ErrorKind::NoDevice,
                 std::string(name.name) + " has no code that this CPU can run"};
  Slots slots = compiled.slots(what);
  return kernel->launch({uint32_t(programs), 1, 1}, uint64_t(programs),
                        {slots.values.data(), slots.count});
}

template <typename What>
Status runOnCuda(OperatorName name, const cuda::Gpu &gpu, const GpuKernel<What> &kernel,
                 int64_t programs, const What &what, StreamHandle stream) {
  const Grid &limits = gpu.properties().maxGrid;
  if (programs > limits.x) // the error's text is made only in this case
    return tooLarge(name, programs, limits, gpu.name());
  auto scope = cuda::ContextScope::enter(gpu, name.launching);
  if (!scope.ok())
    return scope.error();
  int code = kernel.launch(stream, uint32_t(programs), what);
  return code == 0 ? Status() : launchError(name, gpu, code, kernel.errorText(code));
}

} // namespace eft::ops
