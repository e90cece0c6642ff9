// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transforms/math/Float8Formats.h"

#include "compiler/transforms/math/NarrowFormats.h"

#include <bit>
#include <cmath>

using namespace mlir;

namespace eft {
namespace {

constexpr unsigned signBit = 0x80, magnitudeBits = 0x7F;
constexpr unsigned fractionBitsOfF32 = 23, fractionBitsOfF16 = 10;
constexpr int biasOfF32 = 127, biasOfF16 = 15;

} // namespace

Float8Format::Float8Format(Float8 format) {
  const bool hasLongExponent = format == Float8::E5M2 || format == Float8::E5M2FNUZ;
  fractionBits = hasLongExponent ? 2 : 3;
  isIeee = format == Float8::E5M2;
  switch (format) {
  case Float8::E4M3FN:
    bias = 7, greatest = 0x7E, nan = 0x7F;
    return;
  case Float8::E5M2:
    bias = 15, greatest = 0x7B, nan = 0x7F;
    return;
  case Float8::E4M3FNUZ:
    bias = 8, greatest = 0x7F, nan = 0x80;
    return;
  case Float8::E5M2FNUZ:
    bias = 16, greatest = 0x7F, nan = 0x80;
    return;
  case Float8::E4M3B15:
    bias = 15, greatest = 0x7E, nan = 0x7E;
    return;
  }
}

/// Converts codes to f32, for a format with five bits of exponent in which the greatest exponent is
/// not reserved for infinities and NaN.
Number Float8Format::extendByExponent(Number codes) const {
  Number bits = codes.extendUnsigned(32);
  Number small = ((bits & magnitudeBits) << (fractionBitsOfF32 - fractionBits))
                     .bitsAs(codes.getBuilder().getF32Type());
  Number size = (small * std::ldexp(1.0, biasOfF32 - bias)).bits();
  return (size | ((bits & signBit) << 24)).bitsAs(codes.getBuilder().getF32Type());
}

Number Float8Format::extend(Number codes, FloatType type) const {
  FloatType f16 = codes.getBuilder().getF16Type();
  const bool isF16 = type == f16;
  if (fractionBits == 2 && !isIeee) {
    Number value = extendByExponent(codes);
    value = select(codes == -128, value.nan(), value);
    return isF16 ? value.truncateFloat(f16) : value;
  }
  Number bits = codes.extendUnsigned(16);
  if (isIeee) { // the code is the upper half of an f16
    Number value = (bits << 8).bitsAs(f16);
    return isF16 ? value : value.extendFloat(type);
  }
  Number value =
      (((bits & magnitudeBits) << (fractionBitsOfF16 - fractionBits)) | ((bits & signBit) << 8))
          .bitsAs(f16);
  if (!isF16)
    value = value.extendFloat(type);
  if (bias == biasOfF16)
    return value;
  value = value * std::ldexp(1.0, biasOfF16 - bias);
  // Without the select, the code of NaN would become a number: -0, or the one after the greatest.
  Number isNumber = isUnsignedZero() ? codes != -128 : abs(value) <= 448.0;
  return select(isNumber, value, value.nan());
}

/// The code of a number below the least normal one. `size` is the bits of its magnitude as f32.
Number Float8Format::roundDenormal(Number size, bool towardZero) const {
  const double unit = std::ldexp(1.0, 1 - bias - int(fractionBits));
  const double offset = std::ldexp(unit, fractionBitsOfF32); // one unit in its last place is `unit`
  Number x = size.bitsAs(size.getBuilder().getF32Type());
  Number sum = x + offset;
  Number code = sum.bits() - int64_t(std::bit_cast<uint32_t>(float(offset)));
  return towardZero ? code - ((sum - offset) > x).extendUnsigned(32) : code;
}

Number Float8Format::truncate(Number x, bool towardZero) const {
  FloatType f32 = x.getBuilder().getF32Type();
  if (x.getElementType().isF64())
    x = roundToOddF32(x);
  else if (x.getElementType() != f32)
    x = x.extendFloat(f32);
  const unsigned dropped = fractionBitsOfF32 - fractionBits;
  Number bits = x.bits(), size = bits & 0x7FFFFFFF;
  // To round to nearest even, add just under half of the last kept bit, or exactly half if that bit
  // is set. The sum carries into the last kept bit exactly if the number must be rounded up.
  Number rounded = towardZero ? size : size + ((1 << (dropped - 1)) - 1) + ((size >> dropped) & 1);
  Number normal = (rounded >> dropped) - ((biasOfF32 - bias) << fractionBits);
  Number isDenormal =
      lessUnsigned(size, size.constant((biasOfF32 - bias + 1) << fractionBitsOfF32));
  Number code = select(isDenormal, roundDenormal(size, towardZero), normal);
  code = select(lessUnsigned(code, code.constant(greatest)), code, greatest);
  Number withSign = code | ((bits >> 24) & signBit);
  if (isUnsignedZero())
    withSign = select(code == 0, code, withSign);
  return select(isNan(x), nan, withSign).truncate(8);
}

} // namespace eft
