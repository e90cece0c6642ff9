// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queries on operations that move elements.
#pragma once

#include "compiler/ir/EftDialect.h"
#include "compiler/layout/LinearLayout.h"

namespace eft {

/// Returns the element move that makes `value`, if the move has only this result and no anchor, so
/// that it may be made in any layout; otherwise null.
ElementMoveOpInterface freeMove(mlir::Value value);

/// Returns the layout of the source in which no element has to move, if the result has `layout`:
/// each place holds the elements of the source that it needs for the result. Elements of the source
/// that the result does not have, such as those of the other result of `eft.split`, lie at new
/// places: `dimension` gets further, high bits for them.
LinearLayout layoutBefore(ElementMoveOpInterface move, const LinearLayout &layout,
                          llvm::StringRef dimension);

/// Returns a constant of type `type` with the elements of `constant`, if these are all equal;
/// otherwise null. Moves of elements fold to it.
mlir::OpFoldResult resplat(mlir::Attribute constant, mlir::Type type);

} // namespace eft
