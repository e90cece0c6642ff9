// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats that can't be greater than zero, such as `x - max(x)`. An exponential of such a number
// takes fewer operations, because it can't overflow.
#pragma once

#include "mlir/IR/Value.h"

namespace eft {

/// True if the number, or each element of the block, is known to be at most 0 or NaN. It is known
/// of differences `x - m` where m is the maximum of x, or the maximum of x and something else; of
/// negated magnitudes and squares; of constants; and of what is computed from such numbers by
/// moves, choices, conversions, products with constants of at least 0, and differences from numbers
/// of at least 0.
bool isNonPositive(mlir::Value value);

} // namespace eft
