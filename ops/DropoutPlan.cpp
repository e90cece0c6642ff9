// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ops/DropoutPlan.h"

#include "ops/Compiled.h"
#include "ops/DrawOrder.h"

namespace eft::ops {
namespace {

// The columns of an early row that one program of dropout_gpu.py has. CMakeLists.txt defines the
// factors, which are constexprs of the kernels.
constexpr int64_t gpuColumns = EFT_GPU_STRIPS * EFT_GPU_GROUPS * group;

/// Returns the number of rows of draws for the late rows: four late rows share one row of draws.
int64_t lateDrawRows(int64_t rows) { return firstRows(std::max<int64_t>(rows - earlyRows, 0)); }

/// The number of neighbouring columns in a unit. A thread of dropout_wide.py draws for one unit.
int64_t wideUnit(const Forward &what) { return what.mask ? EFT_WIDE_MASK_WIDTH : EFT_WIDE_WIDTH; }

/// True if all arrays begin at multiples of a vector's bytes.
bool areVectorAligned(const Forward &what) {
  return isVectorAligned(what.x) && isVectorAligned(what.y) && isVectorAligned(what.mask);
}

/// Of the kernels for row-major arrays, only those of 16-bit elements rely on an alignment. The
/// kernel for Alignment::Arrays needs rows longer than EFT_WIDE_WIDTH, so that the neighbouring
/// elements of a thread lie in at most two rows. There is no such kernel that writes a mask,
/// because it would not be faster.
Alignment alignmentOf(const Forward &what) {
  if (bitsInMemory(what.dtype) != 16 || !areVectorAligned(what))
    return Alignment::None;
  if (what.columns % wideUnit(what) == 0)
    return Alignment::Rows;
  return what.columns > EFT_WIDE_WIDTH && !what.mask ? Alignment::Arrays : Alignment::None;
}

} // namespace

GpuForward planForGpu(const Forward &what) {
  GpuForward plan{what};
  plan.alignment = alignmentOf(what);
  int64_t unit = 1, block = EFT_GPU_BLOCK;
  if (plan.alignment == Alignment::Rows) {
    unit = wideUnit(what), block = EFT_WIDE_BLOCK;
    plan.rowPrograms = ceilDivide(ceilDivide(what.columns, group) * (lanes / unit), block);
  } else {
    uint64_t size = bitsInMemory(what.dtype) / 8;
    plan.shift = int32_t(reinterpret_cast<uintptr_t>(what.y) % (lanes * size) / size);
    // A row may begin up to 15 elements after the start of its first strip.
    plan.rowPrograms = ceilDivide(what.columns + lanes - 1, gpuColumns);
  }
  if (plan.alignment == Alignment::Arrays)
    block = EFT_GPU_ALIGNED_BLOCK;
  plan.programs = plan.rowPrograms * std::min(what.rows, earlyRows);
  if (int64_t drawRows = lateDrawRows(what.rows); drawRows > 0) {
    plan.division = divisionBy(what.columns / unit);
    plan.programs += ceilDivide(drawRows * (what.columns / unit) + plan.shift, block);
  }
  return plan;
}

CpuForward planForCpu(const Forward &what) {
  CpuForward plan{what};
  int64_t early = std::min(what.rows, earlyRows);
  plan.programRows = std::clamp<int64_t>(EFT_CPU_COLUMNS / what.columns, 1, earlyRows);
  plan.rowPrograms = ceilDivide(what.columns, EFT_CPU_COLUMNS);
  plan.programs = plan.rowPrograms * ceilDivide(early, plan.programRows);
  // A group of 64 late rows has 16 rows of draws: 16 draws for each column.
  constexpr int64_t drawnColumns = EFT_CPU_DRAWS / lanes;
  plan.programBlocks = std::max<int64_t>(drawnColumns / what.columns, 1);
  plan.blockPrograms = ceilDivide(what.columns, drawnColumns);
  if (int64_t late = what.rows - early; late > 0) {
    plan.division = divisionBy(what.columns);
    plan.programs += plan.blockPrograms * ceilDivide(late, group * plan.programBlocks);
  }
  return plan;
}

bool hasUnits(const Strided &what) {
  const TensorAxes &axes = what.axes;
  const int64_t unit = 128 / bitsInMemory(what.dtype);
  auto areUnits = [&](const std::array<int64_t, 3> &numbers) {
    return std::ranges::all_of(numbers, [&](int64_t number) { return number % unit == 0; });
  };
  if (!axes.isUnit || axes.rowAxes > shallowAxes || !areVectorAligned(what))
    return false;
  for (size_t i = 0; i + 1 < axes.rowAxes; ++i)
    if (!areUnits(axes.axes[i].jumps))
      return false;
  // The axis of the tile's length consists of units, and rows of units begin at multiples of units.
  return axes.alongRows ? axes.rowExtent % unit == 0 && areUnits(axes.column)
                        : what.columns % unit == 0 && areUnits(axes.row);
}

bool isPermuted(const Strided &what) {
  return what.memory && what.memory->consistOfUnits(EFT_PERMUTED_UNIT) && areVectorAligned(what);
}

int64_t programsOf(const Strided &what, bool onGpu) {
  if (onGpu && isPermuted(what))
    return ceilDivide(what.rows * what.columns, EFT_PERMUTED_UNIT * EFT_PERMUTED_BLOCK);
  // The last number of a tile, the width of a band, matters only to the kernel.
  constexpr int64_t cpuTile[] = {EFT_STRIDED_CPU_TILE}, gpuTile[] = {EFT_STRIDED_GPU_TILE},
                    alignedTile[] = {EFT_STRIDED_ALIGNED_TILE},
                    aligned16Tile[] = {EFT_STRIDED_ALIGNED16_TILE};
  const int64_t *tile = !onGpu                           ? cpuTile
                        : !hasUnits(what)                ? gpuTile
                        : bitsInMemory(what.dtype) == 16 ? aligned16Tile
                                                         : alignedTile;
  const int64_t length = tile[0], width = tile[1];
  const int64_t tileRows = what.axes.alongRows ? length : width;
  const int64_t tileColumns = what.axes.alongRows ? width : length;
  int64_t earlyColumns = ceilDivide(ceilDivide(what.columns, group) * lanes, tileColumns);
  return ceilDivide(std::min(what.rows, earlyRows), tileRows) * earlyColumns +
         ceilDivide(lateDrawRows(what.rows), tileRows) * ceilDivide(what.columns, tileColumns);
}

int64_t programsOf(const Backward &what) { return ceilDivide(what.count, EFT_BACKWARD_BLOCK); }

} // namespace eft::ops
