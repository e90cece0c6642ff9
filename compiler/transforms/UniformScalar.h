// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The number that a block repeats at every index.
#pragma once

#include "mlir/IR/Builders.h"

namespace eft {

/// The scalar of a splat, or a new constant if the block is a constant of one value; else null.
mlir::Value uniformScalar(mlir::Value block, mlir::OpBuilder &builder);

/// Whether `uniformScalar` would find a scalar.
bool isUniform(mlir::Value block);

} // namespace eft
