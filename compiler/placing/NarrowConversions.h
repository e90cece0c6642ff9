// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rewrite that moves layout conversions to where the elements are narrowest.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace eft {

/// Moves each `eft.convert_layout` after the elementwise operations that follow, if these end in
/// narrower elements: then at most half as many bits move between threads. For example, a matrix
/// product is converted after it has been rounded to its type in memory.
///
/// The conversion also moves across an `eft.split`, if elementwise operations make both halves
/// narrower. The elementwise operations may have other operands that are cheap in any layout, such
/// as a block that repeats one number for each row. Of such a block, only the small block of
/// numbers is converted, before it is repeated.
void narrowConversions(mlir::func::FuncOp function);

} // namespace eft
