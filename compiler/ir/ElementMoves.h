// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Questions about operations that move elements.
#pragma once

#include "compiler/ir/EftDialect.h"

namespace eft {

/// The operation that makes `value` by moving elements, if it has no other result and may be made
/// in any layout; else null.
ElementMoveOpInterface freeMove(mlir::Value value);

} // namespace eft
