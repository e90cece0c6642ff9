// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hyperbolic functions and their inverses. Near 0 the formulas with e^x and log x suffer from
// cancellation, so polynomials are used there. Both are always computed, and a select chooses.
#include "compiler/transforms/math/Coefficients.h"
#include "compiler/transforms/math/ExpandFunction.h"
#include "compiler/transforms/math/FloatFormat.h"
#include "compiler/transforms/math/MathFunctions.h"

#include <cmath>

using namespace mlir;

namespace eft {
namespace {

/// x + x³ p(x²), for x ≥ 0.
Number oddPolynomial(Number x, ArrayRef<double> coefficients) {
  Number square = x * x;
  return fma(x * square, polynomial(square, coefficients), x);
}

/// e^|x| / 2, which overflows only where sinh x does.
Number halfOfExp(Number x) {
  FloatFormat format(x);
  Number magnitude = clamp(abs(x), format.pick(-90.0, -711.0), format.pick(90.0, 711.0));
  auto [value, scale1, scale2] = preciseExp(magnitude);
  return value.high * scale1 * (scale2 * 0.5);
}

/// The square root of a sum of two floats, as a sum of two floats.
DoubleWord rootOf(DoubleWord x) {
  Number root = sqrt(x.high);
  Number rest = (fma(-root, root, x.high) + x.low) / (root + root);
  return {root, select(x.high == 0.0, 0.0, rest)};
}

/// The bound from which on x + √(x² + 1) is 2x to working precision. Below it, x² is finite.
double isLarge(const FloatFormat &format) { return format.pick(0x1p13, 0x1p28); }

} // namespace

static Number expandSinh(Number x) {
  using namespace coefficients;
  Number half = halfOfExp(x);
  Number magnitude = abs(x);
  Number small = oddPolynomial(magnitude, FloatFormat(x).pick(sinhF32, sinhF64));
  return copySign(select(magnitude < 1.0, small, half - 0.25 / half), x);
}

static Number expandCosh(Number x) {
  Number half = halfOfExp(x);
  return half + 0.25 / half;
}

/// (e^(2h) - 1) / 2 for |h| ≤ ln 2 / 4. The polynomial is that of e^r - 1, with r = 2h.
static Number halfExpm1OfTwice(const FloatFormat &format, Number h) {
  using namespace coefficients;
  SmallVector<double> ofTwice;
  for (double coefficient : format.pick(expm1F32, expm1F64))
    ofTwice.push_back(std::ldexp(coefficient, ofTwice.size() + 1));
  return fma(h * h, polynomial(h, ofTwice), h);
}

/// tanh |x| = -v / (1 + v) with v = (e^(-2|x|) - 1) / 2, which is precise near 0, too. As in expm1,
/// v = 2^m · (e^(2h) - 1) / 2 + (2^m - 1) / 2.
static Number expandTanh(Number x) {
  FloatFormat format(x);
  const Ln2 c = ln2(format);
  // From the bound on, the result is 1.
  Number in = atMost(abs(x), format.pick(10.0, 20.0));
  const double rounder = format.rounder() + format.bias();
  Number sum = fma(in, -2 * c.per, rounder);
  Number m = sum - rounder;
  // m · c.low is left out. It matters only for large |m|, where 2^m is tiny.
  Number h = fma(m, -0.5 * c.high, -in);
  Number power = powerOfTwo(format, sum);
  Number v = fma(power, halfExpm1OfTwice(format, h), fma(power, 0.5, -0.5));
  // 1 + v is rounded, so the quotient is corrected by its remainder, q + q v + v. The sum q + v is
  // exact, because q is from -v to -2v.
  Number reciprocal = plainQuotient(x.constant(1.0), v + 1.0);
  Number q = -v * reciprocal;
  Number remainder = fma(q, v, q + v);
  return copySign(fma(-remainder, reciprocal, q), x);
}

/// sign(x) · log(|x| + √(x² + 1))
static Number expandAsinh(Number x) {
  using namespace coefficients;
  FloatFormat format(x);
  Number magnitude = abs(x);
  Number beyond = magnitude >= isLarge(format);
  Number in = select(beyond, 1.0, magnitude);
  Number square = in * in;
  Number isGreater = in > 1.0;
  // x² + 1, exactly.
  Number one = in.constant(1.0);
  DoubleWord sum = fastTwoSum(select(isGreater, square, one), select(isGreater, one, square));
  DoubleWord root = rootOf({sum.high, sum.low + fma(in, in, -square)});
  DoubleWord argument = fastTwoSum(root.high, in);
  Number high = select(beyond, magnitude, argument.high);
  Number low = select(beyond, 0.0, argument.low + root.low);
  Number large = logOfSum(high, low, select(beyond, one, in.constant(0.0)));
  large = select(magnitude == x.infinity(), magnitude, large);
  Number small = oddPolynomial(magnitude, format.pick(asinhF32, asinhF64));
  return copySign(select(magnitude < 0.5, small, large), x);
}

/// log(1 + t + √(2t + t²)) with t = x - 1
static Number expandAcosh(Number x) {
  FloatFormat format(x);
  Number beyond = x >= isLarge(format);
  Number t = select(beyond, 0.0, x - 1.0);
  Number twice = t + t, square = t * t;
  Number isGreater = t > 2.0;
  DoubleWord sum = fastTwoSum(select(isGreater, square, twice), select(isGreater, twice, square));
  DoubleWord root = rootOf({sum.high, sum.low + fma(t, t, -square)});
  DoubleWord argument = fastTwoSum(root.high, t);
  Number small = log1pOfSum(argument.high, argument.low + root.low);
  Number large = logOfSum(select(beyond, x, 1.0), x.constant(0.0), x.constant(1.0));
  Number result = select(x == x.infinity(), x, select(beyond, large, small));
  return select(x >= 1.0, result, x.nan());
}

/// 1/2 log((1 + x) / (1 - x)) = 1/2 log(1 + 2x / (1 - x))
static Number expandAtanh(Number x) {
  using namespace coefficients;
  Number magnitude = abs(x);
  Number small = oddPolynomial(magnitude, FloatFormat(x).pick(atanhF32, atanhF64));
  Number in = select(magnitude < 1.0, magnitude, 0.0);
  Number large = log1pOfSum((in + in) / (1.0 - in)) * 0.5;
  Number edge = select(magnitude == 1.0, x.infinity(), x.nan());
  large = select(magnitude < 1.0, large, edge);
  return copySign(select(magnitude < 0.5, small, large), x);
}

void populateHyperbolicPatterns(RewritePatternSet &patterns) {
  addExpansion<math::SinhOp>(patterns, expandSinh);
  addExpansion<math::CoshOp>(patterns, expandCosh);
  addExpansion<math::TanhOp>(patterns, expandTanh);
  addExpansion<math::AsinhOp>(patterns, expandAsinh);
  addExpansion<math::AcoshOp>(patterns, expandAcosh);
  addExpansion<math::AtanhOp>(patterns, expandAtanh);
}

} // namespace eft
