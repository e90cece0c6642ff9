// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The angle modulo π/2, accurate for every float, by Payne and Hanek's method without branches.
//
// x · 2/π = M · 2^k · 2/π with an integer M. Only some bits of 2/π affect the result modulo 4: the
// products of M with higher bits are multiples of 4, and those with lower bits are too small. So
// three words are extracted from the bits of 2/π, at an offset that depends on the exponent of x.
// The product of M and these words, as an integer modulo 2^(3 · bits of a word), has the quadrant
// in its highest two bits and the fraction of a quadrant below; its lowest word is dropped. The
// words are constants: each high bit of the offset selects among them, and the low bits of the
// offset shift them. f32 uses words of 32 bits, which leaves 62 bits of fraction, and f64 words of
// 64 bits, which leaves 126. That is enough: no f32 is closer to a multiple of π/2 than 2^-31 of a
// quadrant, and no f64 than 2^-62.
//
// Below π/4 the angle is x itself. Both results are always computed, and a select chooses.
#include "compiler/transforms/math/FloatFormat.h"
#include "compiler/transforms/math/MathFunctions.h"

using namespace mlir;

namespace eft {
namespace {

/// The first 1152 bits of 2/π after the binary point.
constexpr uint64_t twoOverPi[] = {
    0xA2F9836E4E441529, 0xFC2757D1F534DDC0, 0xDB6295993C439041, 0xFE5163ABDEBBC561,
    0xB7246E3A424DD2E0, 0x06492EEA09D1921C, 0xFE1DEB1CB129A73E, 0xE88235F52EBB4484,
    0xE99C7026B45F7E41, 0x3991D639835339F4, 0x9C845F8BBDF9283B, 0x1FF897FFDE05980F,
    0xEF2F118B5A0A6D1F, 0x6D367ECF27CB09B7, 0x4F463F669E5FEA2D, 0x7527BAC7EBE5F17B,
    0x3D0739F78A5292EA, 0x6BFB5FB11F8D5D08,
};

/// Bits `start` to `start + width - 1` of the bit string that has `zeros` zeros and then the bits
/// of 2/π.
uint64_t digits(unsigned start, unsigned width, unsigned zeros) {
  uint64_t word = 0;
  for (unsigned i = start; i < start + width; ++i) {
    unsigned digit = i - zeros;
    bool isSet = i >= zeros && (twoOverPi[digit / 64] >> (63 - digit % 64)) & 1;
    word = (word << 1) | isSet;
  }
  return word;
}

/// Three words, from bit `offset` on, of the bit string that has `zeros` zeros and then the bits of
/// 2/π. The low log2(width) bits of `offset` count bits in a word, and the `indexBits` bits above
/// them count words.
SmallVector<Number> window(Number offset, unsigned indexBits, unsigned zeros) {
  const unsigned width = offset.getWidth(), shiftBits = llvm::Log2_32(width);
  SmallVector<Number> words;
  for (unsigned i = 0; i < (1u << indexBits) + 3; ++i)
    words.push_back(offset.constant(digits(i * width, width, zeros)));
  for (unsigned bit = indexBits; bit-- > 0;) {
    Number isSet = (offset & (uint64_t(1) << (shiftBits + bit))) != 0;
    // The bits below `bit` can skip 2^bit - 1 more words. The result needs four words: three, and
    // the one from which bits are shifted into the third.
    const unsigned needed = (1u << bit) + 3;
    for (unsigned i = 0; i < needed; ++i)
      words[i] = select(isSet, words[i + (1u << bit)], words[i]);
    words.resize(needed, words.front());
  }
  Number shift = offset & (width - 1);
  Number back = (width - 1) - shift;
  SmallVector<Number> result;
  for (unsigned i = 0; i < 3; ++i)
    result.push_back((words[i] << shift) | ((words[i + 1] >> 1) >> back));
  return result;
}

/// The upper half of a product of two i64.
Number multiplyHigh(Number a, Number b) {
  Number aLow = a & 0xFFFFFFFF, aHigh = a >> 32, bLow = b & 0xFFFFFFFF, bHigh = b >> 32;
  Number low = aLow * bLow;
  Number middle = aHigh * bLow + (low >> 32);
  Number other = aLow * bHigh + (middle & 0xFFFFFFFF);
  return aHigh * bHigh + (middle >> 32) + (other >> 32);
}

/// An angle in quadrants modulo 4, as a fixed-point number: two bits before the point, then the
/// fraction. `high` and `low` are 64-bit words.
struct FixedPoint {
  Number high, low;
};

/// M · window, for an M of 32 bits. The result is an i64 that holds both words, `high` and `low`.
Number multiplyF32(Number m, ArrayRef<Number> words) {
  Number wide = m.extendUnsigned(64);
  Number top = (m * words[0]).extendUnsigned(64) << 32;
  Number middle = wide * words[1].extendUnsigned(64);
  Number bottom = wide * words[2].extendUnsigned(64);
  return top + middle + (bottom >> 32);
}

FixedPoint multiplyF64(Number m, ArrayRef<Number> words) {
  Number middle = m * words[1];
  Number low = middle + multiplyHigh(m, words[2]);
  Number carry = lessUnsigned(low, middle).extendUnsigned(64);
  return {m * words[0] + multiplyHigh(m, words[1]) + carry, low};
}

/// Returns the fraction of a quadrant, from -1/2 to 1/2, as a sum of two floats. The fraction is
/// given as three integers, from the highest bits to the lowest, each exact as a float: it is first
/// · unit + second + third · tail, in units of the last bit of `second`.
DoubleWord toFloats(FloatType type, Number first, Number second, Number third, double unit,
                    double tail) {
  Number a = first.signedToFloat(type), b = second.signedToFloat(type);
  Number c = third.signedToFloat(type);
  Number high = fma(a, unit, b);
  Number rest = b - fma(a, -unit, high);
  return {high, fma(c, tail, rest)};
}

/// The quadrant, and the fraction of a quadrant as a multiple of `unit`.
struct Fraction {
  Number quadrant;
  DoubleWord fraction;
  double unit;
};

Fraction fractionF32(Number x) {
  FloatFormat format(x);
  Number bits = x.bits();
  Number exponent = (bits >> 23) & 0xFF;
  Number m = ((bits & 0x7FFFFF) | 0x800000) << 7;
  // The greatest exponent field, 254, needs an offset beyond the last word. So it uses the offset
  // of 253, and M is doubled instead.
  Number isLast = (exponent == 254).extendUnsigned(32);
  Number offset = exponent - 126 - isLast;
  Number angle = multiplyF32(m << isLast, window(offset, 2, 33));

  Number quadrant = ((angle + (uint64_t(1) << 61)) >> 62).truncate(32);
  Number fraction = angle << 2;
  Number upper = (fraction >> 32).truncate(32);
  Number second = (fraction >> 16).truncate(32) & 0xFFFFFF, third = fraction.truncate(32) & 0xFFFF;
  return {quadrant,
          toFloats(format.getType(), shiftRightSigned(upper, 8), second, third, 0x1p24, 0x1p-16),
          0x1p-48};
}

Fraction fractionF64(Number x) {
  FloatFormat format(x);
  Number bits = x.bits();
  Number exponent = (bits >> 52) & 0x7FF;
  Number m = ((bits & 0xFFFFFFFFFFFFF) | 0x10000000000000) << 10;
  Number isLast = (exponent == 2046).extendUnsigned(64);
  Number offset = exponent - 1022 - isLast;
  auto [high, low] = multiplyF64(m << isLast, window(offset, 4, 65));

  Number quadrant = (high + (uint64_t(1) << 61)) >> 62;
  Number upper = (high << 2) | (low >> 62), lower = low << 2;
  Number second = ((upper & 0xFFF) << 40) | (lower >> 24), third = lower & 0xFFFFFF;
  return {quadrant,
          toFloats(format.getType(), shiftRightSigned(upper, 12), second, third, 0x1p52, 0x1p-24),
          0x1p-104};
}

} // namespace

ReducedAngle reduceAngle(Number x) {
  FloatFormat format(x);
  Number magnitude = abs(x);
  auto [quadrant, fraction, unit] =
      x.getElementType().isF32() ? fractionF32(magnitude) : fractionF64(magnitude);
  const double high = format.pick(0x1.921fb6p+0, 0x1.921fb54442d18p+0) * unit;
  const double low = format.pick(-0x1.777a5cp-25, 0x1.1a62633145c07p-54) * unit;
  DoubleWord angle = twoProduct(fraction.high, x.constant(high));
  Number rest = fma(fraction.high, low, fma(fraction.low, high, angle.low));

  Number isSmall = magnitude < 0x1.921fb4p-1;
  Number isFinite = magnitude < x.infinity();
  return {select(isSmall, quadrant.constant(0), quadrant),
          select(isSmall, magnitude, select(isFinite, angle.high, x.nan())),
          select(isSmall, x.constant(0.0), rest)};
}

} // namespace eft
