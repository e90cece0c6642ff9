// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of dropout*.py as they were compiled ahead of time.
#pragma once

#include "ops/DropoutPlan.h"
#include "runtime/cpu/Kernel.h"

#include <array>

namespace eft::ops {

/// The arguments of a kernel for the CPU.
struct Slots {
  std::array<uint64_t, 15> values;
  size_t count;
};

/// `launch` puts the kernel into a stream of the current context, and returns a code.
template <typename What> struct GpuKernel {
  int (*launch)(StreamHandle stream, uint32_t programs, const What &what);
  const char *(*errorText)(int code);
};

/// `kernel` is null if there is no code for this CPU.
template <typename What> struct CpuKernel {
  const cpu::Kernel *(*kernel)();
  Slots (*slots)(const What &what);
};

const GpuKernel<GpuForward> &kernelFor(const GpuForward &what);
const CpuKernel<CpuForward> &kernelFor(const CpuForward &what);
const GpuKernel<Backward> &gpuKernelFor(const Backward &what);
const CpuKernel<Backward> &cpuKernelFor(const Backward &what);

} // namespace eft::ops
