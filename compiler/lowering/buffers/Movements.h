// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the elements of a block were before they moved.
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

/// How the value comes from a block that nothing has moved: through all that only moves elements.
/// Nothing if the value is such a block itself, or on other places than a CPU's.
std::optional<Movement> movementOf(mlir::Value value);

/// The coordinates of a placed block's elements along a dimension, as a block of i32 like it.
mlir::Value makeCoordinates(mlir::OpBuilder &b, mlir::Location loc, mlir::RankedTensorType block,
                            unsigned dimension);

} // namespace eft
