// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions from and to floats of eight bits, by integers and a few exact operations on wider
// floats.
//
// A code has a sign, an exponent and a fraction, as an f32 has: s eeee fff. Its exponent counts
// from another bias. Shifted to where the fraction of an f16 begins, the bits of e4m3 are those of
// an f16 that is too small by the difference of the biases, so one product gives the value, and
// denormals need no care. To make a code, the bits of an f32 are rounded to the fraction's length
// by integers. Below the least normal number the last bit of a code has the same value everywhere.
// There a float is added whose last bit has this value, and the sum rounds.
#pragma once

#include "compiler/ir/EftDialect.h"
#include "compiler/transforms/math/Number.h"

namespace eft {

class Float8Format {
public:
  explicit Float8Format(Float8 format);

  /// Codes of i8 to f16 or f32: exact.
  Number extend(Number codes, mlir::FloatType type) const;
  /// f16, f32 or f64 to codes of i8, rounded to nearest even, or toward zero.
  Number truncate(Number x, bool towardZero) const;

private:
  Number extendByExponent(Number codes) const;
  Number roundDenormal(Number size, bool towardZero) const;
  bool isUnsignedZero() const { return nan == 0x80; }

  unsigned fractionBits;
  int bias;
  unsigned greatest; // the code to which overflows are rounded
  unsigned nan;      // the code of what is no number
  bool isIeee;       // infinities and NaN have the greatest exponent
};

} // namespace eft
