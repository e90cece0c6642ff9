// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts in a CPU's code, where LLVM stops looking back.
#pragma once

#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Instructions.h"

namespace eft {

/// Cuts a basic block before an instruction and returns the second part. Two ways lead to it from
/// the first one, and LLVM can't know that both are the same:
///
///   first:  branch on a number that LLVM does not know: detour, second
///   detour: nothing that LLVM could leave out
///   second: …
///
/// The first part costs two instructions, and the detour none.
llvm::BasicBlock *cutBefore(llvm::Instruction &instruction);

} // namespace eft
