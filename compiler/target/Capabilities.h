// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The properties of GPUs that follow from their compute capabilities.
#pragma once

#include "eft/Compiler.h"

#include <cstdint>

namespace eft {

/// True if warpgroups can multiply matrices (with `wgmma`) on the GPUs that run the target's code.
bool hasWarpgroups(const Target &target);

/// True if the GPUs that run the target's code have instructions that convert and multiply 8-bit
/// floats.
bool hasFloat8(const Target &target);

/// True if one atomic instruction can add to several neighbours, up to 16 bytes, on the GPUs that
/// run the target's code.
bool hasVectorAtomics(const Target &target);

/// The shared memory, in bytes, that a program may have on the GPUs that run the target's code.
uint64_t sharedBytesOfProgram(const Target &target);

} // namespace eft
