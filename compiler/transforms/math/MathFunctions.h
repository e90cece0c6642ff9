// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elementary functions as IR. There is one definition of each; both targets run it, so they
// give the same bits. docs/mathematics.md has the errors.
//
// Every function takes f32 or f64 (a scalar, a block or a vector) and gives straight-line code of
// arith ops and math.fma that relies on IEEE 754 arithmetic with denormals, rounded to nearest.
#pragma once

#include "compiler/transforms/math/Number.h"

namespace eft {

/// e to the power of x, within 1.7 ulp (f32) or 1.5 ulp (f64).
Number expandExp(Number x);

/// The natural logarithm of x, within 1.1 ulp (f32) or 1.3 ulp (f64).
Number expandLog(Number x);

} // namespace eft
