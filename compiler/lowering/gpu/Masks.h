// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The masks of a thread's elements: conditions that are cheap to compute where they are needed.
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// A condition that most threads find to be `usual`. What only the others need stays on their way
/// then: LLVM would compute it for all of them in front of the branch.
mlir::Value expect(mlir::ImplicitLocOpBuilder &b, mlir::Value condition, bool usual);

/// Computes the mask once more, here, from what all the thread's elements have in common. Where a
/// thread needs the masks of single elements seldom, they and their indices would only keep
/// registers.
mlir::Value recompute(mlir::ImplicitLocOpBuilder &b, mlir::Value mask);

/// Whether the mask is true wherever `usual` is: both compare indices, which differ by a constant,
/// with the same bound.
bool follows(mlir::Value mask, mlir::Value usual);

} // namespace eft
