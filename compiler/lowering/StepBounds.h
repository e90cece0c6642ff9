// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many steps of a loop lie inside a mask that is a prefix of the block.
#pragma once

#include "compiler/analysis/PrefixMask.h"
#include "compiler/lowering/StepTiles.h"

namespace eft {

/// Numbers of steps, i32: the first `inside` ones have every element under the mask, and none from
/// `touched` on has any.
struct StepBounds {
  mlir::Value inside, touched;
};

/// Emits the bounds for the loop over `count` steps of accesses, if all have the same mask, it is a
/// prefix that can be counted, and the steps go through the block from its first element to its
/// last.
std::optional<StepBounds> emitStepBounds(mlir::ImplicitLocOpBuilder &b, const AxisInfos &infos,
                                         llvm::ArrayRef<mlir::Operation *> accesses,
                                         const StepDimension &steps, int64_t count);

} // namespace eft
