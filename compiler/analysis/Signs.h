// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats that can't be greater than zero, such as `x - max(x)`, or less than zero, such as an
// exponential. The exponential of a number that is at most 0 takes fewer operations, because it
// can't overflow. The quotient of a number that is at least 0 takes a shorter test of its range.
#pragma once

#include "mlir/IR/Value.h"

namespace eft {

/// True if the number, or each element of the block, is known to be at most 0 or NaN. It is known
/// of differences `x - m` where m is the maximum of x, or the maximum of x and something else; of
/// negated magnitudes and squares; of constants; and of what is computed from such numbers by
/// moves, choices, conversions, products with constants of at least 0, and differences from numbers
/// of at least 0.
bool isNonPositive(mlir::Value value);

/// True if the number, or each element of the block, is known to be at least 0 or NaN. It is known
/// of exponentials, sigmoids, magnitudes, squares, square roots and constants, and of what is
/// computed from such numbers by moves, choices, conversions, sums, products, minima and maxima. It
/// is not known of quotients: a square root may be -0, and 1 / -0 is -∞.
bool isNonNegative(mlir::Value value);

} // namespace eft
