// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// exp(x), by the identity e^x = 2^(2m) · e^r with x = 2m · ln 2 + r.
//
// The multiples are of 2 ln 2, not of ln 2, so that 2^(2m) is the square of a power of two that is
// a normal number for every x whose result is not 0 or infinity. Multiplying by that power twice
// reaches the denormals and overflows where it should, with one rounding, and needs no case
// distinction. The price is |r| ≤ ln 2, two more terms of the polynomial.
//
// The integer m is found by adding 1.5 · 2^p, p + 1 being the precision: the sum has a unit in the
// last place of 1. The constant is greater by the exponent's bias, so the sum's low bits are the
// exponent field of 2^m, which a shift moves into place.
#include "compiler/transforms/math/MathFunctions.h"

using namespace mlir;

namespace eft {
namespace {

struct ExpConstants {
  /// Below the first exp(x) rounds to 0, above the second it overflows.
  double low, high;
  double rounder;
  double perTwoLn2;
  /// 2 ln 2 in two parts.
  double twoLn2High, twoLn2Low;
  unsigned mantissaBits;
  ArrayRef<double> coefficients;
};

// 1 + r + r² p(r), with p from scripts/math/coefficients.py.
constexpr double coefficients32[] = {
    1.0,          1.0,           0x1.00000cp-1,  0x1.555512p-3,
    0x1.5549ep-5, 0x1.112728p-7, 0x1.71c352p-10, 0x1.9babc2p-13,
};

constexpr double coefficients64[] = {
    1.0,
    1.0,
    0x1.ffffffffffff3p-2,
    0x1.55555555555b6p-3,
    0x1.5555555556947p-5,
    0x1.111111110831ep-7,
    0x1.6c16c169c0d25p-10,
    0x1.a01a01b220297p-13,
    0x1.a01a0580ec45bp-16,
    0x1.71de2a146ebcep-19,
    0x1.27e1ca983a108p-22,
    0x1.ae712353db573p-26,
    0x1.217a611dd94a8p-29,
    0x1.5e721d215d6fp-33,
};

constexpr ExpConstants constants32 = {.low = -104.0,
                                      .high = 89.0,
                                      .rounder = 0x1.8p+23 + 127,
                                      .perTwoLn2 = 0x1.715476p-1,
                                      .twoLn2High = 0x1.62e43p+0,
                                      .twoLn2Low = -0x1.05c61p-28,
                                      .mantissaBits = 23,
                                      .coefficients = coefficients32};

constexpr ExpConstants constants64 = {.low = -746.0,
                                      .high = 710.0,
                                      .rounder = 0x1.8p+52 + 1023,
                                      .perTwoLn2 = 0x1.71547652b82fep-1,
                                      .twoLn2High = 0x1.62e42fefa39efp+0,
                                      .twoLn2Low = 0x1.abc9e3b39803fp-55,
                                      .mantissaBits = 52,
                                      .coefficients = coefficients64};

} // namespace

Number expandExp(Number x) {
  const ExpConstants &c = x.getElementType().isF32() ? constants32 : constants64;
  x = clamp(x, c.low, c.high);
  Number sum = fma(x, c.perTwoLn2, c.rounder);
  Number m = sum - c.rounder;
  Number r = fma(m, -c.twoLn2Low, fma(m, -c.twoLn2High, x));
  Number scale = (sum.bits() << c.mantissaBits).bitsAs(cast<FloatType>(x.getElementType()));
  return polynomial(r, c.coefficients) * scale * scale;
}

} // namespace eft
