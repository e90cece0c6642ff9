// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The masks of a thread's elements: conditions that are cheap to compute where they are needed.
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// The condition, marked as `usual` for most threads. Without the mark LLVM would compute values
/// that only the others need in front of the branch, for all threads.
mlir::Value expect(mlir::ImplicitLocOpBuilder &b, mlir::Value condition, bool usual);

/// The condition, marked as false for nearly all threads. SpecializeMasked.cpp makes no two
/// versions of what stands between accesses under such a condition.
mlir::Value expectSeldom(mlir::ImplicitLocOpBuilder &b, mlir::Value condition);

/// Computes the mask once more where `b` stands, from values that all the thread's elements share.
/// A thread seldom needs the masks of single elements; until then they and their indices would only
/// occupy registers.
mlir::Value recompute(mlir::ImplicitLocOpBuilder &b, mlir::Value mask);

/// The index in a comparison of indices, without a constant that is added to it; another mask is
/// its own. A mask follows others of the same base alone.
mlir::Value baseOf(mlir::Value mask);

/// True if the mask holds wherever `usual` does: both compare indices, which differ by a constant,
/// with the same bound.
bool follows(mlir::Value mask, mlir::Value usual);

} // namespace eft
