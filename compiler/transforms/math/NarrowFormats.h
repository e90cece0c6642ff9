// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions from and to f16 and bf16, correctly rounded, by the operations that a target has.
//
// The difficulty is rounding twice: 1 + 2^-9 + 2^-40 is above the middle between two bf16, but its
// f32 is that middle. The remedy is to round to odd first: an inexact result is truncated and its
// last bit set. Such a value is never a middle of a format with two bits less, and lies on the same
// side of every middle as the exact value, so the second rounding is that of the exact value.
#pragma once

#include "compiler/transforms/math/Number.h"

namespace eft {

/// The conversions that the target has instructions for.
struct NarrowFloatSupport {
  /// Arithmetic on f16, and its conversions from and to integers and f64; minima and maxima of
  /// bf16.
  bool f16Arithmetic = false;
  /// Conversions between f32 and bf16.
  bool bf16Conversions = false;
  /// Conversions between f32 and f16.
  bool f16Conversions = false;

  bool convertsF16() const { return f16Arithmetic || f16Conversions; }
};

/// f64 to f32, rounded to odd.
Number roundToOddF32(Number x);

class NarrowFormats {
public:
  explicit NarrowFormats(NarrowFloatSupport support) : support(support) {}

  /// f16 or bf16 to f32: exact.
  Number toF32(Number x) const;
  /// f32 to f16 or bf16, rounded to nearest even.
  Number fromF32(Number x, mlir::FloatType type) const;
  /// f32 to f16 or bf16, where the value is known to be one of that format, or NaN.
  Number fromExactF32(Number x, mlir::FloatType type) const;
  /// f64 to f16 or bf16, rounded to nearest even.
  Number fromF64(Number x, mlir::FloatType type) const;
  /// An integer of up to 64 bits to f16 or bf16, rounded to nearest even.
  Number fromInteger(Number x, bool isSigned, mlir::FloatType type) const;
  /// a * b + c of f16 or bf16, rounded once.
  Number multiplyAdd(Number a, Number b, Number c) const;

private:
  NarrowFloatSupport support;
};

} // namespace eft
