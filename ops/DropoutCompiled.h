// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Look-up of the ahead-of-time compiled kernels of dropout*.py: each function returns the kernel
// for the given work.
#pragma once

#include "ops/Compiled.h"
#include "ops/DropoutPlan.h"

namespace eft::ops {

const GpuKernel<GpuForward> &kernelFor(const GpuForward &what);
const CpuKernel<CpuForward> &kernelFor(const CpuForward &what);
const GpuKernel<Backward> &gpuKernelFor(const Backward &what);
const CpuKernel<Backward> &cpuKernelFor(const Backward &what);
const GpuKernel<Strided> &gpuKernelFor(const Strided &what);
const CpuKernel<Strided> &cpuKernelFor(const Strided &what);

} // namespace eft::ops
