// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uniform control: conditions on which all threads of a program vote.
//
// All threads compute the same conditions, but each thread loads the values in a condition
// separately. Another program, or a store of this program at another position of a block, may write
// these values meanwhile. Then some threads see the old value and others the new value, and they
// take different branches. Threads that reach a barrier would wait for threads that never reach it.
#pragma once

#include "compiler/lowering/gpu/SharedMemory.h"

namespace eft {

/// Adds votes on conditions and bounds that depend on memory, for conditionals and loops that
/// contain convergent operations. Replaces `eft.of_first_thread`.
void makeControlUniform(mlir::func::FuncOp kernel, SharedMemory &shared);

} // namespace eft
