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

#include "mlir/IR/PatternMatch.h"

#include <optional>

namespace eft {

// The patterns that replace operations by the functions, which `eft-expand-math` collects.
void populateExponentialPatterns(mlir::RewritePatternSet &patterns);
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
Number expandExp(Number x);
/// The same for an x that is known to be from -104 to 89 in f32, or from -746 to 710 in f64, or
/// NaN.
Number boundedExp(Number x);

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
/// |x| = quadrant · π/2 + high + low, |high| ≤ π/4, with the quadrant modulo 4 as an integer of the
/// float's width.
struct ReducedAngle {
  Number quadrant, high, low;
};
/// For every x, in AngleReduction.cpp. The angle is NaN for infinities and NaN.
ReducedAngle reduceAngle(Number x);

} // namespace eft
