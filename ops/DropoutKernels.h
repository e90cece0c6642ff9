// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kernels of dropout*.py work on, and one way to launch them all.
#pragma once

#include "eft/Dropout.h"

#include <cstdint>

namespace eft::ops {

// What the forward works on. Pointers are to memory of the device.
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

// What the backward by a mask works on.
struct Backward {
  const float *dy = nullptr;
  const int32_t *mask = nullptr;
  float *dx = nullptr;
  int64_t count = 0;
  float scale = 1;
};

// For an empty matrix they launch nothing.
Status launchOnCpu(const Forward &what);
Status launchOnCpu(const Backward &what);
Status launchOnCuda(const Forward &what, int ordinal, StreamHandle stream);
Status launchOnCuda(const Backward &what, int ordinal, StreamHandle stream);

} // namespace eft::ops
