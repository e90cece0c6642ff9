// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transforms/math/NarrowFormats.h"

using namespace mlir;

namespace eft {
namespace {

FloatType f32(Number x) { return x.getBuilder().getF32Type(); }
FloatType f64(Number x) { return x.getBuilder().getF64Type(); }

/// Rounds the integer `x` to odd, so that a float of `precision` bits holds it exactly. An `x` that
/// fits into `precision` bits stays. Of any other `x`, the lowest width - precision bits are
/// cleared, and the bit above them is set if one of them was set.
Number collapseLowBits(Number x, unsigned precision, bool isSigned) {
  const uint64_t lowest = uint64_t(1) << (x.getWidth() - precision);
  const uint64_t limit = uint64_t(1) << precision;
  Number fits = isSigned ? lessUnsigned(x + limit, x.constant(2 * limit))
                         : lessUnsigned(x, x.constant(limit));
  Number low = x & (lowest - 1);
  Number odd = (x - low) | select(low == 0, x.constant(0), x.constant(lowest));
  return select(fits, x, odd);
}

/// a + b in f64, rounded to odd.
Number addToOdd(Number a, Number b) {
  Number sum = a + b;
  // Knuth's exact error of the sum.
  Number shareOfB = sum - a;
  Number error = (a - (sum - shareOfB)) + (b - shareOfB);
  Number bits = sum.bits();
  // If the sum is infinite, the error is NaN, and `isOff` is false.
  Number isOff = (abs(error) > 0.0) & ((bits & 1) == 0);
  Number outward = (error.bits() ^ bits) < 0;
  Number step = select(outward, bits.constant(-1), bits.constant(1));
  return select(isOff, bits + step, bits).bitsAs(f64(a));
}

/// Converts f16 to f32, by integers and one exact product.
Number widenF16(Number x) {
  Number bits = x.bits().extendUnsigned(32), size = bits & 0x7FFF, moved = size << 13;
  // The biases of the two formats differ by 112, so the product scales by 2^112. The moved bits of
  // an f16 denormal are an f32 denormal, which the product scales as well.
  Number finite = (moved.bitsAs(f32(x)) * 0x1p112).bits();
  Number wide = select(lessUnsigned(size, size.constant(0x7C00)), finite, moved | 0x7F800000);
  return (wide | ((bits & 0x8000) << 16)).bitsAs(f32(x));
}

/// Converts f32 to f16, by integers and one sum.
Number narrowToF16(Number x) {
  Number bits = x.bits(), size = bits & 0x7FFFFFFF;
  auto isBelow = [&](uint32_t end) { return lessUnsigned(size, size.constant(end)); };
  // Rounds as `fromF32` does to bf16. Beyond the greatest number the carry gives infinity.
  Number normal = (size + (0xFFF - (112 << 23)) + ((size >> 13) & 1)) >> 13;
  // For an f32 from 1/2 to 1, the unit in the last place is 2^-24, the same as for f16 denormals.
  // So adding 1/2 rounds to an f16 denormal.
  Number denormal = (size.bitsAs(f32(x)) + 0.5).bits() - 0x3F000000;
  Number result = select(isBelow(0x38800000), denormal, normal); // 2^-14
  result = select(isBelow(0x47800000), result, 0x7C00);          // 2^16
  result = select(isNan(x), 0x7E00, result) | ((bits >> 16) & 0x8000);
  return result.truncate(16).bitsAs(x.getBuilder().getF16Type());
}

} // namespace

Number roundToOddF32(Number x) {
  Number nearest = x.truncateFloat(f32(x));
  Number back = nearest.extendFloat(f64(x));
  // Subtracting 1 from the bits is a step toward zero, whatever the sign. If the conversion
  // overflowed to infinity, the step gives the greatest finite number.
  Number truncated = nearest.bits() - (abs(back) > abs(x)).extendUnsigned(32);
  return (truncated | (back != x).extendUnsigned(32)).bitsAs(f32(x));
}

Number NarrowFormats::toF32(Number x) const {
  if (x.getElementType().isF16()) {
    if (!support.convertsF16())
      return widenF16(x);
    Number wide = x.extendFloat(f32(x));
    if (support.f16Arithmetic)
      return wide;
    // The cleared bits are zero already. The mask hides from LLVM that the value comes from f16.
    // Where LLVM sees that, it does comparisons, minima and maxima in f16, and its x86 code for
    // these is scalar and loses NaN.
    return (wide.bits() & 0xFFFFE000).bitsAs(f32(x));
  }
  if (support.bf16Conversions)
    return x.extendFloat(f32(x));
  return (x.bits().extendUnsigned(32) << 16).bitsAs(f32(x));
}

Number NarrowFormats::fromF32(Number x, FloatType type) const {
  if (type.isF16() && !support.convertsF16())
    return narrowToF16(x);
  if (type.isF16() || support.bf16Conversions)
    return x.truncateFloat(type);
  // A bf16 is the upper half of an f32. To round to nearest even, add just under half of the last
  // kept bit, or exactly half if that bit is set. The sum carries into the last kept bit exactly if
  // the number must be rounded up. Beyond the greatest number the carry gives infinity.
  Number bits = x.bits();
  Number isOdd = (bits >> 16) & 1;
  Number rounded = bits + 0x7FFF + isOdd;
  // The carry may turn a NaN into another value, so for a NaN the quiet bit is set instead.
  // Selecting a constant NaN would be slower: LLVM would then select 16-bit values, in scalar code.
  Number upper = select(isNan(x), bits | 0x00400000, rounded) >> 16;
  return upper.truncate(16).bitsAs(type);
}

Number NarrowFormats::fromExactF32(Number x, FloatType type) const {
  if (type.isF16() || support.bf16Conversions)
    return fromF32(x, type);
  return (x.bits() >> 16).truncate(16).bitsAs(type);
}

Number NarrowFormats::fromF64(Number x, FloatType type) const {
  if (type.isF16() && support.f16Arithmetic)
    return x.truncateFloat(type);
  return fromF32(roundToOddF32(x), type);
}

Number NarrowFormats::fromInteger(Number x, bool isSigned, FloatType type) const {
  auto toFloat = [&](Number integer, FloatType to) {
    return isSigned ? integer.signedToFloat(to) : integer.unsignedToFloat(to);
  };
  if (type.isF16() && support.f16Arithmetic)
    return toFloat(x, type);
  const unsigned precision32 = f32(x).getFPMantissaWidth(),
                 precision64 = f64(x).getFPMantissaWidth();
  if (x.getWidth() <= precision32)
    return fromF32(toFloat(x, f32(x)), type);
  if (x.getWidth() <= precision64)
    return fromF32(toFloat(collapseLowBits(x, precision32, isSigned), f32(x)), type);
  return fromF64(toFloat(collapseLowBits(x, precision64, isSigned), f64(x)), type);
}

Number NarrowFormats::multiplyAdd(Number a, Number b, Number c) const {
  auto type = cast<FloatType>(a.getElementType());
  if (type.isF16() && support.f16Arithmetic)
    return fma(a, b, c);
  auto widen = [&](Number x) { return toF32(x).extendFloat(f64(x)); };
  // The product of two narrow floats is exact in f64.
  Number odd = addToOdd(widen(a) * widen(b), widen(c));
  return fromF32(roundToOddF32(odd), type);
}

} // namespace eft
