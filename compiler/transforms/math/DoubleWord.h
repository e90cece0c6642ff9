// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums and products without rounding: a value as the unevaluated sum of two floats, the second at
// most half a unit in the last place of the first. The classical algorithms of Dekker and Knuth,
// with the fused operation for products.
#pragma once

#include "compiler/transforms/math/Number.h"

namespace eft {

struct DoubleWord {
  Number high, low;
};

/// a + b, exactly, if |a| ≥ |b| or a is 0.
inline DoubleWord fastTwoSum(Number a, Number b) {
  Number sum = a + b;
  return {sum, b - (sum - a)};
}

/// a · b, exactly, if nothing is lost below the denormals.
inline DoubleWord twoProduct(Number a, Number b) {
  Number product = a * b;
  return {product, fma(a, b, -product)};
}

/// a · b, with a relative error of a few units of the square of the precision.
inline DoubleWord operator*(DoubleWord a, DoubleWord b) {
  DoubleWord product = twoProduct(a.high, b.high);
  return {product.high, fma(a.high, b.low, fma(a.low, b.high, product.low))};
}

/// a + b, for |a| ≥ |b|.
inline DoubleWord operator+(DoubleWord a, DoubleWord b) {
  DoubleWord sum = fastTwoSum(a.high, b.high);
  return {sum.high, sum.low + (a.low + b.low)};
}

/// a / b, rounded nearly once, with one division. b is not so small that its reciprocal overflows.
inline Number quotient(DoubleWord a, DoubleWord b) {
  Number reciprocal = 1.0 / b.high;
  Number first = a.high * reciprocal;
  Number rest = fma(-first, b.low, fma(-first, b.high, a.high) + a.low);
  return fma(rest, reciprocal, first);
}

} // namespace eft
