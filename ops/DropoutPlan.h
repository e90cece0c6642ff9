// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The division of a matrix among programs, as the kernels in dropout_gpu.py, dropout_wide.py,
// dropout_cpu.py and dropout_strided.py want to have it.
#pragma once

#include "ops/DropoutKernels.h"

namespace eft::ops {

/// The places that a kernel for a GPU takes to be multiples of 16 bytes: none, the beginnings of
/// all arrays, or those of all their rows. The kernel for rows is dropout_wide.py, the others are
/// dropout_gpu.py.
enum class Alignment { None, Arrays, Rows };

struct GpuForward : Forward {
  int64_t programs = 0;
  Alignment alignment = Alignment::None;
  int32_t shift = 0;       // elements in front of y in a run of 16
  int64_t rowPrograms = 0; // the programs for each early row
  Division division = {};  // by the number of columns, or of their units, if there are late rows
};

struct CpuForward : Forward {
  int64_t programs = 0;
  int64_t programRows = 0;   // early rows of a program
  int64_t rowPrograms = 0;   // programs of as many early rows
  int64_t programBlocks = 0; // blocks of 64 late rows of a program
  int64_t blockPrograms = 0; // programs of as many blocks
  Division division = {};    // the division by the number of columns, if there are late rows
};

/// These are for arrays that have elements.
GpuForward planForGpu(const Forward &what);
CpuForward planForCpu(const Forward &what);
int64_t programsOf(const Backward &what);
int64_t programsOf(const Strided &what);

} // namespace eft::ops
