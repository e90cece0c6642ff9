// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first lane of a vector, computed without the vector.
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// Emits the first lane of `vector`. Where splats, constants and elementwise integer operations
/// compute the vector, the same is computed for the first lane alone. From any other vector the
/// lane is extracted.
mlir::Value firstLane(mlir::ImplicitLocOpBuilder &b, mlir::Value vector);

} // namespace eft
