// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of dropout*.py as they were compiled ahead of time.
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
