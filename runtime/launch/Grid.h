// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grid of a launch, checked against the limits of the device.
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

// The largest extents on the host. The limits of a GPU are in its properties.
inline constexpr Grid hostGridLimits = {INT32_MAX, INT32_MAX, INT32_MAX};

// Checks that each extent is from 0 to its limit, and that there are fewer than 2^63 programs.
EFT_API Expected<CheckedGrid> checkGrid(const Grid &grid, const Grid &limits,
                                        std::string_view kernel, std::string_view device);

// True if no extent of the grid is larger than the kernel's code allows.
inline bool fits(const Grid &grid, const Grid &maxPrograms) {
  return grid.x <= maxPrograms.x && grid.y <= maxPrograms.y && grid.z <= maxPrograms.z;
}

// Returns the error for a grid that is larger than the kernel's code allows.
Error tooManyPrograms(const Grid &grid, const Grid &maxPrograms, std::string_view kernel);

} // namespace eft
