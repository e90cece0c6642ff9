// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The places from which the elements of a moved block come.
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

/// Composes the chain of element moves that leads back to an unmoved block. Nothing if the value is
/// unmoved itself, or if its places are not a CPU's.
std::optional<Movement> movementOf(mlir::Value value);

/// The coordinates of a placed block's elements along a dimension, as a block of i32 like it.
mlir::Value makeCoordinates(mlir::OpBuilder &b, mlir::Location loc, mlir::RankedTensorType block,
                            unsigned dimension);

} // namespace eft
