// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameter, Grid, and HostFunction: how compiled code on the host receives the arguments and the
// grid.
#pragma once

#include "eft/DataType.h"

#include <cstdint>
#include <span>
#include <string>

namespace eft {

/// One parameter of a kernel.
struct Parameter {
  /// The type of the value, or of the elements that the pointer points to. Integers of block IR are
  /// signless: they are I1 to I64 here, and accept signed and unsigned arguments alike. Booleans in
  /// memory are I8.
  DataType type = DataType::I32;
  bool isPointer = false;
  /// A power of two that divides the integer, or the address in bytes. The compiled code relies on
  /// it, and a launch checks it.
  uint64_t divisibility = 1;

  bool operator==(const Parameter &) const = default;

  /// "i32", "*fp32"
  std::string name() const { return (isPointer ? "*" : "") + std::string(dataTypeName(type)); }
};

/// The number of programs that a launch runs along each axis. If an extent is 0, a launch runs
/// nothing.
struct Grid {
  int64_t x = 1, y = 1, z = 1;

  bool operator==(const Grid &) const = default;
};

/// A kernel that is compiled for the host. A call runs the programs with the numbers first … first
/// + count − 1. The program at (x, y, z) has the number x + grid[0] · (y + grid[1] · z). `slots`
/// has one slot of eight bytes for each parameter, with the argument in its low bytes. Several
/// threads may call the function at once.
using HostFunction = void(const uint64_t *slots, const uint32_t grid[3], uint64_t first,
                          uint64_t count);

/// A function of the runtime that code for the host may call, for example to report a failed
/// assertion.
struct HostSymbol {
  const char *name; ///< the name by which the code calls the function
  uintptr_t address;
};

/// Returns the functions that code for the host may call. A loader other than eft::load must
/// resolve these names. Any thread.
EFT_API std::span<const HostSymbol> hostSymbols();

} // namespace eft
