// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules by which the axis information of operations' results follows from that of their
// operands.
#pragma once

#include "compiler/analysis/AxisInfo.h"

namespace eft {

/// Returns the axis information of a result of an operation without regions. `isReached()` must be
/// true for the information of each operand.
AxisInfo axisInfoOfResult(mlir::OpResult result, llvm::ArrayRef<AxisInfo> operands);

/// Returns an upper bound of a result of an operation without regions, if the result is known to be
/// non-negative when read as a signed number. `isReached()` must be true for the information of
/// each operand.
std::optional<UpperBound> boundOfResult(mlir::OpResult result, llvm::ArrayRef<AxisInfo> operands);

/// The bits of a number or of a block's element; 64 for addresses and `index`.
unsigned widthOf(mlir::Type type);

/// Returns the axis information of a loop's counter, which starts at `begin` and grows by `step` in
/// each iteration.
AxisInfo axisInfoOfCounter(mlir::Type type, const AxisInfo &begin, const AxisInfo &step);

} // namespace eft
