// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves the loads of a thread before earlier stores.
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// Moves loads to the beginning of `block`, before stores that precede them. Returns a condition
/// under which each load reads the same value as in its old place; null if this always holds. The
/// condition is computed at the insertion point of `b`, which precedes the block.
mlir::Value moveLoadsUp(mlir::ImplicitLocOpBuilder &b, mlir::Block &block);

} // namespace eft
