// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Upper bounds of numbers that are not negative.
//
// A kernel computes the numbers of its elements from its program's number: `program * 1024 +
// range`. How large such a number can get depends on the number of programs. So a bound is a linear
// function of the largest numbers of programs along the three axes of the grid. The attribute
// `eft.max_programs` of the module has these numbers.
//
//   value                        bound
//   program_id(0)                X - 1
//   … times 1024                 1024 · X - 1024
//   … plus range 0 to 1024       1024 · X - 1
#pragma once

#include "mlir/IR/Operation.h"

#include <array>
#include <optional>

namespace eft {

/// The largest numbers of programs along the three axes of a grid.
using MaxPrograms = std::array<int64_t, 3>;

/// The largest numbers of programs of any launch: each program's number fits into a signed integer
/// of 32 bits.
constexpr MaxPrograms maxProgramsOfAll = {INT32_MAX, INT32_MAX, INT32_MAX};

/// Returns the attribute `eft.max_programs` of a module, or of the module around an operation;
/// `maxProgramsOfAll` if there is none.
MaxPrograms maxProgramsAt(mlir::Operation *op);

/// The sum of `rest` and, for each axis, `perProgram` times the largest number of programs.
struct UpperBound {
  MaxPrograms perProgram = {};
  int64_t rest = 0;

  /// The bound of numbers that may be as large as their type allows.
  static UpperBound none() { return {{}, INT64_MAX}; }

  bool isNone() const { return rest == INT64_MAX; }
  bool dependsOnPrograms() const { return perProgram != MaxPrograms(); }
  /// The bound for these numbers of programs; nothing if there is none, or it needs more than 64
  /// bits.
  std::optional<int64_t> at(const MaxPrograms &programs) const;
  bool operator==(const UpperBound &) const = default;
};

/// Prints a bound, such as "1024 X - 1" or "none".
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const UpperBound &bound);

/// Bounds of sums, of products with a number that is not negative, of quotients by a positive
/// number, and of maxima, of numbers with these bounds.
UpperBound operator+(const UpperBound &left, const UpperBound &right);
UpperBound operator*(const UpperBound &bound, int64_t factor);
UpperBound operator/(const UpperBound &bound, int64_t divisor);
UpperBound maximum(const UpperBound &left, const UpperBound &right);

} // namespace eft
