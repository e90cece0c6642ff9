// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stack for the compiler that does not depend on who calls it.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

namespace eft {

/// Runs `work` on a thread of its own, whose stack is large, and returns when it is done. MLIR and
/// LLVM recurse along the code that they compile, and the caller may be a thread whose stack is a
/// hundred times smaller than a main thread's. Where the system grants no such thread, `work` runs
/// on the caller's.
void runOnLargeStack(llvm::function_ref<void()> work);

} // namespace eft
