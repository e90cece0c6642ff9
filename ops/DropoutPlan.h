// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans that divide a matrix among programs, in the form that the kernels in dropout_gpu.py,
// dropout_wide.py, dropout_cpu.py, dropout_strided.py and dropout_permuted.py take as arguments.
#pragma once

#include "ops/DropoutKernels.h"

namespace eft::ops {

/// The addresses that a kernel for a GPU assumes to be multiples of 16 bytes: none, the start of
/// every array, or the start of every row of every array. The kernel for `Rows` is in
/// dropout_wide.py, the other two are in dropout_gpu.py.
enum class Alignment { None, Arrays, Rows };

struct GpuForward : Forward {
  int64_t programs = 0;
  Alignment alignment = Alignment::None;
  int32_t shift = 0; // the elements from the last multiple of 16 elements in memory to y's first
  int64_t rowPrograms = 0; // the programs for each early row
  Division division =
      {}; // by the columns, or by the units of a row; set only if there are late rows
};

struct CpuForward : Forward {
  int64_t programs = 0;
  int64_t programRows = 0;   // early rows per program
  int64_t rowPrograms = 0;   // programs for each `programRows` early rows
  int64_t programBlocks = 0; // groups of 64 late rows per program
  int64_t blockPrograms = 0; // programs for each `programBlocks` groups
  Division division = {};    // by the number of columns; set only if there are late rows
};

/// The arrays must have elements.
GpuForward planForGpu(const Forward &what);
CpuForward planForCpu(const Forward &what);
int64_t programsOf(const Backward &what);
int64_t programsOf(const Strided &what, bool onGpu);

/// True if the kernels of dropout_strided.py for a GPU can access units of 16 bytes along the
/// length of tiles.
bool hasUnits(const Strided &what);

/// True if the kernel of dropout_permuted.py, which is for a GPU, can run.
bool isPermuted(const Strided &what);

} // namespace eft::ops
