// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ops/DropoutPlan.h"

#include <algorithm>
#include <bit>

namespace eft::ops {
namespace {

// Of dropout.py.
constexpr int64_t earlyRows = 1024, group = 64, lanes = 16;

// What the kernels are compiled for, by CMakeLists.txt.
constexpr int64_t gpuColumns = EFT_GPU_STRIPS * EFT_GPU_GROUPS * group;

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
  plan.rowPrograms = ceilDivide(what.columns + lanes - 1, gpuColumns);
  plan.programs = plan.rowPrograms * std::min(what.rows, earlyRows);
  if (int64_t late = what.rows - earlyRows; late > 0) {
    int64_t drawRows = late / group * lanes + std::min(late % group, lanes);
    plan.division = divisionBy(what.columns);
    plan.programs += ceilDivide(drawRows * what.columns + plan.shift, EFT_GPU_BLOCK);
  }
  return plan;
}

CpuForward planForCpu(const Forward &what) {
  CpuForward plan{what};
  int64_t early = std::min(what.rows, earlyRows);
  plan.programRows = std::clamp<int64_t>(EFT_CPU_COLUMNS / what.columns, 1, earlyRows);
  plan.rowPrograms = ceilDivide(what.columns, EFT_CPU_COLUMNS);
  plan.programs = plan.rowPrograms * ceilDivide(early, plan.programRows);
  // A block has 16 draws for each column.
  constexpr int64_t drawnColumns = EFT_CPU_DRAWS / lanes;
  plan.programBlocks = std::max<int64_t>(drawnColumns / what.columns, 1);
  plan.blockPrograms = ceilDivide(what.columns, drawnColumns);
  if (int64_t late = what.rows - early; late > 0) {
    plan.division = divisionBy(what.columns);
    plan.programs += plan.blockPrograms * ceilDivide(late, group * plan.programBlocks);
  }
  return plan;
}

int64_t programsOf(const Backward &what) { return ceilDivide(what.count, EFT_BACKWARD_BLOCK); }

} // namespace eft::ops
