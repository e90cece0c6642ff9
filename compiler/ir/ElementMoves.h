// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Questions about operations that move elements.
#pragma once

#include "compiler/ir/EftDialect.h"
#include "compiler/layout/LinearLayout.h"

namespace eft {

/// The operation that makes `value` by moving elements, if it has no other result and may be made
/// in any layout; else null.
ElementMoveOpInterface freeMove(mlir::Value value);

/// The layout of the source in which no element has to move: each place of the result holds the
/// elements of the source that it needs. The source's other elements, which are those of further
/// results, lie in further fragments, which `dimension` counts.
LinearLayout layoutBefore(ElementMoveOpInterface move, const LinearLayout &layout,
                          llvm::StringRef dimension);

} // namespace eft
