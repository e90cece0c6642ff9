// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The properties of GPUs by their compute capabilities.
#pragma once

#include "eft/Compiler.h"

#include <cstdint>

namespace eft {

/// Whether warpgroups can multiply matrices (with `wgmma`) on the GPUs that take the target's code.
bool hasWarpgroups(const Target &target);

/// Whether the GPUs that take the target's code convert and multiply 8-bit floats.
bool hasFloat8(const Target &target);

/// Whether one atomic operation of the GPUs that take the target's code adds to neighbours of up to
/// 16 bytes.
bool hasVectorAtomics(const Target &target);

/// The shared memory, in bytes, that a program may have on the GPUs that take the target's code.
uint64_t sharedBytesOfProgram(const Target &target);

} // namespace eft
