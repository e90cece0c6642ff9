// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The error for a failed assertion in a kernel.
#pragma once

#include "eft/Error.h"

#include <array>
#include <string_view>

namespace eft {

// `what` is the assertion's position in the source and its message.
inline Error assertionError(std::string_view what, const std::array<uint32_t, 3> &program) {
  return {ErrorKind::Assertion, std::string(what) + " (an assertion failed in program (" +
                                    std::to_string(program[0]) + ", " + std::to_string(program[1]) +
                                    ", " + std::to_string(program[2]) + "))"};
}

} // namespace eft
