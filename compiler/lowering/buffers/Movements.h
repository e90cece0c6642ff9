// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chains of element moves as maps: for each place, the element that it gets from the block before
// the first move.
#pragma once

#include "compiler/ir/LayoutConversion.h"

namespace eft {

/// Each place (lane, step) of a value has the source's element with the packed index
/// elements(place) ^ flipped.
struct Movement {
  mlir::Value source;
  LinearLayout elements;
  uint64_t flipped = 0;
};

/// Composes the chain of element moves that makes `value`. The movement's source is the block
/// before the first move. Returns nothing if no move makes the value, or if a block of the chain
/// has elements in none of a CPU's places (lane, step).
std::optional<Movement> movementOf(mlir::Value value);

/// The coordinates of a placed block's elements along a dimension: a block of i32 with the same
/// shape and layout.
mlir::Value makeCoordinates(mlir::OpBuilder &b, mlir::Location loc, mlir::RankedTensorType block,
                            unsigned dimension);

} // namespace eft
