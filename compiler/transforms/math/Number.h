// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Number: lets code that builds elementwise IR read like the mathematics it builds.
//
//   Number y = select(x > 0.0, x * x + 1.0, -x);
//
// creates arith ops on scalars, blocks or vectors, whichever x is. Operators take numbers of one
// type, or a number and a C++ constant, which becomes a constant of that number's type. What an
// operator means follows the element type, as in C: + is addf or addi. Nothing is folded or fused
// here: each operator is one op, rounded by itself.
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

#include <concepts>

namespace eft {

/// A C++ constant beside a Number.
template <typename T>
concept Constant = std::integral<T> || std::floating_point<T>;

/// A value of integers or floats and the builder that its operators use. Cheap to copy; the builder
/// must outlive it.
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

  /// A constant of this number's type: rounded to nearest if it is a float, and taken modulo
  /// 2^width if it is an integer.
  template <Constant T> Number constant(T value) const {
    if constexpr (std::integral<T>)
      return isFloat() ? floatConstant(static_cast<double>(value))
                       : bitsConstant(static_cast<uint64_t>(static_cast<int64_t>(value)));
    else
      return floatConstant(value);
  }
  Number infinity(bool negative = false) const;
  Number nan() const;

  /// The same shape with another type of elements.
  mlir::Type shapeOf(mlir::Type element) const;

  // Conversions; each names the meaning, and the type of an element that it gives.
  /// The bits of a float as an integer of its width.
  Number bits() const;
  /// The integer's bits as a float of that type and width.
  Number bitsAs(mlir::FloatType type) const;
  /// Wider or narrower: floats round to nearest even; integers extend by zero, or wrap.
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

// Comparisons of floats are false where an operand is NaN, but != is true. Those of integers are
// signed. All give i1.
Number operator<(Number a, Number b);
Number operator<=(Number a, Number b);
Number operator>(Number a, Number b);
Number operator>=(Number a, Number b);
Number operator==(Number a, Number b);
Number operator!=(Number a, Number b);
/// a < b of integers without sign.
Number lessUnsigned(Number a, Number b);
Number isNan(Number a);

Number select(Number condition, Number a, Number b);
/// a * b + c, rounded once.
Number fma(Number a, Number b, Number c);
Number abs(Number a);
/// Correctly rounded.
Number sqrt(Number a);
/// The integer next to a float toward zero.
Number truncate(Number a);
/// The lesser or greater; NaN if either is NaN. -0 is less than +0.
Number minimum(Number a, Number b);
Number maximum(Number a, Number b);
/// The greater; the other one if one is NaN.
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

/// low where x is less, else x, so NaN stays NaN. The bound is not zero.
Number atLeast(Number x, double low);
/// high where x is greater, else x, so NaN stays NaN. The bound is not zero.
Number atMost(Number x, double high);
/// low where x is less, high where x is greater, else x, so NaN stays NaN. The bounds are not zero.
Number clamp(Number x, double low, double high);

/// a / b where neither the numbers nor their quotient are so large or so small that a step of the
/// division loses bits: a GPU need not test it.
Number plainQuotient(Number a, Number b);

/// The polynomial with these coefficients, the lowest power first, by Horner's rule with fma.
Number polynomial(Number x, llvm::ArrayRef<double> coefficients);

} // namespace eft
