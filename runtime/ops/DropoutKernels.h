// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of dropout.py as they were compiled: which there are, and one way to launch them all.
#pragma once

#include "eft/Dropout.h"

#include <cstdint>

namespace eft::ops {

// What the kernel `forward` works on. Pointers are to memory of the device.
struct Forward {
  const float *x = nullptr;
  float *y = nullptr;
  int32_t *mask = nullptr; // or null
  int64_t rows = 0, columns = 0;
  uint64_t seed = 0;
  uint32_t threshold = 0; // see dropout.py
  bool mayKeep = true;
  float scale = 1;
};

// What the kernel `backward` works on.
struct Backward {
  const float *dy = nullptr;
  const int32_t *mask = nullptr;
  float *dx = nullptr;
  int64_t count = 0;
  float scale = 1;
};

// Launches the variant that fits, which for an empty matrix is none.
Status launchOnCpu(const Forward &what);
Status launchOnCpu(const Backward &what);
Status launchOnCuda(const Forward &what, int ordinal, StreamHandle stream);
Status launchOnCuda(const Backward &what, int ordinal, StreamHandle stream);

} // namespace eft::ops
