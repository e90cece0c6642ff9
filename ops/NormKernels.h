// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structs with all that a launch of a kernel of norm.py needs (arrays, extents and numbers), and
// functions that launch the kernels.
#pragma once

#include "eft/Norm.h"
#include "ops/DropoutKernels.h"

namespace eft::ops {

// The fields that the forward and the backward share. The pointers refer to memory of the device.
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
  float *partial =
      nullptr; // a row of sums for each program: all rows for the weight, then all for the bias
};

// Returns the number of programs of the forward or of the backward; see norm.py.
int64_t programsOf(const NormForwardWork &what);
int64_t programsOf(const NormBackwardWork &what);

// Returns the number of programs of `add_partials`.
int64_t sumProgramsOf(const NormBackwardWork &what);

// Each function launches the work. For arrays without elements it launches nothing, except that the
// backward still launches `add_partials`, which sets the gradients of the weight and the bias to 0.
Status launchOnCpu(const NormForwardWork &what);
Status launchOnCpu(const NormBackwardWork &what);
Status launchOnCuda(const NormForwardWork &what, int ordinal, StreamHandle stream);
Status launchOnCuda(const NormBackwardWork &what, int ordinal, StreamHandle stream);

} // namespace eft::ops
