// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The masks of a block whose elements are used up to the same index in all programs. An example is
// a row of a matrix whose length is not a power of two. Each mask compares an index, which depends
// on the thread alone, with a bound.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <optional>

namespace eft {

/// The mask base + offset < bound of one element, with 0 ≤ offset. The integers are signed, and the
/// sum does not overflow. `base` depends on the thread alone.
struct ElementMask {
  mlir::Value base, bound;
  int64_t offset;

  /// The mask that `compared` computes; nothing if it is not a mask of this form.
  static std::optional<ElementMask> of(mlir::arith::CmpIOp compared);
};

} // namespace eft
