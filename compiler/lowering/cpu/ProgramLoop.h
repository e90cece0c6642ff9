// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop over the programs that one call of a CPU's kernel runs.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace eft {

/// Makes a function of the form that the runtime calls. The function runs `program` in a loop. The
/// arguments of `program` are a kernel's lowered arguments and six i32: the program's position and
/// the grid's extent. The new function gets the name of `program`, and `program` gets another name.
/// With `stoppable`, the loop tests before each program whether the launch is to end.
void makeProgramLoop(mlir::func::FuncOp program, bool stoppable);

} // namespace eft
