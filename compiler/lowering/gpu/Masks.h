// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The masks of a thread's elements: conditions that are cheap to recompute where they are used.
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// Returns the condition, with the hint that its usual value is `usual`. Without the hint, LLVM
/// would compute values that only the other branch needs before the branch, for all threads.
mlir::Value expect(mlir::ImplicitLocOpBuilder &b, mlir::Value condition, bool usual);

/// Returns the condition, with the hint that it is false for nearly all threads. For a branch on
/// such a condition, SpecializeMasked.cpp does not make two versions of the code between accesses.
mlir::Value expectSeldom(mlir::ImplicitLocOpBuilder &b, mlir::Value condition);

/// Emits a copy of the mask's computation at the insertion point of `b`, from values that all of
/// the thread's elements share. A thread seldom needs the masks of single elements; if they were
/// kept, they and their indices would occupy registers.
mlir::Value recompute(mlir::ImplicitLocOpBuilder &b, mlir::Value mask);

/// The index that the mask compares with a bound, without a constant that is added to the index. If
/// the mask is no such comparison, returns the mask itself. `follows` can hold only for masks with
/// the same base.
mlir::Value baseOf(mlir::Value mask);

/// True if `mask` is known to be true wherever `usual` is true: both compare indices with the same
/// bound, and the index of `mask` is smaller by a constant or equal.
bool follows(mlir::Value mask, mlir::Value usual);

} // namespace eft
