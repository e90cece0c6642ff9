// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exponential functions. Each writes b^x, for its base b, as 2^m · b^r with an integer m and a
// small r, for which a polynomial is enough. m is found by adding 1.5 · 2^p, where p is the number
// of mantissa bits: one unit in the last place of the sum is 1, so the low bits of the sum are m.
// Adding the exponent's bias to the constant turns these bits into an exponent field, which a shift
// moves into place.
//
// exp reduces x by multiples of 2 ln 2 instead of ln 2, so e^x = 2^(2m) · e^r. 2^m is a normal
// number for every x whose result is neither 0 nor infinity. Multiplying by 2^m twice gives
// denormals and overflows where it should, rounds once, and needs no case distinction. The price is
// that |r| may be ln 2, which takes two more terms of the polynomial. exp2, exp10 and preciseExp
// split 2^m into two powers of two by halving the integer m.
#include "compiler/transforms/math/Coefficients.h"
#include "compiler/transforms/math/ExpandFunction.h"
#include "compiler/transforms/math/FloatFormat.h"
#include "compiler/transforms/math/MathFunctions.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace eft {
namespace {

/// m, the integer nearest to x · perUnit, and 2^m as the product of two normal numbers.
struct PowerOfTwo {
  Number m, scale1, scale2;
};
PowerOfTwo splitPower(const FloatFormat &format, Number x, double perUnit) {
  const double rounder = format.rounder() + 2 * format.bias();
  Number sum = fma(x, perUnit, rounder);
  // The low bits of the sum are n = m + 2 · bias. The exponent fields of the two scales are ⌊n/2⌋
  // and n - ⌊n/2⌋. The shifts move n or ⌊n/2⌋ into place and drop the rounder's own bits.
  const unsigned mantissa = format.mantissaBits();
  Number first = (sum.bits() << (mantissa - 1)) & -(int64_t(1) << mantissa);
  Number second = (sum.bits() << mantissa) - first;
  return {sum - rounder, first.bitsAs(format.getType()), second.bitsAs(format.getType())};
}

/// The bounds of x beyond which e^x rounds to 0 (least) or overflows (greatest).
double leastPower(const FloatFormat &format) { return format.pick(-104.0, -746.0); }
double greatestPower(const FloatFormat &format) { return format.pick(89.0, 710.0); }

/// e^(r + low) - 1 for |r| ≤ ln 2 / 2, where low is a correction much smaller than r.
Number expm1Polynomial(const FloatFormat &format, Number r, Number low) {
  using namespace coefficients;
  return fma(r * r, polynomial(r, format.pick(expm1F32, expm1F64)), low) + r;
}

/// 1 / ln 2, and ln 2 as a sum of two floats.
struct Ln2 {
  double per, high, low;
};
Ln2 ln2(const FloatFormat &format) {
  return format.pick(Ln2{0x1.715476p+0, 0x1.62e43p-1, -0x1.05c61p-29},
                     Ln2{0x1.71547652b82fep+0, 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56});
}

} // namespace

Number boundedExp(Number x) {
  using namespace coefficients;
  FloatFormat format(x);
  const Ln2 c = ln2(format);
  const double rounder = format.rounder() + format.bias();
  Number sum = fma(x, c.per / 2, rounder);
  Number m = sum - rounder;
  Number r = fma(m, -2 * c.low, fma(m, -2 * c.high, x));
  Number scale = (sum.bits() << format.mantissaBits()).bitsAs(format.getType());
  Number p = polynomial(r, format.pick(expF32, expF64));
  return fma(fma(p, r, 1.0), r, 1.0) * scale * scale;
}

Number expandExp(Number x) {
  FloatFormat format(x);
  return boundedExp(clamp(x, leastPower(format), greatestPower(format)));
}

static Number expandExp2(Number x) { return exp2OfSum(x, x.constant(-0.0)); }

