// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over the vectors, or the elements, of a block in memory.
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// Emits a loop whose counter, an i32, takes the values first, first + step, … below `end`. `body`
/// emits the loop's body, given the counter.
void emitLoop(mlir::ImplicitLocOpBuilder &b, int64_t first, int64_t end, int64_t step,
              llvm::function_ref<void(mlir::Value)> body);

} // namespace eft
