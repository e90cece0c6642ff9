// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sine, cosine and tangent. The angle is reduced to |r| ≤ π/4 and a quadrant. Polynomials give the
// sine and the cosine of r, and the quadrant decides which of them is the result, and its sign. r
// is a sum of two floats, because dropping its low part would cost half a unit in the last place of
// the result. The sine and the cosine of r are also sums of two floats. Only the tangent uses their
// low parts; for the others they are dead code.
#include "compiler/transforms/math/Coefficients.h"
#include "compiler/transforms/math/ExpandFunction.h"
#include "compiler/transforms/math/FloatFormat.h"
#include "compiler/transforms/math/MathFunctions.h"

using namespace mlir;

namespace eft {
namespace {

struct SineAndCosine {
  DoubleWord sine, cosine;
};

/// The sine and cosine of high + low.
SineAndCosine ofSmallAngle(Number high, Number low) {
  using namespace coefficients;
  FloatFormat format(high);
  Number square = high * high;
  Number half = square * 0.5;
  Number sinePolynomial = polynomial(square, format.pick(sinF32, sinF64));
  Number sineRemainder = fma(high * square, sinePolynomial, fma(-half, low, low));
  // 1 - half is rounded; its rounding error is added to the remainder.
  Number first = 1.0 - half;
  Number cosinePolynomial = polynomial(square, format.pick(cosF32, cosF64));
  Number cosineRemainder =
      ((1.0 - first) - half) + fma(square * square, cosinePolynomial, -(high * low));
  return {fastTwoSum(high, sineRemainder), fastTwoSum(first, cosineRemainder)};
}

Number isOdd(Number quadrant) { return (quadrant & 1) != 0; }

/// A float whose sign bit is bit 1 of the quadrant.
Number signOf(Number quadrant, const FloatFormat &format) {
  return (quadrant << (quadrant.getWidth() - 2)).bitsAs(format.getType());
}

} // namespace

static Number expandSin(Number x) {
  FloatFormat format(x);
  auto [quadrant, high, low] = reduceAngle(x);
  auto [sine, cosine] = ofSmallAngle(high, low);
  Number result = select(isOdd(quadrant), cosine.high, sine.high);
  return flipSign(flipSign(result, signOf(quadrant, format)), x);
}

static Number expandCos(Number x) {
  FloatFormat format(x);
  auto [quadrant, high, low] = reduceAngle(x);
  auto [sine, cosine] = ofSmallAngle(high, low);
  Number result = select(isOdd(quadrant), sine.high, cosine.high);
  return flipSign(result, signOf(quadrant + 1, format));
}

static Number expandTan(Number x) {
  auto [quadrant, high, low] = reduceAngle(x);
  auto [sine, cosine] = ofSmallAngle(high, low);
  Number odd = isOdd(quadrant);
  auto choose = [&](DoubleWord a, DoubleWord b) {
    return DoubleWord{select(odd, a.high, b.high), select(odd, a.low, b.low)};
  };
  Number tangent = quotient(choose(cosine, sine), choose(sine, cosine));
  return flipSign(select(odd, -tangent, tangent), x);
}

void populateTrigonometricPatterns(RewritePatternSet &patterns) {
  addExpansion<math::SinOp>(patterns, expandSin);
  addExpansion<math::CosOp>(patterns, expandCos);
  addExpansion<math::TanOp>(patterns, expandTan);
}

} // namespace eft
