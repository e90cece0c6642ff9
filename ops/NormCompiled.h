// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of norm.py as they were compiled ahead of time.
#pragma once

#include "ops/Compiled.h"
#include "ops/NormKernels.h"

namespace eft::ops {

const GpuKernel<NormForwardWork> &gpuKernelFor(const NormForwardWork &what);
const CpuKernel<NormForwardWork> &cpuKernelFor(const NormForwardWork &what);
const GpuKernel<NormBackwardWork> &gpuKernelFor(const NormBackwardWork &what);
const CpuKernel<NormBackwardWork> &cpuKernelFor(const NormBackwardWork &what);

/// The kernels that add up the partial sums.
const GpuKernel<NormBackwardWork> &gpuSumsFor(const NormBackwardWork &what);
const CpuKernel<NormBackwardWork> &cpuSumsFor(const NormBackwardWork &what);

} // namespace eft::ops
