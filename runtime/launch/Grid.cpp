// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checks of a grid.
#include "runtime/launch/Grid.h"

#include <string>

namespace eft {
namespace {

Error gridError(std::string_view kernel, const std::string &what) {
  std::string message = "grid of kernel '";
  message.append(kernel).append("' ").append(what);
  return {ErrorKind::InvalidArgument, std::move(message)};
}

} // namespace

Expected<CheckedGrid> checkGrid(const Grid &grid, const Grid &limits, std::string_view kernel,
                                std::string_view device) {
  CheckedGrid checked;
  bool empty = false;
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (grid[axis] < 0 || grid[axis] > limits[axis])
      return gridError(kernel, std::string("has ") + std::to_string(grid[axis]) + " programs in " +
                                   "xyz"[axis] + ", expected 0 to " + std::to_string(limits[axis]) +
                                   " on " + std::string(device));
    checked.extents[axis] = static_cast<uint32_t>(grid[axis]);
    empty |= grid[axis] == 0;
  }
  if (empty)
    return checked;
  auto programs = static_cast<unsigned __int128>(grid[0]) * grid[1] * grid[2];
  if (programs > INT64_MAX)
    return gridError(kernel, "has " + std::to_string(grid[0]) + " × " + std::to_string(grid[1]) +
                                 " × " + std::to_string(grid[2]) +
                                 " programs, expected fewer than 2^63 in all");
  checked.programs = static_cast<uint64_t>(programs);
  return checked;
}

} // namespace eft
