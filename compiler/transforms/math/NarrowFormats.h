// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions from and to f16 and bf16, correctly rounded, by operations that the target has.
//
// The difficulty is that rounding twice can differ from rounding once. For example, 1 + 2^-9 +
// 2^-40 is above the middle between two bf16, but rounded to f32 it is exactly that middle. So the
// first rounding is to odd: an inexact result is truncated, and its last bit is set. A number
// rounded to odd is never the middle between two numbers of a format with at least two bits less,
// and it is on the same side of every such middle as the exact value. So the second rounding gives
// what rounding the exact value gives.
#pragma once

#include "compiler/transforms/math/Number.h"

namespace eft {

/// The operations on f16 and bf16 for which the target has instructions.
struct NarrowFloatSupport {
  /// Addition, subtraction, multiplication, negation, comparison and fused multiply-add of f16;
  /// conversions between f16 and f64 or f32, and from integers to f16; minima and maxima of f16 and
  /// bf16.
  bool f16Arithmetic = false;
  /// Conversions between f32 and bf16.
  bool bf16Conversions = false;
  /// Conversions between f32 and f16.
  bool f16Conversions = false;

  bool convertsF16() const { return f16Arithmetic || f16Conversions; }
};

/// Converts f64 to f32, rounded to odd.
Number roundToOddF32(Number x);

class NarrowFormats {
public:
  explicit NarrowFormats(NarrowFloatSupport support) : support(support) {}

  /// Converts f16 or bf16 to f32, exactly.
  Number toF32(Number x) const;
  /// Converts f32 to f16 or bf16, rounded to nearest even.
  Number fromF32(Number x, mlir::FloatType type) const;
  /// Converts f32 to f16 or bf16. The value must be exact in that format, or NaN.
  Number fromExactF32(Number x, mlir::FloatType type) const;
  /// Converts f64 to f16 or bf16, rounded to nearest even.
  Number fromF64(Number x, mlir::FloatType type) const;
  /// Converts an integer of up to 64 bits to f16 or bf16, rounded to nearest even.
  Number fromInteger(Number x, bool isSigned, mlir::FloatType type) const;
  /// a * b + c in f16 or bf16, rounded once.
  Number multiplyAdd(Number a, Number b, Number c) const;

private:
  NarrowFloatSupport support;
};

} // namespace eft
