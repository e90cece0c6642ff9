// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inverse trigonometric functions. Small operands use polynomials. Identities reduce the other
// operands to small ones, and the result is then a multiple of π/2 plus a smaller number. The
// multiple is a sum of two floats, so that the rounding of π/2 adds no error.
#include "compiler/transforms/math/Coefficients.h"
#include "compiler/transforms/math/ExpandFunction.h"
#include "compiler/transforms/math/FloatFormat.h"
#include "compiler/transforms/math/MathFunctions.h"

using namespace mlir;

namespace eft {
namespace {

struct HalfPi {
  double high, low;
};
HalfPi halfPi(const FloatFormat &format) {
  return format.pick(HalfPi{0x1.921fb6p+0, -0x1.777a5cp-25},
                     HalfPi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54});
}

/// arctan t for 0 ≤ t ≤ 1.
Number arctanOfRatio(Number t) {
  using namespace coefficients;
  Number square = t * t;
  return fma(t * square, polynomial(square, FloatFormat(t).pick(atanF32, atanF64)), t);
}

/// arcsin s - s, for s² ≤ 1/4.
Number arcsinRemainder(Number s, Number square) {
  using namespace coefficients;
  return s * square * polynomial(square, FloatFormat(s).pick(asinF32, asinF64));
}

/// The part that arcsine and arccosine share. If |x| ≤ 1/2 (`isSmall`), s is |x|. Otherwise s is
/// √((1 - |x|) / 2), the sine of half the angle whose cosine is |x|. `rest` is arcsin s - s.
struct HalfAngle {
  Number isSmall, s, rest;
};
HalfAngle halfAngle(Number x) {
  Number magnitude = abs(x);
  Number isSmall = magnitude <= 0.5;
  Number square = select(isSmall, magnitude * magnitude, fma(magnitude, -0.5, 0.5));
  Number s = select(isSmall, magnitude, sqrt(square));
  return {isSmall, s, arcsinRemainder(s, square)};
}

} // namespace

static Number expandAtan(Number x) {
  FloatFormat format(x);
  const HalfPi c = halfPi(format);
  Number magnitude = abs(x);
  Number isSteep = magnitude > 1.0;
  Number angle = arctanOfRatio(select(isSteep, 1.0 / magnitude, magnitude));
  Number other = c.high + (c.low - angle);
  return copySign(select(isSteep, other, angle), x);
}

static Number expandAtan2(Number y, Number x) {
  FloatFormat format(x);
  const HalfPi c = halfPi(format);
  Number ay = abs(y), ax = abs(x);
  Number isSteep = ay > ax;
  Number less = select(isSteep, ax, ay), more = select(isSteep, ay, ax);
  // The ratio of equal magnitudes is 1, also for two infinities, but 0 for two zeros.
  Number ofEqual = select(more == 0.0, 0.0, x.constant(1.0));
  Number angle = arctanOfRatio(select(less == more, ofEqual, less / more));
  Number isLeft = x.bits() < 0;
  Number zero = x.constant(0.0);
  Number high = select(isSteep, x.constant(c.high), select(isLeft, x.constant(2 * c.high), zero));
  Number low = select(isSteep, x.constant(c.low), select(isLeft, x.constant(2 * c.low), zero));
  Number isBackwards = isSteep ^ isLeft;
  return copySign(high + (low + select(isBackwards, -angle, angle)), y);
}

static Number expandAsin(Number x) {
  FloatFormat format(x);
  const HalfPi c = halfPi(format);
  auto [isSmall, s, rest] = halfAngle(x);
  // π/2 - 2 (s + rest)
  DoubleWord difference = fastTwoSum(x.constant(c.high), s * -2.0);
  Number other = difference.high + (difference.low + fma(rest, -2.0, c.low));
  return copySign(select(isSmall, s + rest, other), x);
}

static Number expandAcos(Number x) {
  FloatFormat format(x);
  const HalfPi c = halfPi(format);
  auto [isSmall, s, rest] = halfAngle(x);
  Number isNegative = x < 0.0;
  // π/2 - arcsin x for small x. Otherwise twice the half angle, or π minus that for x < 0.
  Number arcsine = select(isNegative, -(s + rest), s + rest);
  Number fromSmall = c.high - (arcsine - c.low);
  Number twice = (s + rest) * 2.0;
  Number other = select(isNegative, 2 * c.high - (twice - 2 * c.low), twice);
  return select(isSmall, fromSmall, other);
}

void populateInverseTrigonometricPatterns(RewritePatternSet &patterns) {
  addExpansion<math::AsinOp>(patterns, expandAsin);
  addExpansion<math::AcosOp>(patterns, expandAcos);
  addExpansion<math::AtanOp>(patterns, expandAtan);
  addExpansion<math::Atan2Op>(patterns, expandAtan2);
}

} // namespace eft
