// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's software floats, with which results in f16 and bf16 must agree. They round each operation
// once.
#pragma once

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"

#include <bit>
#include <cstdint>
#include <string>

namespace eft::test {

/// A floating-point format with its name in MLIR.
struct Format {
  std::string name;
  const llvm::fltSemantics &semantics;
};

inline const Format f16{"f16", llvm::APFloat::IEEEhalf()};
inline const Format bf16{"bf16", llvm::APFloat::BFloat()};

inline llvm::APFloat toAPFloat(const Format &format, uint16_t bits) {
  return llvm::APFloat(format.semantics, llvm::APInt(16, bits));
}

/// The value rounded to nearest even.
inline uint16_t roundTo(const Format &format, llvm::APFloat value) {
  bool losesInfo;
  value.convert(format.semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return static_cast<uint16_t>(value.bitcastToAPInt().getZExtValue());
}

inline uint16_t roundIntegerTo(const Format &format, const llvm::APSInt &value) {
  llvm::APFloat result(format.semantics);
  result.convertFromAPInt(value, value.isSigned(), llvm::APFloat::rmNearestTiesToEven);
  return static_cast<uint16_t>(result.bitcastToAPInt().getZExtValue());
}

inline bool isNan(const Format &format, uint16_t bits) { return toAPFloat(format, bits).isNaN(); }

/// True if the bits are equal, or both are NaN. The bits of a NaN have no meaning.
inline bool agree(const Format &format, uint16_t a, uint16_t b) {
  return a == b || (isNan(format, a) && isNan(format, b));
}

} // namespace eft::test
