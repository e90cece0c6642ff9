// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// log(x), by the identity log x = e · ln 2 + log(1 + f) with x = 2^e · (1 + f).
//
// 1 + f lies in [2/3, 4/3). So f is small on both sides, x - 1 is exact around 1, and the sum never
// cancels much: for e = -1 the smallest magnitude is ln 2 - log(4/3) = 0.405. log(1 + f) is
// f + f² p(f) with a polynomial p.
//
// e and 1 + f come from the bits of x: adding bits(1) - bits(2/3) lets the exponent field change at
// 2/3 instead of at 1. The field becomes a float by becoming the low bits of 2^p, p + 1 being the
// precision; taking off 2^p and the bias is one subtraction, which for denormals also undoes the
// scaling that makes them normal.
#include "compiler/transforms/math/MathFunctions.h"

using namespace mlir;

namespace eft {
namespace {

struct LogConstants {
  unsigned mantissaBits;
  unsigned bias;
  uint64_t bitsOfOne, bitsOfTwoThirds;
  double smallestNormal;
  double ln2;
  /// From scripts/math/coefficients.py.
  ArrayRef<double> coefficients;
};

constexpr double coefficients32[] = {
    -0x1.ffffd6p-2, 0x1.5554fcp-2, -0x1.00144ep-2, 0x1.99d398p-3,
    -0x1.5038ep-3,  0x1.1eaac4p-3, -0x1.3b0c66p-3, 0x1.1f1bfcp-3,
};

constexpr double coefficients64[] = {
    -0x1.ffffffffffff8p-2, 0x1.5555555555531p-2, -0x1.000000000150ap-2, 0x1.99999999a0f2cp-3,
    -0x1.555555535481ep-3, 0x1.249249205dcccp-3, -0x1.000000b1f6fa6p-3, 0x1.c71c742e3ccep-4,
    -0x1.999956022bd5p-4,  0x1.745cb203caacp-4,  -0x1.555d035dbd0dcp-4, 0x1.3b1dfe768a9d9p-4,
    -0x1.2407288c7e12bp-4, 0x1.106642e30739bp-4, -0x1.0627171ecf261p-4, 0x1.efec8f62e27a2p-5,
    -0x1.73675a00cc0c4p-5, 0x1.556549744e164p-5, -0x1.643a545b33074p-4, 0x1.5cb553ba60cbfp-4,
};

constexpr LogConstants constants32 = {.mantissaBits = 23,
                                      .bias = 127,
                                      .bitsOfOne = 0x3F800000,
                                      .bitsOfTwoThirds = 0x3F2AAAAB,
                                      .smallestNormal = 0x1p-126,
                                      .ln2 = 0x1.62e43p-1,
                                      .coefficients = coefficients32};

constexpr LogConstants constants64 = {.mantissaBits = 52,
                                      .bias = 1023,
                                      .bitsOfOne = 0x3FF0000000000000,
                                      .bitsOfTwoThirds = 0x3FE5555555555555,
                                      .smallestNormal = 0x1p-1022,
                                      .ln2 = 0x1.62e42fefa39efp-1,
                                      .coefficients = coefficients64};

} // namespace

Number expandLog(Number x) {
  auto type = cast<FloatType>(x.getElementType());
  const LogConstants &c = type.isF32() ? constants32 : constants64;
  // 2^p as a float, whose unit in the last place is 1, and as bits.
  const uint64_t unit = uint64_t(1) << c.mantissaBits;
  const uint64_t bitsOfUnit = (c.bias + c.mantissaBits) * unit;

  Number isDenormal = x < c.smallestNormal;
  Number normal = select(isDenormal, x * unit, x);

  Number bits = normal.bits() + (c.bitsOfOne - c.bitsOfTwoThirds);
  Number field = ((bits >> c.mantissaBits) | bitsOfUnit).bitsAs(type);
  Number bias =
      select(isDenormal, x.constant(unit + c.bias + c.mantissaBits), x.constant(unit + c.bias));
  Number e = field - bias;
  Number f = ((bits & (unit - 1)) + c.bitsOfTwoThirds).bitsAs(type) - 1.0;

  Number logOfMantissa = fma(f * f, polynomial(f, c.coefficients), f);
  Number result = fma(e, c.ln2, logOfMantissa);
  result = select(x > 0.0, result, select(x == 0.0, x.infinity(/*negative=*/true), x.nan()));
  return select(x == x.infinity(), x, result);
}

} // namespace eft
