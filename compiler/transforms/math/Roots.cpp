// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reciprocal square root, the cube root, the hypotenuse, and rounding to the nearest integer.
// Square roots are correctly rounded by the hardware.
#include "compiler/transforms/math/Coefficients.h"
#include "compiler/transforms/math/ExpandFunction.h"
#include "compiler/transforms/math/FloatFormat.h"
#include "compiler/transforms/math/MathFunctions.h"

using namespace mlir;

namespace eft {

static Number expandRsqrt(Number x) { return 1.0 / sqrt(x); }

/// The cube root. With |x| = 2^(3k) · m, where k is an integer and 1 ≤ m < 8, it is 2^k · m^(1/3),
/// with the sign of x. A polynomial approximates y = m^(-1/3). Two steps of a fourth-order
/// iteration, without divisions, make y precise. Then m^(1/3) = m · y², and a last step corrects
/// the rounding error of this product.
static Number expandCbrt(Number x) {
  using namespace coefficients;
  FloatFormat format(x);
  const unsigned mantissa = format.mantissaBits();
  Number magnitude = abs(x);
  Number isDenormal = magnitude < format.smallestNormal();
  // Denormals are scaled by 2^24 (f32) or 2^54 (f64), the cube of 2^8 or 2^18.
  const double lift = format.pick(0x1p24, 0x1p54);
  Number bits = select(isDenormal, magnitude * lift, magnitude).bits();
  // `shift` makes the bias a multiple of three. `third` is (exponent field + shift) / 3, and `rest`
  // is the biased exponent of m, 0 to 2 above the bias. 0xAAAB / 2^17 is close enough to 1/3 for
  // all exponents.
  const unsigned shift = (3 - format.bias() % 3) % 3;
  Number field = (bits >> mantissa) + shift;
  Number third = (field * 0xAAAB) >> 17;
  Number rest = field - third * 3 + format.bias();
  Number m =
      ((bits & ((uint64_t(1) << mantissa) - 1)) | (rest << mantissa)).bitsAs(format.getType());
  const unsigned biasThird = (format.bias() + shift) / 3;
  Number scale = ((third + (format.bias() - biasThird)) << mantissa).bitsAs(format.getType());

  Number y = polynomial(m, format.pick(inverseCubeRootF32, inverseCubeRootF64));
  for (int i = 0; i < 2; ++i) {
    Number error = fma(-(y * y), m * y, 1.0);
    const double terms[] = {1.0 / 3, 2.0 / 9, 14.0 / 81};
    y = fma(y * error, polynomial(error, terms), y);
  }
  Number square = y * y;
  Number root = m * square;
  DoubleWord rootSquare = twoProduct(root, root);
  Number left = fma(-root, rootSquare.low, fma(-root, rootSquare.high, m));
  root = fma(left, square * (1.0 / 3), root);

  Number lower = select(isDenormal, x.constant(format.pick(0x1p-8, 0x1p-18)), x.constant(1.0));
  Number result = copySign(root * scale * lower, x);
  return select((magnitude > 0.0) & (magnitude < x.infinity()), result, x);
}

/// √(x² + y²). Both operands are scaled so that the squares neither overflow nor underflow.
static Number expandHypot(Number x, Number y) {
  FloatFormat format(x);
  Number ax = abs(x), ay = abs(y);
  Number isSwapped = ay > ax;
  Number more = select(isSwapped, ay, ax), less = select(isSwapped, ax, ay);
  Number isLarge = more > format.pick(0x1p60, 0x1p500);
  Number isSmall = more < format.pick(0x1p-40, 0x1p-400);
  auto scaleBy = [&](double forLarge, double forSmall) {
    return select(isLarge, forLarge, select(isSmall, forSmall, x.constant(1.0)));
  };
  Number scale = scaleBy(format.pick(0x1p-70, 0x1p-600), format.pick(0x1p90, 0x1p700));
  Number back = scaleBy(format.pick(0x1p70, 0x1p600), format.pick(0x1p-90, 0x1p-700));
  Number a = more * scale, b = less * scale;
  Number root = sqrt(fma(a, a, b * b)) * back;
  // If one operand is infinite, so is the result, even if the other operand is NaN.
  return select((ax == x.infinity()) | (ay == x.infinity()), x.infinity(), root);
}

/// Rounds to the nearest integer, and halves away from zero. Let h be the greatest number below
/// 1/2, f the fraction of |x|, and n the next integer above |x|. If f ≥ 1/2, the sum |x| + h is
/// less than n + 1/2, and at least n − (1/2 − h). The number below n is at least 2 · (1/2 − h) away
/// from n; for n = 1 it is so by exactly that, and the significand of 1 is even. So the sum is
/// rounded to n or above. If f < 1/2, |x| is less than n − 1/2 by a unit in its last place or more,
/// so the sum is rounded to a number below n. If |x| is so large that it has no fraction, h does
/// not change it.
static Number expandRound(Number x) {
  const double h = FloatFormat(x).pick(0x1.fffffep-2, 0x1.fffffffffffffp-2);
  return truncate(x + copySign(x.constant(h), x));
}

void populateRootPatterns(RewritePatternSet &patterns) {
  addExpansion<math::RsqrtOp>(patterns, expandRsqrt);
  addExpansion<math::CbrtOp>(patterns, expandCbrt);
  addExpansion<HypotOp>(patterns, expandHypot);
  addExpansion<math::RoundOp>(patterns, expandRound);
}

} // namespace eft
