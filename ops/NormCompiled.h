// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Look-up of the ahead-of-time compiled kernels of norm.py: each function returns the kernel for
// the given work.
#pragma once

#include "ops/Compiled.h"
#include "ops/NormKernels.h"

namespace eft::ops {

const GpuKernel<NormForwardWork> &gpuKernelFor(const NormForwardWork &what);
const CpuKernel<NormForwardWork> &cpuKernelFor(const NormForwardWork &what);
const GpuKernel<NormBackwardWork> &gpuKernelFor(const NormBackwardWork &what);
const CpuKernel<NormBackwardWork> &cpuKernelFor(const NormBackwardWork &what);

/// The kernels `add_partials`, which add up the partial sums.
const GpuKernel<NormBackwardWork> &gpuSumsFor(const NormBackwardWork &what);
const CpuKernel<NormBackwardWork> &cpuSumsFor(const NormBackwardWork &what);

} // namespace eft::ops
