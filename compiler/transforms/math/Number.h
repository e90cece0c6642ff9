// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Number: a class with operators that create elementwise IR. Code that builds IR then reads like
// the mathematics:
//
//   Number y = select(x > 0.0, x * x + 1.0, -x);
//
// creates arith ops on scalars, blocks or vectors, whichever x is. Operators take two numbers of
// one type, or a number and a C++ constant, which is converted to the number's type. The element
// type decides the op, as in C: + is addf or addi. Nothing is folded or fused here: each operator
// is one op, which rounds on its own.
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

#include <concepts>

namespace eft {

/// The types of C++ constants that operators take beside a Number.
template <typename T>
concept Constant = std::integral<T> || std::floating_point<T>;

/// A value of integers or floats, and the builder that its operators use. Cheap to copy. The
/// builder must outlive the number.
class Number {
public:
  Number(mlir::ImplicitLocOpBuilder &builder, mlir::Value value)
      : builder(&builder), value(value) {}

  operator mlir::Value() const { return value; }
  mlir::ImplicitLocOpBuilder &getBuilder() const { return *builder; }
  mlir::Type getType() const { return value.getType(); }
  mlir::Type getElementType() const { return mlir::getElementTypeOrSelf(getType()); }
  bool isFloat() const { return llvm::isa<mlir::FloatType>(getElementType()); }
  unsigned getWidth() const { return getElementType().getIntOrFloatBitWidth(); }

  /// A constant of this number's type. A float is rounded to nearest, and an integer is taken
  /// modulo 2^width.
  template <Constant T> Number constant(T value) const {
    if constexpr (std::integral<T>)
      return isFloat() ? floatConstant(static_cast<double>(value))
                       : bitsConstant(static_cast<uint64_t>(static_cast<int64_t>(value)));
    else
      return floatConstant(value);
  }
  Number infinity(bool negative = false) const;
  Number nan() const;

  /// This number's type with `element` as its element type.
  mlir::Type shapeOf(mlir::Type element) const;

  // Conversions. The parameter is the element type of the result, or its width.
  /// The bits of a float as an integer of its width.
  Number bits() const;
  /// The bits of an integer as a float of the same width.
  Number bitsAs(mlir::FloatType type) const;
  /// Conversions to a wider or narrower type. truncateFloat rounds to nearest even, extendUnsigned
  /// extends by zeros, and truncate drops the high bits.
  Number extendFloat(mlir::FloatType type) const;
  Number truncateFloat(mlir::FloatType type) const;
  Number extendUnsigned(unsigned width) const;
  Number truncate(unsigned width) const;
  /// Integer to float, rounded to nearest even.
  Number signedToFloat(mlir::FloatType type) const;
  Number unsignedToFloat(mlir::FloatType type) const;
  /// Float to integer, toward zero. Undefined where the result does not fit.
  Number toSigned(unsigned width) const;
  Number toUnsigned(unsigned width) const;

private:
  Number floatConstant(double value) const;
  Number bitsConstant(uint64_t value) const;

  mlir::ImplicitLocOpBuilder *builder;
  mlir::Value value;
};

Number operator+(Number a, Number b);
Number operator-(Number a, Number b);
Number operator*(Number a, Number b);
Number operator/(Number a, Number b);
Number operator-(Number a);
Number operator&(Number a, Number b);
Number operator|(Number a, Number b);
Number operator^(Number a, Number b);
Number operator<<(Number a, Number count);
/// Shifts in zeros.
Number operator>>(Number a, Number count);
/// Shifts in the sign.
Number shiftRightSigned(Number a, unsigned count);

// Comparisons give i1. A comparison with NaN is false, except that != is true. Integers are
// compared as signed.
Number operator<(Number a, Number b);
Number operator<=(Number a, Number b);
Number operator>(Number a, Number b);
Number operator>=(Number a, Number b);
Number operator==(Number a, Number b);
Number operator!=(Number a, Number b);
/// a < b for unsigned integers.
Number lessUnsigned(Number a, Number b);
Number isNan(Number a);

Number select(Number condition, Number a, Number b);
/// a * b + c, rounded once.
Number fma(Number a, Number b, Number c);
Number abs(Number a);
/// Correctly rounded.
Number sqrt(Number a);
/// A float rounded to an integer toward zero.
Number truncate(Number a);
/// The lesser or greater number; NaN if either is NaN. -0 is less than +0.
Number minimum(Number a, Number b);
Number maximum(Number a, Number b);
/// The lesser or greater number. If one operand is NaN, the other operand.
Number minimumNumber(Number a, Number b);
Number maximumNumber(Number a, Number b);

#define EFT_WITH_CONSTANT(op)                                                                      \
  template <Constant T> Number operator op(Number a, T b) { return a op a.constant(b); }           \
  template <Constant T> Number operator op(T a, Number b) { return b.constant(a) op b; }
EFT_WITH_CONSTANT(+)
EFT_WITH_CONSTANT(-)
EFT_WITH_CONSTANT(*)
EFT_WITH_CONSTANT(/)
EFT_WITH_CONSTANT(&)
EFT_WITH_CONSTANT(|)
EFT_WITH_CONSTANT(^)
EFT_WITH_CONSTANT(<<)
EFT_WITH_CONSTANT(>>)
EFT_WITH_CONSTANT(<)
EFT_WITH_CONSTANT(<=)
EFT_WITH_CONSTANT(>)
EFT_WITH_CONSTANT(>=)
EFT_WITH_CONSTANT(==)
EFT_WITH_CONSTANT(!=)
#undef EFT_WITH_CONSTANT

template <Constant T> Number select(Number condition, T a, Number b) {
  return select(condition, b.constant(a), b);
}
template <Constant T> Number select(Number condition, Number a, T b) {
  return select(condition, a, a.constant(b));
}
template <Constant T> Number fma(Number a, T b, Number c) { return fma(a, a.constant(b), c); }
template <Constant T> Number fma(Number a, Number b, T c) { return fma(a, b, a.constant(c)); }
template <Constant T, Constant U> Number fma(Number a, T b, U c) {
  return fma(a, a.constant(b), a.constant(c));
}

/// `low` where x < low, else x. NaN stays NaN. The bound must not be zero.
Number atLeast(Number x, double low);
/// `high` where x > high, else x. NaN stays NaN. The bound must not be zero.
Number atMost(Number x, double high);
/// `low` where x < low, `high` where x > high, else x. NaN stays NaN. The bounds must not be zero.
Number clamp(Number x, double low, double high);

/// a / b for numbers whose quotient a GPU can compute without tests for special cases: neither the
/// numbers nor the quotient are so large or so small that a step of the division loses bits.
Number plainQuotient(Number a, Number b);

/// The polynomial with these coefficients, the lowest power first, by Horner's rule with fma.
Number polynomial(Number x, llvm::ArrayRef<double> coefficients);

} // namespace eft
