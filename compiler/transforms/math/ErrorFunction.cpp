// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The error function and its complement.
//
// erf: for |x| < 1 a polynomial. For larger |x|, erf |x| = 1 - e^(p(|x| - 1)), where the polynomial
// p approximates log erfc |x|. The larger |x| is, the less the error of p matters.
//
// erfc: for |x| < 1/2 it is 1 - erf x. For larger |x|, erfc |x| = e^(-x²) / (1 + 2|x|) · S, where S
// is between 1.1 and 1.3 and a polynomial in (|x| - 3) / (|x| + 3); for x ≤ -1/2, erfc x = 2 - erfc
// |x|. The relative error must stay small until the result is 0. So x² is computed exactly, and the
// quotient and the product as sums of two floats.
#include "compiler/transforms/math/Coefficients.h"
#include "compiler/transforms/math/ExpandFunction.h"
#include "compiler/transforms/math/FloatFormat.h"
#include "compiler/transforms/math/MathFunctions.h"

using namespace mlir;

namespace eft {
namespace {

/// erf x - x, for |x| ≤ 1.
Number erfRemainder(Number x) {
  using namespace coefficients;
  return x * polynomial(x * x, FloatFormat(x).pick(erfF32, erfF64));
}

/// S / (1 + 2x), as a sum of two floats.
DoubleWord erfcFactor(Number x) {
  using namespace coefficients;
  FloatFormat format(x);
  ArrayRef<double> coefficients = format.pick(scaledErfcF32, scaledErfcF64);
  Number t = plainQuotient(x - 3.0, x + 3.0);
  // The polynomial's constant term is coefficients[0] + coefficients[1], a sum of two floats.
  DoubleWord s =
      fastTwoSum(x.constant(coefficients.front()), polynomial(t, coefficients.drop_front()));
  DoubleWord divisor =
      fastTwoSum(select(x < 0.5, 1.0, x + x), select(x < 0.5, x + x, x.constant(1.0)));
  Number quotient = plainQuotient(s.high, divisor.high);
  Number rest = fma(-quotient, divisor.high, s.high);
  rest = plainQuotient(fma(-quotient, divisor.low, rest) + s.low, divisor.high);
  return {quotient, rest};
}

} // namespace

static Number expandErf(Number x) {
  using namespace coefficients;
  FloatFormat format(x);
  Number magnitude = abs(x);
  Number small = x + erfRemainder(x);
  // From the upper bound on, the result is 1.
  Number in = clamp(magnitude, 1.0, format.pick(4.0, 6.0)) - 1.0;
  Number logarithm = polynomial(in, format.pick(logOfErfcF32, logOfErfcF64));
  Number large = 1.0 - normalExp(logarithm);
  return select(magnitude < 1.0, small, copySign(large, x));
}

static Number expandErfc(Number x) {
  FloatFormat format(x);
  Number magnitude = abs(x);
  Number small = 1.0 - (x + erfRemainder(x));
  Number in = clamp(magnitude, 0.5, format.pick(11.0, 28.0));
  DoubleWord square = twoProduct(in, in);
  auto [power, scale1, scale2] = preciseExp(-square.high, -square.low);
  DoubleWord factor = erfcFactor(in);
  DoubleWord product = power * factor;
  Number tail = (product.high + product.low) * scale1 * scale2;
  return select(x < 0.5, select(x > -0.5, small, 2.0 - tail), tail);
}

void populateErrorFunctionPatterns(RewritePatternSet &patterns) {
  addExpansion<math::ErfOp>(patterns, expandErf);
  addExpansion<ErfcOp>(patterns, expandErfc);
}

} // namespace eft
