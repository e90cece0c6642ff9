// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scalar that a uniform block repeats at every index.
#pragma once

#include "mlir/IR/Builders.h"

namespace eft {

/// The source of a splat, or a new scalar constant if the block is a constant with one value; else
/// null.
mlir::Value uniformScalar(mlir::Value block, mlir::OpBuilder &builder);

/// True if `uniformScalar` returns a scalar. Emits nothing.
bool isUniform(mlir::Value block);

} // namespace eft
