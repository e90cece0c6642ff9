// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first lane of a vector, computed without the vector.
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// The first lane of `vector`. Goes back through splats, constants and elementwise integer
/// operations, and does them on the first lane alone. From any other vector it extracts the lane.
mlir::Value firstLane(mlir::ImplicitLocOpBuilder &b, mlir::Value vector);

} // namespace eft
