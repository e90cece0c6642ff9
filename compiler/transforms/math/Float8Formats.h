// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions from and to 8-bit floats, by integers and a few exact operations on wider floats.
//
// A code has a sign, an exponent and a fraction, as an f32 has: s eeee fff for e4m3. Its exponent
// has another bias. To decode e4m3, shift its bits to where the fraction of an f16 begins. This
// gives an f16 that is too small by a power of two, the difference of the biases, so one
// multiplication gives the value, for denormals too. To encode, round the bits of an f32 to the
// fraction's length by integer arithmetic. Denormals are encoded in another way: all of them are
// multiples of one unit. So add a float whose unit in the last place is this unit: the sum is
// rounded to a multiple of it, and its low bits are the code.
#pragma once

#include "compiler/ir/EftDialect.h"
#include "compiler/transforms/math/Number.h"

namespace eft {

class Float8Format {
public:
  explicit Float8Format(Float8 format);

  /// Converts codes of i8 to f16 or f32, exactly.
  Number extend(Number codes, mlir::FloatType type) const;
  /// Converts f16, f32 or f64 to codes of i8, rounded to nearest even, or toward zero.
  Number truncate(Number x, bool towardZero) const;

private:
  Number extendByExponent(Number codes) const;
  Number roundDenormal(Number size, bool towardZero) const;
  bool isUnsignedZero() const { return nan == 0x80; }

  unsigned fractionBits;
  int bias;
  unsigned greatest; // the code for numbers that are too large
  unsigned nan;      // the code of NaN
  bool isIeee;       // the greatest exponent means infinity or NaN
};

} // namespace eft
