// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elementary functions as IR. Each has one definition for both targets, so both compute the
// same bits. docs/mathematics.md has the errors.
//
// Every function takes f32 or f64 (a scalar, a block or a vector) and emits straight-line code of
// arith ops, math.fma, math.sqrt, math.absf and math.trunc. The code relies on IEEE 754 arithmetic
// with denormals, rounded to nearest even.
#pragma once

#include "compiler/transforms/math/DoubleWord.h"
#include "compiler/transforms/math/FloatFormat.h"
#include "compiler/transforms/math/Number.h"

#include "mlir/IR/PatternMatch.h"

#include <optional>

namespace eft {

// Add the patterns that replace operations by these functions. `eft-expand-math` applies all of
// them.
/// `saturates` states that the hardware clamps a sum to 0 to 1 without an instruction of its own.
void populateExponentialPatterns(mlir::RewritePatternSet &patterns, bool saturates);
void populateLogarithmPatterns(mlir::RewritePatternSet &patterns);
void populateTrigonometricPatterns(mlir::RewritePatternSet &patterns);
void populateInverseTrigonometricPatterns(mlir::RewritePatternSet &patterns);
void populateHyperbolicPatterns(mlir::RewritePatternSet &patterns);
void populateErrorFunctionPatterns(mlir::RewritePatternSet &patterns);
void populatePowerPatterns(mlir::RewritePatternSet &patterns);
void populateRootPatterns(mlir::RewritePatternSet &patterns);

//===----------------------------------------------------------------------===//
// Parts of functions in several files
//===----------------------------------------------------------------------===//

// Exponential.cpp
/// e^x for an x that is at most 0 or NaN.
Number nonPositiveExp(Number x, bool saturates);
/// e^x for an x for which e^x is a normal number, or NaN.
Number normalExp(Number x);

/// 1 / ln 2, and ln 2 as a sum of two floats. `high` is the float nearest to ln 2.
struct Ln2 {
  double per, high, low;
};
Ln2 ln2(const FloatFormat &format);
/// 2^m, where `sum` is m + bias + 1.5 · 2^mantissaBits and 2^m is a normal number.
Number powerOfTwo(const FloatFormat &format, Number sum);

/// The number value · scale1 · scale2. The scales are normal powers of two, and `value` is a normal
/// number. The product of the scales alone may overflow or underflow.
struct Scaled {
  DoubleWord value;
  Number scale1, scale2;
};
/// e^(high + low), with some bits more than a float has. |high| must be at most 174 in f32 and 1416
/// in f64, so that both scales are normal numbers. `low` must be much smaller than 1.
Scaled preciseExp(Number high, std::optional<Number> low = std::nullopt);
/// 2^(high + low). `high` may be any float: the result is 0 or infinity where it leaves the range
/// of floats. `low` must be much smaller than 1.
Number exp2OfSum(Number high, Number low);

// Logarithm.cpp
/// x = 2^e · (1 + f) with 2/3 ≤ 1 + f < 4/3, for x > 0.
struct SplitNumber {
  Number e, f;
};
SplitNumber splitNumber(Number x);
/// log(high + low) + more · ln 2, for high ≥ 1 and a low that is much smaller.
Number logOfSum(Number high, Number low, Number more);
/// log(1 + high + low), for high ≥ -1 and a low that is much smaller.
Number log1pOfSum(Number high, std::optional<Number> low = std::nullopt);

// Trigonometric.cpp
/// |x| = quadrant · π/2 + high + low, where |high| ≤ π/4. The quadrant is an integer of the float's
/// width; only its value modulo 4 is right.
struct ReducedAngle {
  Number quadrant, high, low;
};
/// Reduces every x, also huge ones; defined in AngleReduction.cpp. `high` is NaN if x is infinite
/// or NaN.
ReducedAngle reduceAngle(Number x);

} // namespace eft
