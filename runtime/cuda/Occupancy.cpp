// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Occupancy.h"

#include <algorithm>

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
// The driver reserves this many bytes of shared memory for each block.
constexpr int reservedSharedBytes = 1024;

int roundUp(int value, int multiple) { return (value + multiple - 1) / multiple * multiple; }

int warpsPerPart(const GpuProperties &gpu, int registers) {
  return gpu.maxRegistersPerMultiprocessor / parts / (roundUp(registers, granule) * lanesPerWarp);
}

} // namespace

std::optional<int> registersForOneMore(const GpuProperties &gpu, const BlockNeeds &block) {
  if (block.threads <= 0 || block.registers <= 0)
    return std::nullopt;
  const int warps = roundUp(block.threads, lanesPerWarp) / lanesPerWarp;
  const int more = warpsPerPart(gpu, block.registers) * parts / warps + 1;
  const int perPart = roundUp(more * warps, parts) / parts;
  const int registers = gpu.maxRegistersPerMultiprocessor / parts / perPart / lanesPerWarp;
  const int limit = registers / granule * granule;
  const bool fits =
      perPart <= manyWarpsPerPart && more <= gpu.maxBlocksPerMultiprocessor &&
      more * warps * lanesPerWarp <= gpu.maxThreadsPerMultiprocessor &&
      more * (block.sharedBytes + reservedSharedBytes) <= gpu.maxSharedPerMultiprocessor;
  const bool isNear = limit < block.registers && block.registers <= limit + granule;
  return fits && isNear ? std::optional(limit) : std::nullopt;
}

std::optional<std::string> withRegisterLimit(std::string_view ptx, int registers) {
  // The directive with the number of threads in a PTX kernel's header.
  constexpr std::string_view header = "\n.reqntid ";
  const size_t start = ptx.find(header);
  const bool isLimited = ptx.find("\n.maxnreg ") != std::string_view::npos;
  if (start == std::string_view::npos || isLimited)
    return std::nullopt;
  std::string limited(ptx);
  limited.insert(ptx.find('\n', start + 1), "\n.maxnreg " + std::to_string(registers));
  return limited;
}

} // namespace eft::cuda
