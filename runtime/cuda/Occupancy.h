// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Occupancy: the number of thread blocks of a kernel that a multiprocessor holds at once, and the
// number of programs in a block.
#pragma once

#include "runtime/cuda/Gpu.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace eft::cuda {

// The resources that one thread block needs.
struct BlockNeeds {
  int threads = 0;
  int registers = 0; // registers of each thread
  int sharedBytes = 0;
  int spilledBytes = 0; // stack of each thread, apart from the kernel's own local memory
};

// A limit for the registers of each thread. It may make a kernel faster if a thread then spills at
// most `spilledBytes`.
struct RegisterLimit {
  int registers = 0;
  int spilledBytes = 0;
  bool operator==(const RegisterLimit &) const = default;
};

// The number of programs, at most `most`, that each thread block of a launch should hold. It
// divides the number of programs along x.
//
// A GPU starts blocks one after another, in a fixed time, and a multiprocessor holds a fixed number
// of them. Small programs of a large grid wait for both, so some of them share a block. A small
// grid gets a block for each program: its blocks then spread over more multiprocessors.
unsigned programsOfBlock(const GpuProperties &gpu, const std::array<uint32_t, 3> &grid, int most);

// The limit with which the assembler should assemble a kernel once more, if its first code needs
// what `block` says. The assembler does not know how much shared memory a launch uses, so it does
// not know how many blocks a multiprocessor can hold at once. There is a limit in three cases:
//
// - The multiprocessor would hold one block more if a thread had up to 8 registers fewer. The
//   blocks have so few warps that an additional one helps. The code mostly keeps to the limit
//   without spilling.
// - The multiprocessor holds one block only, although the block has many warps, and would hold two.
//   While all warps of a block wait at a barrier, the other block computes. That is worth spilling
//   a few registers.
// - The kernel spills registers although it uses fewer than one block could have. The assembler
//   gives some kernels so few registers that several blocks fit, although they then spill
//   kilobytes.
std::optional<RegisterLimit> registerLimit(const GpuProperties &gpu, const BlockNeeds &block);

// The bytes of local memory that the kernel in the PTX text declares for each thread. They are part
// of the stack that the driver reports, but no spilled registers.
int declaredLocalBytes(std::string_view ptx);

// Adds a register limit to the kernel in the PTX text. Nothing if the text is no PTX of a kernel,
// or has a limit already.
std::optional<std::string> withRegisterLimit(std::string_view ptx, int registers);

} // namespace eft::cuda
