// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exponential functions. Each writes b^x, for its base b, as 2^m · b^r with an integer m and a
// small r, for which a polynomial is enough. m is found by adding 1.5 · 2^p, where p is the number
// of mantissa bits: one unit in the last place of the sum is 1, so the low bits of the sum are m.
// Adding the exponent's bias to the constant turns these bits into an exponent field, which a shift
// moves into place.
//
// 2^m may be infinite or denormal although the result is finite or not yet zero. So it is the
// product of two normal powers of two. In general these come from halving m. If x ≤ 0 is known, 2^m
// can only be denormal, and the two factors are 2^(m + k) and 2^-k with a constant k, which takes
// fewer operations (NegativePower). Both ways round once, at the last multiplication, and have the
// same bits.
#include "compiler/analysis/Signs.h"
#include "compiler/transforms/math/Coefficients.h"
#include "compiler/transforms/math/ExpandFunction.h"
#include "compiler/transforms/math/FloatFormat.h"
#include "compiler/transforms/math/MathFunctions.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

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

} // namespace

Ln2 ln2(const FloatFormat &format) {
  return format.pick(Ln2{0x1.715476p+0, 0x1.62e43p-1, -0x1.05c61p-29},
                     Ln2{0x1.71547652b82fep+0, 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56});
}

Number powerOfTwo(const FloatFormat &format, Number sum) {
  return (sum.bits() << format.mantissaBits()).bitsAs(format.getType());
}

/// e^(x - m · ln 2), where m is the integer nearest to x / ln 2. `m` is this integer times `unit`,
/// a power of two.
static Number reducedExp(const FloatFormat &format, Number x, Number m, double unit = 1.0) {
  using namespace coefficients;
  const Ln2 c = ln2(format);
  Number r = fma(m, -c.low / unit, fma(m, -c.high / unit, x));
  return fma(r, polynomial(r, format.pick(expF32, expF64)), 1.0);
}

/// 2^r for |r| ≤ 1/2.
static Number reducedExp2(const FloatFormat &format, Number r) {
  using namespace coefficients;
  return fma(r, polynomial(r, format.pick(exp2F32, exp2F64)), 1.0);
}

Number normalExp(Number x) {
  FloatFormat format(x);
  const double rounder = format.rounder() + format.bias();
  Number sum = fma(x, ln2(format).per, rounder);
  return reducedExp(format, x, sum - rounder) * powerOfTwo(format, sum);
}

namespace {

/// The integer m nearest to x · per, for an x from the exponent's least bound to 0, and the product
/// of 2^m and a number near 1.
///
/// With `saturates`, the constant is added at another scale: the sum is from 1/2 to 1, where one
/// unit in the last place is 2^-24. The sum is then clamped to 0 to 1, which only matters if x is
/// NaN: it makes 0 of NaN. So m can be added to the number's exponent as an integer, which leaves
/// NaN as it is. ptxas makes the clamp a part of the instruction that computes the sum.
class NegativePower {
public:
  NegativePower(Number x, double per, bool saturates)
      : format(x), isAdded(saturates && x.getElementType().isF32()), sum(sumOf(x, per)) {}

  /// m, times `unit()`.
  Number scaled() const { return sum - constant(); }
  double unit() const { return isAdded ? 0x1p-24 : 1.0; }

  /// p · 2^m for a p from 1/2 to 2, or NaN if x and p are NaN.
  Number times(Number p) const {
    Number scaled =
        isAdded ? (p.bits() + (sum.bits() << format.mantissaBits())).bitsAs(format.getType())
                : p * powerOfTwo(format, sum);
    return scaled * std::ldexp(1.0, -k());
  }

private:
  /// 2^(m + k) is normal for every m for which 2^m is at least half of the least denormal number.
  /// It is such that half-integers round to even m.
  int k() const { return isAdded ? 32 : format.pick(33, 65); }

  /// The number that is added to x · per. The shift of the sum drops the multiple of 512.
  double constant() const {
    return isAdded ? 0.5 + (512 + k()) * unit() : format.rounder() + format.bias() + k();
  }

  Number sumOf(Number x, double per) const {
    Number sum = fma(x, per * unit(), constant());
    return isAdded ? minimumNumber(maximumNumber(sum, sum.constant(0.0)), sum.constant(1.0)) : sum;
  }

  FloatFormat format;
  bool isAdded;
  Number sum;
};

} // namespace

Number nonPositiveExp(Number x, bool saturates) {
  FloatFormat format(x);
  x = atLeast(x, leastPower(format));
  NegativePower power(x, ln2(format).per, saturates);
  return power.times(reducedExp(format, x, power.scaled(), power.unit()));
}

static Number nonPositiveExp2(Number x, bool saturates) {
  FloatFormat format(x);
  // At the bound, the result rounds to 0.
  x = atLeast(x, format.pick(-151.0, -1076.0));
  NegativePower power(x, 1.0, saturates);
  return power.times(reducedExp2(format, fma(power.scaled(), -1.0 / power.unit(), x)));
}

static Number expandExp(Number x, bool saturates) {
  if (isNonPositive(x))
    return nonPositiveExp(x, saturates);
  FloatFormat format(x);
  x = clamp(x, leastPower(format), greatestPower(format));
  auto [m, scale1, scale2] = splitPower(format, x, ln2(format).per);
  return reducedExp(format, x, m) * scale1 * scale2;
}

static Number expandExp2(Number x, bool saturates) {
  return isNonPositive(x) ? nonPositiveExp2(x, saturates) : exp2OfSum(x, x.constant(-0.0));
}

Number exp2OfSum(Number high, Number low) {
  FloatFormat format(high);
  Number x = clamp(high, format.pick(-160.0, -1080.0), format.pick(129.0, 1025.0));
  auto [m, scale1, scale2] = splitPower(format, x, 1.0);
  return reducedExp2(format, (x - m) + low) * scale1 * scale2;
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
  Number half = powerOfTwo(format, sum);
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
/// and a result near 0 keeps its precision. The divisor is from 1 to 2.
static Number expandSigmoid(Number x, bool saturates) {
  Number power = nonPositiveExp(-abs(x), saturates);
  Number reciprocal = plainQuotient(x.constant(1.0), power + 1.0);
  return select(x < 0.0, power * reciprocal, reciprocal);
}

void populateExponentialPatterns(RewritePatternSet &patterns, bool saturates) {
  addExpansion<math::ExpOp>(patterns, [=](Number x) { return expandExp(x, saturates); });
  addExpansion<math::Exp2Op>(patterns, [=](Number x) { return expandExp2(x, saturates); });
  addExpansion<Exp10Op>(patterns, expandExp10);
  addExpansion<math::ExpM1Op>(patterns, expandExpm1);
  addExpansion<SigmoidOp>(patterns, [=](Number x) { return expandSigmoid(x, saturates); });
}

} // namespace eft
