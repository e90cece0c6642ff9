// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Occupancy.h"

#include <algorithm>
#include <charconv>

namespace eft::cuda {
namespace {

constexpr int lanesPerWarp = 32;
// A multiprocessor has this many partitions, each with its own registers and warps.
constexpr int parts = 4;
// Registers are allocated to a thread in multiples of this number.
constexpr int granule = 8;
// With more warps than this per partition, the others are busy enough while some wait: an
// additional block would hardly help.
constexpr int manyWarpsPerPart = 5;
// The spilled bytes that cost less than a second block gains: four registers.
constexpr int fewSpilledBytes = 16;
// The driver reserves this many bytes of shared memory for each block.
constexpr int reservedSharedBytes = 1024;
// An instruction can name this many registers.
constexpr int maxRegisters = 255;

int roundUp(int value, int multiple) { return (value + multiple - 1) / multiple * multiple; }

int warpsOf(const BlockNeeds &block) { return roundUp(block.threads, lanesPerWarp) / lanesPerWarp; }

// The number of warps of a partition if a multiprocessor holds `blocks` blocks.
int warpsPerPart(const BlockNeeds &block, int blocks) {
  return roundUp(blocks * warpsOf(block), parts) / parts;
}

// The number of blocks for which a multiprocessor has registers.
int blocksByRegisters(const GpuProperties &gpu, const BlockNeeds &block) {
  const int perWarp = roundUp(block.registers, granule) * lanesPerWarp;
  return gpu.maxRegistersPerMultiprocessor / parts / perWarp * parts / warpsOf(block);
}

// The largest number of registers per thread with which a multiprocessor holds `blocks` blocks.
int registersFor(const GpuProperties &gpu, const BlockNeeds &block, int blocks) {
  const int perPart = gpu.maxRegistersPerMultiprocessor / parts;
  const int registers = perPart / warpsPerPart(block, blocks) / lanesPerWarp;
  return std::min(registers / granule * granule, maxRegisters);
}

// True if nothing but the number of registers keeps a multiprocessor from holding `blocks` blocks.
bool fits(const GpuProperties &gpu, const BlockNeeds &block, int blocks) {
  return blocks <= gpu.maxBlocksPerMultiprocessor &&
         blocks * warpsOf(block) * lanesPerWarp <= gpu.maxThreadsPerMultiprocessor &&
         blocks * (block.sharedBytes + reservedSharedBytes) <= gpu.maxSharedPerMultiprocessor;
}

} // namespace

unsigned programsOfBlock(const GpuProperties &gpu, const std::array<uint32_t, 3> &grid, int most) {
  if (most < 2)
    return 1;
  const uint64_t held = uint64_t(gpu.multiprocessors) * uint64_t(gpu.maxBlocksPerMultiprocessor);
  if (uint64_t(grid[0]) * grid[1] * grid[2] < 2 * held)
    return 1;
  // The best number first. Blocks of eight programs start no faster, and take longer.
  for (int programs : {4, 3, 5, 7, 2})
    if (programs <= most && grid[0] % unsigned(programs) == 0)
      return unsigned(programs);
  return 1;
}

std::optional<RegisterLimit> registerLimit(const GpuProperties &gpu, const BlockNeeds &block) {
  if (block.threads <= 0 || block.registers <= 0)
    return std::nullopt;
  const int most = registersFor(gpu, block, 1);
  if (block.spilledBytes > 0 && most < maxRegisters && block.registers + granule <= most)
    return RegisterLimit{most, block.spilledBytes - 1};
  const int more = blocksByRegisters(gpu, block) + 1;
  const int limit = registersFor(gpu, block, more);
  if (!fits(gpu, block, more) || block.registers <= limit)
    return std::nullopt;
  const bool hasFewWarps = warpsPerPart(block, more) <= manyWarpsPerPart;
  if (hasFewWarps && block.registers <= limit + granule)
    return RegisterLimit{limit, block.spilledBytes};
  if (more == 2 && warpsPerPart(block, 1) > manyWarpsPerPart)
    return RegisterLimit{limit, block.spilledBytes + fewSpilledBytes};
  return std::nullopt;
}

int declaredLocalBytes(std::string_view ptx) {
  // The name that LLVM gives to the local memory of a function.
  constexpr std::string_view name = "__local_depot";
  const size_t start = ptx.find(name);
  const size_t bracket = start == std::string_view::npos ? start : ptx.find('[', start);
  int bytes = 0;
  if (bracket != std::string_view::npos)
    std::from_chars(ptx.data() + bracket + 1, ptx.data() + ptx.size(), bytes);
  return bytes;
}

std::optional<std::string> withRegisterLimit(std::string_view ptx, int registers) {
  // The directive with the number of threads in a PTX kernel's header. The second one is for
  // kernels that can share a block.
  size_t start = ptx.find("\n.reqntid ");
  if (start == std::string_view::npos)
    start = ptx.find("\n.maxntid ");
  const bool isLimited = ptx.find("\n.maxnreg ") != std::string_view::npos;
  if (start == std::string_view::npos || isLimited)
    return std::nullopt;
  std::string limited(ptx);
  limited.insert(ptx.find('\n', start + 1), "\n.maxnreg " + std::to_string(registers));
  return limited;
}

} // namespace eft::cuda
