// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts in code for a CPU, beyond which LLVM's analyses do not look back.
#pragma once

#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Instructions.h"

namespace eft {

/// Cuts a basic block before an instruction and returns the second part. Two paths lead from the
/// first part to the second. LLVM can't know that they are equivalent:
///
///   first:  branch on a number that LLVM does not know: detour, second
///   detour: an empty piece of assembly that LLVM may not remove
///   second: …
///
/// At run time the detour is never taken. A cut costs two instructions.
llvm::BasicBlock *cutBefore(llvm::Instruction &instruction);

} // namespace eft
