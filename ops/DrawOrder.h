// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows and columns that share a draw, as dropout.py has them.
#pragma once

#include <algorithm>
#include <cstdint>

namespace eft::ops {

// Rows before this one share draws along their columns, and later ones along the rows.
constexpr int64_t earlyRows = 1024;

// Of each `group` rows or columns the first `lanes` have the first number of a draw.
constexpr int64_t group = 64, lanes = 16;

constexpr int64_t ceilDivide(int64_t number, int64_t by) {
  return number / by + (number % by != 0);
}

/// The number of those among `rows` rows that are the first ones in their draws.
constexpr int64_t firstRows(int64_t rows) {
  return rows / group * lanes + std::min(rows % group, lanes);
}

} // namespace eft::ops
