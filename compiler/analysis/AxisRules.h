// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The axis information of an operation's results, from that of its operands.
#pragma once

#include "compiler/analysis/AxisInfo.h"

namespace eft {

/// The information on a result of an operation without regions. All operands have been reached.
AxisInfo axisInfoOfResult(mlir::OpResult result, llvm::ArrayRef<AxisInfo> operands);

/// The information on a counter that starts at `begin` and moves by `step`.
AxisInfo axisInfoOfCounter(mlir::Type type, const AxisInfo &begin, const AxisInfo &step);

} // namespace eft
