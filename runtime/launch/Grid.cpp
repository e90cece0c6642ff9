// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of a launch's grid.
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
  const int64_t extents[] = {grid.x, grid.y, grid.z};
  const int64_t most[] = {limits.x, limits.y, limits.z};
  CheckedGrid checked;
  bool empty = false;
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (extents[axis] < 0 || extents[axis] > most[axis])
      return gridError(kernel, std::string("has ") + std::to_string(extents[axis]) +
                                   " programs in " + "xyz"[axis] + ", expected 0 to " +
                                   std::to_string(most[axis]) + " on " + std::string(device));
    checked.extents[axis] = static_cast<uint32_t>(extents[axis]);
    empty |= extents[axis] == 0;
  }
  if (empty)
    return checked;
  auto programs = static_cast<unsigned __int128>(grid.x) * grid.y * grid.z;
  if (programs > INT64_MAX)
    return gridError(kernel, "has " + std::to_string(grid.x) + " × " + std::to_string(grid.y) +
                                 " × " + std::to_string(grid.z) +
                                 " programs, expected fewer than 2^63 in all");
  checked.programs = static_cast<uint64_t>(programs);
  return checked;
}

Error tooManyPrograms(const Grid &grid, const Grid &maxPrograms, std::string_view kernel) {
  auto text = [](const Grid &extents) {
    return std::to_string(extents.x) + " × " + std::to_string(extents.y) + " × " +
           std::to_string(extents.z);
  };
  return gridError(kernel, "has " + text(grid) +
                               " programs, but the kernel was compiled for at most " +
                               text(maxPrograms));
}

} // namespace eft
