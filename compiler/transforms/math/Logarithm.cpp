// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Logarithms, by the identity log x = e · ln 2 + log(1 + f) with x = 2^e · (1 + f).
//
// 1 + f lies in [2/3, 4/3). So f is small on both sides, x - 1 is exact around 1, and the sum never
// cancels much: for e = -1 the smallest magnitude is ln 2 - log(4/3) = 0.405. log(1 + f) is
// f + f² p(f) with a polynomial p.
//
// e and 1 + f come from the bits of x: adding bits(1) - bits(2/3) lets the exponent field change at
// 2/3 instead of at 1. The field becomes a float by becoming the low bits of 2^p, p + 1 being the
// precision; taking off 2^p and the bias is one subtraction, which for denormals also undoes the
// scaling that makes them normal.
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

/// p with log(1 + f) = f + f² p.
Number logPolynomial(const FloatFormat &format, Number f) {
  using namespace coefficients;
  return polynomial(f, format.pick(logF32, logF64));
}

double ln2(const FloatFormat &format) { return format.pick(0x1.62e43p-1, 0x1.62e42fefa39efp-1); }

/// A logarithm's results outside of the positive numbers, and at infinity.
Number withEdges(Number x, Number result) {
  result = select(x > 0.0, result, select(x == 0.0, x.infinity(/*negative=*/true), x.nan()));
  return select(x == x.infinity(), x, result);
}

/// The logarithm to another base: of 2, and 1 / ln(base), both as sums of two floats.
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

/// An integer e + bias() as a float, and 2^-e · 4; for x ≥ 0 that is not small, and e > -25 or -54.
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
  return withEdges(x, fma(e, ln2(format), logOfMantissa));
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
  // The exponent is that of 1 + high, even if that is rounded. With s = 2^-e, the mantissa is
  // (1 + high + low) · s, and f = high · s + (s - 1) is exact where it is small.
  auto [field, inverse] = exponentOf(format, high + 1.0);
  Number scale = inverse * 0.25;
  Number e = (field - format.bias()).signedToFloat(format.getType());
  if (!low) {
    Number f = fma(high * 0.25, inverse, scale - 1.0);
    return fma(e, ln2(format), fma(f * f, logPolynomial(format, f), f));
  }
  DoubleWord sum = fastTwoSum(scale - 1.0, high * scale);
  sum = fastTwoSum(sum.high, fma(*low, scale, sum.low));
  Number f = sum.high;
  return fma(e, ln2(format), f + fma(f * f, logPolynomial(format, f), sum.low));
}

static Number expandLog1p(Number x) {
  FloatFormat format(x);
  Number result = withEdges(x + 1.0, log1pOfSum(x));
  // 1 + x may be 0 where x is not -1 only by cancellation, which is exact. A quarter of a denormal
  // would be rounded.
  return select(abs(x) < format.pick(0x1p-30, 0x1p-60), x, result);
}

Number logOfSum(Number high, Number low, Number more) {
  FloatFormat format(high);
  auto [field, inverse] = exponentOf(format, high);
  Number f = fma(low * 0.25, inverse, fma(high * 0.25, inverse, -1.0));
  Number e = (field - format.bias()).signedToFloat(format.getType());
  return fma(e + more, ln2(format), fma(f * f, logPolynomial(format, f), f));
}

void populateLogarithmPatterns(RewritePatternSet &patterns) {
  addExpansion<math::LogOp>(patterns, expandLog);
  addExpansion<math::Log2Op>(patterns, expandLog2);
  addExpansion<math::Log10Op>(patterns, expandLog10);
  addExpansion<math::Log1pOp>(patterns, expandLog1p);
}

} // namespace eft
