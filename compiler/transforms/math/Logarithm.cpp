// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Logarithms, by the identity log x = e · ln 2 + log(1 + f) with x = 2^e · (1 + f).
//
// 1 + f is in [2/3, 4/3). So |f| ≤ 1/3, and f is exact. The sum never cancels much: its smallest
// magnitude for e ≠ 0 is ln 2 + log(2/3) = 0.288, at x = 4/3 with e = 1. log(1 + f) is f + f² p(f)
// with a polynomial p.
//
// e and 1 + f come from the bits of x. Adding bits(1) - bits(2/3) makes the exponent field change
// at 2/3 instead of at 1. To convert the field to a float, it is put into the low bits of 2^p,
// where p is the number of mantissa bits. One subtraction then removes 2^p and the bias. For
// denormals, which are scaled to be normal, the same subtraction also undoes the scaling.
#include "compiler/transforms/math/Coefficients.h"
#include "compiler/transforms/math/ExpandFunction.h"
#include "compiler/transforms/math/FloatFormat.h"
#include "compiler/transforms/math/MathFunctions.h"

using namespace mlir;

namespace eft {
namespace {

uint64_t bitsOfOne(const FloatFormat &format) {
  return format.pick<uint64_t>(0x3F800000, 0x3FF0000000000000);
}
uint64_t bitsOfTwoThirds(const FloatFormat &format) {
  return format.pick<uint64_t>(0x3F2AAAAB, 0x3FE5555555555555);
}

/// The p in log(1 + f) = f + f² p.
Number logPolynomial(const FloatFormat &format, Number f) {
  using namespace coefficients;
  return polynomial(f, format.pick(logF32, logF64));
}

/// Replaces the results for x ≤ 0, infinity and NaN.
Number withEdges(Number x, Number result) {
  result = select(x > 0.0, result, select(x == 0.0, x.infinity(/*negative=*/true), x.nan()));
  return select(x == x.infinity(), x, result);
}

/// For a logarithm to a base b: log_b 2 and 1 / ln b, both as sums of two floats.
struct Base {
  double ofTwo, ofTwoLow, perLn, perLnLow;
};
Number logToBase(Number x, Base base) {
  FloatFormat format(x);
  auto [e, f] = splitNumber(x);
  Number rest = fma(f * f, logPolynomial(format, f) * base.perLn, f * base.perLnLow);
  if (base.ofTwoLow != 0.0)
    rest = fma(e, base.ofTwoLow, rest);
  return withEdges(x, fma(e, base.ofTwo, fma(f, base.perLn, rest)));
}

/// Let x be 2^e · m with 2/3 ≤ m < 4/3, as in `splitNumber`. `field` is e + bias() as an integer.
/// `inverse` is 4 · 2^-e as a float; without the factor 4, it would not be a normal number for the
/// largest x. Both are right if x is normal and positive and e ≥ 2 - bias(). For any other x, the
/// caller must replace the result.
struct Exponent {
  Number field, inverse;
};
Exponent exponentOf(const FloatFormat &format, Number x) {
  Number bits = x.bits() + (bitsOfOne(format) - bitsOfTwoThirds(format));
  Number field = bits >> format.mantissaBits();
  Number inverse = (2 * format.bias() + 2 - field) << format.mantissaBits();
  return {field, inverse.bitsAs(format.getType())};
}

} // namespace

SplitNumber splitNumber(Number x) {
  FloatFormat format(x);
  const uint64_t unit = uint64_t(1) << format.mantissaBits();
  // 2^p as bits.
  const uint64_t bitsOfUnit = (format.bias() + format.mantissaBits()) * unit;

  Number isDenormal = x < format.smallestNormal();
  Number normal = select(isDenormal, x * unit, x);

  Number bits = normal.bits() + (bitsOfOne(format) - bitsOfTwoThirds(format));
  Number field = ((bits >> format.mantissaBits()) | bitsOfUnit).bitsAs(format.getType());
  Number bias = select(isDenormal, x.constant(unit + format.bias() + format.mantissaBits()),
                       x.constant(unit + format.bias()));
  Number mantissa = ((bits & (unit - 1)) + bitsOfTwoThirds(format)).bitsAs(format.getType());
  return {field - bias, mantissa - 1.0};
}

static Number expandLog(Number x) {
  FloatFormat format(x);
  auto [e, f] = splitNumber(x);
  Number logOfMantissa = fma(f * f, logPolynomial(format, f), f);
  return withEdges(x, fma(e, ln2(format).high, logOfMantissa));
}

static Number expandLog2(Number x) {
  return logToBase(
      x, FloatFormat(x).pick(Base{1.0, 0.0, 0x1.715476p+0, 0x1.4ae0cp-26},
                             Base{1.0, 0.0, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56}));
}

static Number expandLog10(Number x) {
  return logToBase(
      x, FloatFormat(x).pick(Base{0x1.344136p-2, -0x1.ec10cp-27, 0x1.bcb7b2p-2, -0x1.5b235ep-27},
                             Base{0x1.34413509f79ffp-2, -0x1.9dc1da994fd21p-59,
                                  0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57}));
}

Number log1pOfSum(Number high, std::optional<Number> low) {
  FloatFormat format(high);
  // e is the exponent of the rounded sum 1 + high. With s = 2^-e, f is (1 + high + low) · s - 1 =
  // high · s + (s - 1) + low · s. The first two terms of this sum are added without error where the
  // result is small.
  auto [field, inverse] = exponentOf(format, high + 1.0);
  Number scale = inverse * 0.25;
  Number e = (field - format.bias()).signedToFloat(format.getType());
  if (!low) {
    Number f = fma(high * 0.25, inverse, scale - 1.0);
    return fma(e, ln2(format).high, fma(f * f, logPolynomial(format, f), f));
  }
  DoubleWord sum = fastTwoSum(scale - 1.0, high * scale);
  sum = fastTwoSum(sum.high, fma(*low, scale, sum.low));
  Number f = sum.high;
  return fma(e, ln2(format).high, f + fma(f * f, logPolynomial(format, f), sum.low));
}

static Number expandLog1p(Number x) {
  FloatFormat format(x);
  Number result = withEdges(x + 1.0, log1pOfSum(x));
  // x + 1 is exact where it is near 0, so it is 0 only for x = -1. Tiny x are returned as they are:
  // a quarter of a denormal would be rounded.
  return select(abs(x) < format.pick(0x1p-30, 0x1p-60), x, result);
}

Number logOfSum(Number high, Number low, Number more) {
  FloatFormat format(high);
  auto [field, inverse] = exponentOf(format, high);
  Number f = fma(low * 0.25, inverse, fma(high * 0.25, inverse, -1.0));
  Number e = (field - format.bias()).signedToFloat(format.getType());
  return fma(e + more, ln2(format).high, fma(f * f, logPolynomial(format, f), f));
}

void populateLogarithmPatterns(RewritePatternSet &patterns) {
  addExpansion<math::LogOp>(patterns, expandLog);
  addExpansion<math::Log2Op>(patterns, expandLog2);
  addExpansion<math::Log10Op>(patterns, expandLog10);
  addExpansion<math::Log1pOp>(patterns, expandLog1p);
}

} // namespace eft
