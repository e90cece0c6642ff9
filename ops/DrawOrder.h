// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows and columns that share a draw of random words. dropout.py explains the order and has the
// same constants.
#pragma once

#include <algorithm>
#include <cstdint>

namespace eft::ops {

// In the rows before this one, four columns of a row share a draw. From this row on, four rows of a
// column share a draw.
constexpr int64_t earlyRows = 1024;

// A draw has four words. In each `group` of 64 rows or columns, the first `lanes` use the first
// word of a draw, the next 16 the second word, and so on.
constexpr int64_t group = 64, lanes = 16;

constexpr int64_t ceilDivide(int64_t number, int64_t by) {
  return number / by + (number % by != 0);
}

/// Returns the number of rows, among the first `rows` late rows, that use the first word of their
/// draws. That is the number of rows of draws.
constexpr int64_t firstRows(int64_t rows) {
  return rows / group * lanes + std::min(rows % group, lanes);
}

} // namespace eft::ops
