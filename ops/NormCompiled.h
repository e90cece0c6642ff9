// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of norm.py as they were compiled ahead of time.
#pragma once

#include "ops/Compiled.h"
#include "ops/NormKernels.h"

namespace eft::ops {

/// A kernel for both targets.
template <typename What> struct CompiledKernel {
  GpuKernel<What> gpu;
  CpuKernel<What> cpu;
};

const CompiledKernel<NormForwardWork> &kernelFor(const NormForwardWork &what);
const CompiledKernel<NormBackwardWork> &kernelFor(const NormBackwardWork &what);

/// The kernel that adds up the partial sums.
const CompiledKernel<NormBackwardWork> &sumsFor(const NormBackwardWork &what);

} // namespace eft::ops