Number exp2OfSum(Number high, Number low) {
  using namespace coefficients;
  FloatFormat format(high);
  Number x = clamp(high, format.pick(-160.0, -1080.0), format.pick(129.0, 1025.0));
  auto [m, scale1, scale2] = splitPower(format, x, 1.0);
  Number r = (x - m) + low;
  Number value = fma(r, polynomial(r, format.pick(exp2F32, exp2F64)), 1.0);
  return value * scale1 * scale2;
}

static Number expandExp10(Number x) {
  using namespace coefficients;
  FloatFormat format(x);
  x = clamp(x, format.pick(-46.0, -325.0), format.pick(39.0, 309.0));
  auto [m, scale1, scale2] = splitPower(format, x, format.pick(0x1.a934fp+1, 0x1.a934f0979a371p+1));
  // log10(2) as a sum of two floats.
  Number r = fma(m, -format.pick(-0x1.ec10cp-27, -0x1.9dc1da994fd21p-59),
                 fma(m, -format.pick(0x1.344136p-2, 0x1.34413509f79ffp-2), x));
  Number value = fma(r, polynomial(r, format.pick(exp10F32, exp10F64)), 1.0);
  return value * scale1 * scale2;
}

/// e^x - 1 = 2^m · (e^r - 1) + (2^m - 1). Half of this is computed and then doubled, because 2^m
/// itself may overflow.
static Number expandExpm1(Number x) {
  FloatFormat format(x);
  const Ln2 c = ln2(format);
  // Below the lower bound, the result is -1.
  Number in = clamp(x, format.pick(-18.0, -38.0), format.pick(89.0, 710.0));
  const double rounder = format.rounder() + format.bias() - 1;
  Number sum = fma(in, c.per, rounder);
  Number m = sum - rounder;
  Number reduced = fma(m, -c.high, in);
  Number r = fma(m, -c.low, reduced);
  Number rest = fma(m, -c.low, reduced - r);
  Number half = (sum.bits() << format.mantissaBits()).bitsAs(format.getType());
  Number part = fma(half, expm1Polynomial(format, r, rest), half - 0.5);
  // Tiny x are returned as they are: half of a denormal would be rounded, and -0 would lose its
  // sign.
  return select(abs(x) < format.pick(0x1p-30, 0x1p-60), x, part + part);
}

Scaled preciseExp(Number high, std::optional<Number> more) {
  FloatFormat format(high);
  const Ln2 c = ln2(format);
  auto [m, scale1, scale2] = splitPower(format, high, c.per);
  // `reduced` is exact: the fma does not round m · c.high, and the difference is small. `first` is
  // the reduced argument, rounded; `rest` is its rounding error.
  Number reduced = fma(m, -c.high, high);
  Number first = fma(m, -c.low, reduced);
  Number rest = fma(m, -c.low, reduced - first);
  DoubleWord r = more ? fastTwoSum(first, rest + *more) : DoubleWord{first, rest};
  Number difference = expm1Polynomial(format, r.high, r.low);
  Number value = difference + 1.0;
  return {{value, difference - (value - 1.0)}, scale1, scale2};
}

/// 1 / (1 + e^-x) for x ≥ 0 and e^x / (1 + e^x) for x < 0. The exponential thus never overflows,
/// and a result near 0 keeps its precision. The divisor is from 1 to 2. Where the dividend is so
/// small that `plainQuotient` could lose bits, the divisor is 1, and so is its reciprocal.
static Number expandSigmoid(Number x) {
  FloatFormat format(x);
  Number power = boundedExp(atLeast(-abs(x), leastPower(format)));
  return plainQuotient(select(x < 0.0, power, 1.0), power + 1.0);
}

void populateExponentialPatterns(RewritePatternSet &patterns) {
  addExpansion<math::ExpOp>(patterns, expandExp);
  addExpansion<math::Exp2Op>(patterns, expandExp2);
  addExpansion<Exp10Op>(patterns, expandExp10);
  addExpansion<math::ExpM1Op>(patterns, expandExpm1);
  addExpansion<SigmoidOp>(patterns, expandSigmoid);
}

} // namespace eft
