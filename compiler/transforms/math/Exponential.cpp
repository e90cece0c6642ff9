// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exponential functions. All write their base's power as 2^m · b^r with a small r, for which a
// polynomial is enough. The integer m is found by adding 1.5 · 2^p, p + 1 being the precision: the
// sum has a unit in the last place of 1, so m is in its low bits. Adding the exponent's bias to the
// constant makes these bits an exponent field, which a shift moves into place.
//
// exp takes multiples of 2 ln 2, not of ln 2, so that 2^(2m) is the square of a power of two that
// is a normal number for every x whose result is not 0 or infinity. Multiplying by that power twice
// reaches the denormals and overflows where it should, with one rounding, and needs no case
// distinction. The price is |r| ≤ ln 2, two more terms of the polynomial. The others halve m as an
// integer instead.
#include "compiler/transforms/math/Coefficients.h"
#include "compiler/transforms/math/ExpandFunction.h"
#include "compiler/transforms/math/FloatFormat.h"
#include "compiler/transforms/math/MathFunctions.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace eft {
namespace {

/// m = the integer next to x · perUnit, and 2^m as a product of two normal numbers. `sum` is
/// x · perUnit + rounder() + 2 · bias().
struct PowerOfTwo {
  Number m, scale1, scale2;
};
PowerOfTwo splitPower(const FloatFormat &format, Number x, double perUnit) {
  const double rounder = format.rounder() + 2 * format.bias();
  Number sum = fma(x, perUnit, rounder);
  // The low bits are m + 2 · bias, the sum of both exponent fields. Shifts move them there, and
  // drop the rounder's own bits.
  const unsigned mantissa = format.mantissaBits();
  Number first = (sum.bits() << (mantissa - 1)) & -(int64_t(1) << mantissa);
  Number second = (sum.bits() << mantissa) - first;
  return {sum - rounder, first.bitsAs(format.getType()), second.bitsAs(format.getType())};
}

/// Where e^x rounds to 0 below, and overflows above.
double leastPower(const FloatFormat &format) { return format.pick(-104.0, -746.0); }
double greatestPower(const FloatFormat &format) { return format.pick(89.0, 710.0); }

/// e^r - 1 for |r| ≤ ln 2 / 2.
Number expm1Polynomial(const FloatFormat &format, Number r, Number low) {
  using namespace coefficients;
  return fma(r * r, polynomial(r, format.pick(expm1F32, expm1F64)), low) + r;
}

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
  // log10(2) in two parts.
  Number r = fma(m, -format.pick(-0x1.ec10cp-27, -0x1.9dc1da994fd21p-59),
                 fma(m, -format.pick(0x1.344136p-2, 0x1.34413509f79ffp-2), x));
  Number value = fma(r, polynomial(r, format.pick(exp10F32, exp10F64)), 1.0);
  return value * scale1 * scale2;
}

/// 2^m · (e^r - 1) + (2^m - 1), where 2^m is taken half as large, for it to be finite.
static Number expandExpm1(Number x) {
  FloatFormat format(x);
  const Ln2 c = ln2(format);
  // Below, the result is -1.
  Number in = clamp(x, format.pick(-18.0, -38.0), format.pick(89.0, 710.0));
  const double rounder = format.rounder() + format.bias() - 1;
  Number sum = fma(in, c.per, rounder);
  Number m = sum - rounder;
  Number reduced = fma(m, -c.high, in);
  Number r = fma(m, -c.low, reduced);
  Number rest = fma(m, -c.low, reduced - r);
  Number half = (sum.bits() << format.mantissaBits()).bitsAs(format.getType());
  Number part = fma(half, expm1Polynomial(format, r, rest), half - 0.5);
  // Half of a denormal would be rounded, and -0 would lose its sign.
  return select(abs(x) < format.pick(0x1p-30, 0x1p-60), x, part + part);
}

Scaled preciseExp(Number high, std::optional<Number> more) {
  FloatFormat format(high);
  const Ln2 c = ln2(format);
  auto [m, scale1, scale2] = splitPower(format, high, c.per);
  // The first product is exact; what the second one and the operand have beyond r follows.
  Number reduced = fma(m, -c.high, high);
  Number first = fma(m, -c.low, reduced);
  Number rest = fma(m, -c.low, reduced - first);
  DoubleWord r = more ? fastTwoSum(first, rest + *more) : DoubleWord{first, rest};
  Number difference = expm1Polynomial(format, r.high, r.low);
  Number value = difference + 1.0;
  return {{value, difference - (value - 1.0)}, scale1, scale2};
}

/// 1 / (1 + e^-x) or e^x / (1 + e^x), with the exponential that neither overflows nor loses what is
/// nearly 0. The divisor is from 1 to 2. Where the dividend is so small that it counts, the divisor
/// is 1, and so is its reciprocal.
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
