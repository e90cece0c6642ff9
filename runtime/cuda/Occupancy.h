// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Occupancy: the number of thread blocks of a kernel that a multiprocessor holds at once.
#pragma once

#include "runtime/cuda/Gpu.h"

#include <optional>
#include <string>
#include <string_view>

namespace eft::cuda {

// The resources that one thread block needs.
struct BlockNeeds {
  int threads = 0;
  int registers = 0; // registers of each thread
  int sharedBytes = 0;
};

// The largest number of registers per thread with which a multiprocessor would hold one block more.
// Nothing unless all of these conditions hold: the kernel uses more registers than that, but at
// most 8 more; neither shared memory nor another limit prevents the additional block; and there are
// so few warps that an additional block helps.
//
// The assembler does not know how much shared memory a launch uses. So it does not know that using
// a few registers less would, for example, raise the number of threads by a third. If this limit is
// given to the assembler, its code mostly keeps to the limit without spilling.
std::optional<int> registersForOneMore(const GpuProperties &gpu, const BlockNeeds &block);

// Adds a register limit to the kernel in the PTX text. Nothing if the text is no PTX of a kernel,
// or has a limit already.
std::optional<std::string> withRegisterLimit(std::string_view ptx, int registers);

} // namespace eft::cuda
