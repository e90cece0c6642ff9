// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elementary functions as IR. There is one definition of each; both targets run it, so they
// give the same bits. docs/mathematics.md has the errors.
//
// Every function takes f32 or f64 (a scalar, a block or a vector) and gives straight-line code of
// arith ops, math.fma, math.sqrt and math.trunc that relies on IEEE 754 arithmetic with denormals,
// rounded to nearest.
#pragma once

#include "compiler/transforms/math/DoubleWord.h"
#include "compiler/transforms/math/Number.h"

#include <optional>

namespace eft {

// Exponential.cpp
Number expandExp(Number x);
Number expandExp2(Number x);
Number expandExp10(Number x);
Number expandExpm1(Number x);
/// 2^x and e^x of f32 by the hardware's approximation, `math.exp2` with `fastmath<afn>`.
Number approximateExp2(Number x);
Number approximateExp(Number x);
/// 1 / (1 + e^-x).
Number expandSigmoid(Number x);

/// A number as value · scale1 · scale2, with powers of two as scales: their product may be no
/// normal number where the value's is.
struct Scaled {
  DoubleWord value;
  Number scale1, scale2;
};
/// e to the power of high + low, with some bits more than a float has, for a power between those of
/// which the result is 0 and infinite.
Scaled preciseExp(Number high, std::optional<Number> low = std::nullopt);
/// 2 to the power of high + low. Powers beyond the exponent's range are allowed.
Number exp2OfSum(Number high, Number low);

// Logarithm.cpp
Number expandLog(Number x);
Number expandLog2(Number x);
Number expandLog10(Number x);
Number expandLog1p(Number x);

/// x = 2^e · (1 + f) with 2/3 ≤ 1 + f < 4/3, for x > 0.
struct SplitNumber {
  Number e, f;
};
SplitNumber splitNumber(Number x);
/// log(high + low) + more · ln 2, for high ≥ 1 and a low that is little beside it.
Number logOfSum(Number high, Number low, Number more);
/// log(1 + high + low) for high ≥ -1 and a low that is little beside it.
Number log1pOfSum(Number high, std::optional<Number> low = std::nullopt);

// Trigonometric.cpp
Number expandSin(Number x);
Number expandCos(Number x);
Number expandTan(Number x);

/// |x| = quadrant · π/2 + high + low, |high| ≤ π/4, with the quadrant modulo 4 as an integer of the
/// float's width.
struct ReducedAngle {
  Number quadrant, high, low;
};
/// For every x, in AngleReduction.cpp. The angle is NaN for infinities and NaN.
ReducedAngle reduceAngle(Number x);

// InverseTrigonometric.cpp
Number expandAsin(Number x);
Number expandAcos(Number x);
Number expandAtan(Number x);
Number expandAtan2(Number y, Number x);

// Hyperbolic.cpp
Number expandSinh(Number x);
Number expandCosh(Number x);
Number expandTanh(Number x);
Number expandAsinh(Number x);
Number expandAcosh(Number x);
Number expandAtanh(Number x);

// ErrorFunction.cpp
Number expandErf(Number x);
Number expandErfc(Number x);

// Power.cpp
Number expandPow(Number x, Number y);

// Roots.cpp
Number expandRsqrt(Number x);
Number expandCbrt(Number x);
Number expandHypot(Number x, Number y);
/// To the nearest integer, halves away from zero.
Number expandRound(Number x);

} // namespace eft
