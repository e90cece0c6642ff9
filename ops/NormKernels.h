// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arrays of the kernels of norm.py, and one way to launch them all.
#pragma once

#include "eft/Norm.h"
#include "ops/DropoutKernels.h"

namespace eft::ops {

// The part that both directions share. Pointers are to memory of the device.
struct Norm : DropoutRule {
  DataType dtype = DataType::F32;
  int64_t rows = 0, columns = 0;
  bool hasMean = true;
  float eps = 0;
  const void *weight = nullptr;
  float *mean = nullptr, *rstd = nullptr; // written by the forward, read by the backward
};

struct NormForwardWork : Norm {
  const void *x = nullptr, *residual = nullptr, *bias = nullptr;
  void *z = nullptr, *y = nullptr;
};

struct NormBackwardWork : Norm {
  const void *dy = nullptr, *dz = nullptr, *z = nullptr;
  void *dx = nullptr, *dresidual = nullptr, *dweight = nullptr, *dbias = nullptr;
  float *partial = nullptr; // sums for each program, those for the weight before those for the bias
};

// The programs of a direction: see norm.py.
int64_t programsOf(const NormForwardWork &what);
int64_t programsOf(const NormBackwardWork &what);

// The programs of `add_partials`.
int64_t sumProgramsOf(const NormBackwardWork &what);

// For arrays without elements they launch nothing, but the sums of nothing.
Status launchOnCpu(const NormForwardWork &what);
Status launchOnCpu(const NormBackwardWork &what);
Status launchOnCuda(const NormForwardWork &what, int ordinal, StreamHandle stream);
Status launchOnCuda(const NormBackwardWork &what, int ordinal, StreamHandle stream);

} // namespace eft::ops
