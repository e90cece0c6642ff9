// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The number of blocks of a kernel that a multiprocessor holds at once.
#pragma once

#include "runtime/cuda/Gpu.h"

#include <optional>
#include <string>
#include <string_view>

namespace eft::cuda {

// The needs of one block.
struct BlockNeeds {
  int threads = 0;
  int registers = 0; // registers of each thread
  int sharedBytes = 0;
};

// The registers of each thread with which a multiprocessor would hold one block more, if the kernel
// has hardly more of them, nothing else is in the way, and the threads are few.
//
// The assembler knows neither the shared memory of a launch nor that a few registers less would
// make a third of the threads more: told of the limit, it mostly keeps to it without spilling.
std::optional<int> registersForOneMore(const GpuProperties &gpu, const BlockNeeds &block);

// The text with a limit of registers for its kernel; nothing if it is no PTX or has a limit
// already.
std::optional<std::string> withRegisterLimit(std::string_view ptx, int registers);

} // namespace eft::cuda
