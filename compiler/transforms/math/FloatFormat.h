// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constants of f32 and f64 that the functions need.
#pragma once

#include "compiler/transforms/math/Number.h"

namespace eft {

/// f32 or f64, whichever a number has as its element type, and the constants that depend on it.
class FloatFormat {
public:
  explicit FloatFormat(Number x)
      : type(llvm::cast<mlir::FloatType>(x.getElementType())), isF32(type.isF32()) {}

  template <typename T>
    requires(!std::is_pointer_v<T>)
  T pick(T forF32, T forF64) const {
    return isF32 ? forF32 : forF64;
  }
  /// A polynomial's coefficients.
  template <size_t n, size_t m>
  llvm::ArrayRef<double> pick(const double (&forF32)[n], const double (&forF64)[m]) const {
    return isF32 ? llvm::ArrayRef<double>(forF32) : llvm::ArrayRef<double>(forF64);
  }

  mlir::FloatType getType() const { return type; }
  unsigned mantissaBits() const { return isF32 ? 23 : 52; }
  unsigned bias() const { return isF32 ? 127 : 1023; }
  uint64_t signBit() const { return isF32 ? uint64_t(1) << 31 : uint64_t(1) << 63; }
  /// 2^mantissaBits.
  double unit() const { return isF32 ? 0x1p23 : 0x1p52; }
  /// 1.5 · 2^mantissaBits. Adding it to a small number rounds the number to an integer, which is
  /// then in the low bits of the sum.
  double rounder() const { return 1.5 * unit(); }
  double smallestNormal() const { return isF32 ? 0x1p-126 : 0x1p-1022; }

private:
  mlir::FloatType type;
  bool isF32;
};

/// |x| with the sign of `sign`.
inline Number copySign(Number x, Number sign) {
  FloatFormat format(x);
  Number magnitude = x.bits() & (format.signBit() - 1);
  return (magnitude | (sign.bits() & format.signBit())).bitsAs(format.getType());
}

/// `x`, negated where the sign bit of `sign` is set. Both are floats.
inline Number flipSign(Number x, Number sign) {
  FloatFormat format(x);
  return (x.bits() ^ (sign.bits() & format.signBit())).bitsAs(format.getType());
}

} // namespace eft
