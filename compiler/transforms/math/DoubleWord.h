// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers with about twice the precision of a float. Such a number is the unevaluated sum of two
// floats, the second of which is at most about half a unit in the last place of the first. In this
// form, the sum or the product of two floats is exact. The algorithms are the classical ones of
// Dekker and Knuth, except that products use the fused multiply-add.
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

/// a · b, exactly, if the low part does not underflow.
inline DoubleWord twoProduct(Number a, Number b) {
  Number product = a * b;
  return {product, fma(a, b, -product)};
}

/// a · b, with a relative error of a few units of u², where u is the relative rounding error of one
/// float.
inline DoubleWord operator*(DoubleWord a, DoubleWord b) {
  DoubleWord product = twoProduct(a.high, b.high);
  return {product.high, fma(a.high, b.low, fma(a.low, b.high, product.low))};
}

/// a + b, for |a| ≥ |b|.
inline DoubleWord operator+(DoubleWord a, DoubleWord b) {
  DoubleWord sum = fastTwoSum(a.high, b.high);
  return {sum.high, sum.low + (a.low + b.low)};
}

/// a / b as one float, with one division and nearly correct rounding. The reciprocal of b must not
/// overflow.
inline Number quotient(DoubleWord a, DoubleWord b) {
  Number reciprocal = 1.0 / b.high;
  Number first = a.high * reciprocal;
  Number rest = fma(-first, b.low, fma(-first, b.high, a.high) + a.low);
  return fma(rest, reciprocal, first);
}

} // namespace eft
