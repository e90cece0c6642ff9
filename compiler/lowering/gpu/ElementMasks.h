// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The masks of a block that is cut at the same index in all programs, such as the columns of a row:
// each compares an index that follows from the thread alone with a bound.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <optional>

namespace eft {

/// The mask of the element that lies `offset` ≥ 0 behind the thread's `base`: base + offset <
/// bound, as signed integers, without overflow.
struct ElementMask {
  mlir::Value base, bound;
  int64_t offset;

  /// Nothing if the comparison is no such mask.
  static std::optional<ElementMask> of(mlir::arith::CmpIOp compared);
};

} // namespace eft
