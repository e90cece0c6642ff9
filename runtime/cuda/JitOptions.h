// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options with which the driver assembles PTX.
#pragma once

#include "runtime/cuda/DriverTypes.h"

#include <cstddef>

namespace eft::cuda {

// Requests two things: a log of errors in the PTX, and line information of the kernel's source in
// the machine code, for debuggers and profilers. Line information does not slow the code down. Owns
// the log.
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
