// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameters and the grid of a kernel, and the way in which compiled code gets them.
#pragma once

#include "eft/DataType.h"

#include <cstdint>
#include <span>
#include <string>

namespace eft {

/// One parameter of a kernel.
struct Parameter {
  /// Of the value, or of what the pointer points to. Block IR's integers have no sign: they are I1
  /// to I64 here, and take signed and unsigned arguments alike. Booleans in memory are I8.
  DataType type = DataType::I32;
  bool isPointer = false;
  /// The compiler relies on this power of two to divide the integer, or the address in bytes. A
  /// launch checks it.
  uint64_t divisibility = 1;

  bool operator==(const Parameter &) const = default;

  /// "i32", "*fp32"
  std::string name() const { return (isPointer ? "*" : "") + std::string(dataTypeName(type)); }
};

/// The number of programs that a launch runs along each axis. An extent of 0 launches nothing.
struct Grid {
  int64_t x = 1, y = 1, z = 1;

  bool operator==(const Grid &) const = default;
};

/// A kernel compiled for the host. Runs the programs first … first + count − 1 of the grid, x
/// fastest. A parameter is in the low bytes of its slot of eight. May run in several threads at
/// once.
using HostFunction = void(const uint64_t *slots, const uint32_t grid[3], uint64_t first,
                          uint64_t count);

/// A function that code for the host may call, such as for an assertion that failed.
struct HostSymbol {
  const char *name; ///< the name by which the code calls the function
  uintptr_t address;
};

/// The functions that host objects call. A loader other than eft::load must offer them. Any thread.
EFT_API std::span<const HostSymbol> hostSymbols();

} // namespace eft
