// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sine, cosine and tangent: the angle is reduced to |r| ≤ π/4 and a quadrant; there, polynomials
// give both the sine and the cosine, and the quadrant says which of them is the result and with
// which sign. What the reduced angle has beyond its float counts: it would be half a unit in the
// last place of the result. The tangent also uses what the sine and the cosine have beyond their
// floats; for the others, that is dead code.
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

/// Of high + low.
SineAndCosine ofSmallAngle(Number high, Number low) {
  using namespace coefficients;
  FloatFormat format(high);
  Number square = high * high;
  Number half = square * 0.5;
  Number sinePolynomial = polynomial(square, format.pick(sinF32, sinF64));
  Number sineRemainder = fma(high * square, sinePolynomial, fma(-half, low, low));
  // 1 - half is rounded; what it lost goes to the rest.
  Number first = 1.0 - half;
  Number cosinePolynomial = polynomial(square, format.pick(cosF32, cosF64));
  Number cosineRemainder =
      ((1.0 - first) - half) + fma(square * square, cosinePolynomial, -(high * low));
  return {fastTwoSum(high, sineRemainder), fastTwoSum(first, cosineRemainder)};
}

Number isOdd(Number quadrant) { return (quadrant & 1) != 0; }

/// The second bit of the quadrant as a float that has it as its sign.
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
