// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conditions that all threads of a program agree on.
//
// All threads compute the same conditions, but each loads for itself what they are made of. If
// somebody writes there meanwhile, another program or another position of the program's own blocks,
// some threads may see the old value and others the new one. Where they then went different ways,
// those that came to a barrier would wait for those that never do.
#pragma once

#include "compiler/lowering/gpu/SharedMemory.h"

namespace eft {

/// Lets the threads agree on the conditions and bounds that come from memory, of the conditionals
/// and loops in which threads wait for each other or look at each other's registers.
void makeControlUniform(mlir::func::FuncOp kernel, SharedMemory &shared);

} // namespace eft
