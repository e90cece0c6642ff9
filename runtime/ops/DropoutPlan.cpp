// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ops/DropoutPlan.h"

#include <algorithm>
#include <bit>

namespace eft::ops {
namespace {

// Of dropout.py.
constexpr int64_t earlyRows = 1024, group = 64, lanes = 16;

// What CMakeLists.txt has the kernels compiled for.
constexpr int64_t gpuStrip = 4 * 4 * group, gpuBlock = 256;
constexpr int64_t cpuStrip = 16384, cpuPiece = 4096;
constexpr int64_t backwardBlock = 2048;

int64_t ceilDivide(int64_t number, int64_t by) { return number / by + (number % by != 0); }

} // namespace

Division divisionBy(int64_t divisor) {
  uint64_t exponent = std::bit_width(uint64_t(divisor) - 1);
  __extension__ using Wide = unsigned __int128;
  Wide power = Wide(1) << (60 + exponent);
  return {uint64_t((power + uint64_t(divisor) - 1) / uint64_t(divisor)), exponent};
}

GpuForward planForGpu(const Forward &what) {
  GpuForward plan{what};
  plan.shift = int32_t(reinterpret_cast<uintptr_t>(what.y) % 64 / sizeof(float));
  // A row may begin up to 15 elements behind the place where its first strip does.
  plan.strips = ceilDivide(what.columns + lanes - 1, gpuStrip);
  plan.programs = plan.strips * std::min(what.rows, earlyRows);
  if (int64_t late = what.rows - earlyRows; late > 0) {
    int64_t drawRows = late / group * lanes + std::min(late % group, lanes);
    plan.division = divisionBy(what.columns);
    plan.programs += ceilDivide(drawRows * what.columns + plan.shift, gpuBlock);
  }
  return plan;
}

CpuForward planForCpu(const Forward &what) {
  CpuForward plan{what};
  int64_t early = std::min(what.rows, earlyRows), late = what.rows - early;
  plan.strips = ceilDivide(what.columns, cpuStrip);
  plan.stripRows = std::clamp<int64_t>(cpuStrip / what.columns, 1, earlyRows);
  plan.pieces = ceilDivide(what.columns, cpuPiece / lanes);
  plan.pieceBlocks = std::max<int64_t>(cpuPiece / lanes / what.columns, 1);
  plan.division = divisionBy(what.columns);
  plan.programs = plan.strips * ceilDivide(early, plan.stripRows) +
                  plan.pieces * ceilDivide(ceilDivide(late, group), plan.pieceBlocks);
  return plan;
}

int64_t programsOf(const Backward &what) { return ceilDivide(what.count, backwardBlock); }

} // namespace eft::ops
