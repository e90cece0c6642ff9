// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structs with all that a launch of a kernel of dropout*.py needs (arrays, extents and numbers),
// and functions that launch the kernels.
#pragma once

#include "eft/Dropout.h"
#include "ops/MemoryAxes.h"
#include "ops/TensorAxes.h"

#include <cstdint>

namespace eft::ops {

// The rule that decides which elements are dropped, and the scale of those that are kept.
struct DropoutRule {
  uint64_t seed = 0;
  uint32_t threshold = 0; // see dropout.py
  bool mayKeep = true;
  double scale = 1; // a value of fp32, except for arrays of fp64
};

// The work of the forward on arrays that are row-major without gaps. The pointers refer to memory
// of the device.
struct Forward : DropoutRule {
  DataType dtype = DataType::F32; // the type of x and y
  const void *x = nullptr;
  void *y = nullptr;
  int32_t *mask = nullptr; // null: no mask is written
  int64_t rows = 0, columns = 0;
};

// The work of the backward from a mask, on arrays that are row-major without gaps.
struct Backward {
  DataType dtype = DataType::F32; // the type of dy and dx
  const void *dy = nullptr;
  const int32_t *mask = nullptr;
  void *dx = nullptr;
  int64_t count = 0;
  double scale = 1;
};

// The work of the forward, or of the backward from a mask, if some array is not row-major without
// gaps. In the backward x is dY and y is dX.
struct Strided : Forward {
  bool readsMask = false;           // true in the backward from a mask
  TensorAxes axes;                  // the axes of x, y and the mask
  std::optional<MemoryAxes> memory; // the same in the order of memory; set on a GPU if `axes` has
                                    // no stride of 1 along tiles
};

// Each function launches the work. For arrays without elements it launches nothing and succeeds.
Status launchOnCpu(const Forward &what);
Status launchOnCpu(const Backward &what);
Status launchOnCpu(const Strided &what);
Status launchOnCuda(const Forward &what, int ordinal, StreamHandle stream);
Status launchOnCuda(const Backward &what, int ordinal, StreamHandle stream);
Status launchOnCuda(const Strided &what, int ordinal, StreamHandle stream);

} // namespace eft::ops
