// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// x to the power of y, as 2^(y · log2 |x|). An absolute error of y · log2 |x| becomes a relative
// error of the result. In one float, this product would have too few bits after the binary point,
// because it can have 8 bits before the point in f32 and 11 in f64. So the logarithm is a sum of
// two floats. With |x| = 2^e (1 + f) and s = f / (2 + f):
//
//   log(1 + f) = 2 atanh s = 2s (1 + s²/3 + s⁴/5 + …)
//
// s and the term s²/3 are sums of two floats as well. The terms from s⁴/5 on are so small that one
// float is enough.
#include "compiler/transforms/math/Coefficients.h"
#include "compiler/transforms/math/ExpandFunction.h"
#include "compiler/transforms/math/FloatFormat.h"
#include "compiler/transforms/math/MathFunctions.h"

using namespace mlir;

namespace eft {
namespace {

DoubleWord constant(Number like, double high, double low) {
  return {like.constant(high), like.constant(low)};
}

/// f / (2 + f), as a sum of two floats.
DoubleWord halfAngleRatio(Number f) {
  DoubleWord divisor = fastTwoSum(f.constant(2.0), f);
  Number inverse = 1.0 / divisor.high;
  Number quotient = f * inverse;
  Number rest = fma(-quotient, divisor.low, fma(-quotient, divisor.high, f));
  return {quotient, rest * inverse};
}

/// log2 x for x > 0, with about twice the precision of x's type.
DoubleWord preciseLog2(Number x) {
  using namespace coefficients;
  FloatFormat format(x);
  auto [e, f] = splitNumber(x);
  DoubleWord s = halfAngleRatio(f);
  DoubleWord square = s * s;
  // (s⁴/5 + s⁶/7 + …) / s².
  Number tail = polynomial(square.high, format.pick(atanhTailF32, atanhTailF64));
  if (!x.getElementType().isF32())
    tail = fma(square.high, tail, 0.2);
  tail = square.high * tail;
  DoubleWord third = format.pick(constant(x, 0x1.555556p-2, -0x1.555556p-27),
                                 constant(x, 0x1.5555555555555p-2, 0x1.5555555555555p-56));
  DoubleWord series = fastTwoSum(third.high, tail);
  series.low = series.low + third.low;
  DoubleWord twice = {s.high + s.high, s.low + s.low};
  DoubleWord logarithm = twice + twice * (square * series);
  DoubleWord perLn2 = format.pick(constant(x, 0x1.715476p+0, 0x1.4ae0cp-26),
                                  constant(x, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56));
  DoubleWord scaled = logarithm * perLn2;
  DoubleWord sum = fastTwoSum(e, scaled.high);
  return {sum.high, sum.low + scaled.low};
}

Number isInteger(Number x) { return truncate(x) == x; }

} // namespace

static Number expandPow(Number x, Number y) {
  FloatFormat format(x);
  Number magnitude = abs(x), ay = abs(y);
  Number infinity = x.infinity(), one = x.constant(1.0);
  Number isOrdinary = (magnitude > 0.0) & (magnitude < infinity);
  DoubleWord logarithm = preciseLog2(select(isOrdinary, magnitude, one));

  // Where `high` is this large, the result is 0 or infinity whatever `low` is. `low` may be NaN
  // there, so 0 replaces it.
  Number high = y * logarithm.high;
  Number low = fma(y, logarithm.high, -high) + y * logarithm.low;
  low = select(abs(high) < format.pick(0x1p10, 0x1p13), low, 0.0);
  Number result = exp2OfSum(high, low);

  // 0 or infinity to the power of y: 0 or infinity. The last select gives 1 for y = 0.
  Number isZero = magnitude == 0.0, isNegativePower = y < 0.0;
  Number edge = select(isZero ^ isNegativePower, 0.0, infinity);
  result = select(isZero | (magnitude == infinity), edge, result);

  Number isNegative = x.bits() < 0;
  Number isOdd = isInteger(y) & (truncate(y * 0.5) != y * 0.5) & (ay < infinity);
  Number isRoot = (x < 0.0) & (x > x.infinity(/*negative=*/true)) & (truncate(y) != y);
  result = select(isNegative & isOdd, -result, result);
  result = select(isRoot, x.nan(), result);
  // 1 or -1 to an infinite power is 1.
  result = select((magnitude == 1.0) & (ay == infinity), one, result);
  result = select(isNan(x) | isNan(y), x.nan(), result);
  return select((x == 1.0) | (y == 0.0), one, result);
}

void populatePowerPatterns(RewritePatternSet &patterns) {
  addExpansion<math::PowFOp>(patterns, expandPow);
}

} // namespace eft
