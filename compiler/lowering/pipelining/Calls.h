// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls in code for a GPU.
#pragma once

#include "mlir/IR/Operation.h"

namespace eft {

/// True if ptxas may compile the operation as a call. It expands 32-bit integer quotients inline.
bool mayCall(mlir::Operation *op);

} // namespace eft
