// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of dropout.py and dropout_unaligned.py as they were compiled, and which of them is
// for what.
#pragma once

#include "runtime/cpu/Kernel.h"
#include "runtime/launch/Grid.h"
#include "runtime/ops/DropoutKernels.h"

#include <array>

namespace eft::ops {

/// The arguments for the CPU.
struct Slots {
  std::array<uint64_t, 11> values;
  size_t count;
};

/// A compiled kernel: `launch` puts it into a stream of the current context, `host` is it on the
/// CPU, or null if there is no code for this one.
template <typename What> struct Variant {
  int64_t rows, columns; // of a program; as many rows as fit if there are 0
  int64_t lead;          // columns that a row may begin behind the place where its programs do
  int (*launch)(StreamHandle stream, const CheckedGrid &grid, const What &what);
  const char *(*errorText)(int code);
  const cpu::Kernel *(*host)();
  Slots (*slots)(const What &what);
};

/// The one that is fastest for this on such a device.
const Variant<Forward> &choose(const Forward &what, DeviceKind device);
const Variant<Backward> &choose(const Backward &what, DeviceKind device);

/// How many rows a program of a variant has.
int64_t rowsEach(const Forward &what, const Variant<Forward> &variant);

} // namespace eft::ops
