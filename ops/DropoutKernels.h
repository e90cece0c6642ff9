// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arrays that the kernels of dropout*.py work on, and one way to launch them all.
#pragma once

#include "eft/Dropout.h"
#include "ops/TensorAxes.h"

#include <cstdint>

namespace eft::ops {

// The rule by which elements are dropped, and the scale of the rest.
struct DropoutRule {
  uint64_t seed = 0;
  uint32_t threshold = 0; // see dropout.py
  bool mayKeep = true;
  double scale = 1; // fp32's for all arrays but those of fp64
};

// The forward's arrays, and more: arrays that are row-major without gaps. Pointers are to memory of
// the device.
struct Forward : DropoutRule {
  DataType dtype = DataType::F32; // the type of x and y
  const void *x = nullptr;
  void *y = nullptr;
  int32_t *mask = nullptr; // may stay null
  int64_t rows = 0, columns = 0;
};

// The arrays of the backward by a mask, all row-major without gaps.
struct Backward {
  DataType dtype = DataType::F32; // the type of dy and dx
  const void *dy = nullptr;
  const int32_t *mask = nullptr;
  void *dx = nullptr;
  int64_t count = 0;
  double scale = 1;
};

// The arrays of both directions where some have other strides.
struct Strided : Forward {
  bool readsMask = false;
  TensorAxes axes; // the axes of x, y and the mask
};

// For an array without elements they launch nothing.
Status launchOnCpu(const Forward &what);
Status launchOnCpu(const Backward &what);
Status launchOnCpu(const Strided &what);
Status launchOnCuda(const Forward &what, int ordinal, StreamHandle stream);
Status launchOnCuda(const Backward &what, int ordinal, StreamHandle stream);
Status launchOnCuda(const Strided &what, int ordinal, StreamHandle stream);

} // namespace eft::ops
