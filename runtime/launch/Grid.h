// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grid of a launch, checked against what the device can do before the launch.
#pragma once

#include "eft/Error.h"
#include "eft/Export.h"
#include "eft/Signature.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace eft {

// A grid that fits its device.
struct CheckedGrid {
  std::array<uint32_t, 3> extents = {};
  uint64_t programs = 0; // 0: there is nothing to launch
};

// The largest extents on the host. A GPU says its own.
inline constexpr Grid hostGridLimits = {INT32_MAX, INT32_MAX, INT32_MAX};

// Checks that each extent is from 0 to its limit, and that all programs can be counted in 64 bits.
EFT_API Expected<CheckedGrid> checkGrid(const Grid &grid, const Grid &limits,
                                        std::string_view kernel, std::string_view device);

} // namespace eft
