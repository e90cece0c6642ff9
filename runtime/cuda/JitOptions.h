// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options with which the driver assembles PTX.
#pragma once

#include "runtime/cuda/DriverTypes.h"

#include <cstddef>

namespace eft::cuda {

// Asks for a log of what is wrong with the PTX, and for the lines of the kernel's source in the
// code, which debuggers and profilers show. They cost no time when the code runs. Owns the log.
class JitOptions {
public:
  JitOptions() = default;
  JitOptions(const JitOptions &) = delete;

  static constexpr unsigned count = 3;
  JitOption names[count] = {errorLogBuffer, errorLogBytes, generateLineInfo};
  char log[8192] = {};
  void *values[count] = {log, reinterpret_cast<void *>(sizeof(log)),
                         reinterpret_cast<void *>(size_t(1))};
};

} // namespace eft::cuda
