// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads of a thread that need not wait for the stores in front of them.
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// Moves loads to the beginning of a block, also over stores to other arrays. Gives a condition,
/// computed where `b` stands in front of the block, under which each load reads what it read at its
/// old place; null if that holds in any case.
mlir::Value moveLoadsUp(mlir::ImplicitLocOpBuilder &b, mlir::Block &block);

} // namespace eft
