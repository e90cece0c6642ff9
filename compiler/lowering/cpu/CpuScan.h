// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What goes through a buffer level by level, bit by bit of an axis: scans and sorting.
#pragma once

#include "compiler/layout/LinearLayout.h"

#include "mlir/IR/Types.h"
#include "llvm/ADT/SmallVector.h"

namespace eft {

/// Where a bit of an axis lies among the bits of the places' numbers, and where those below it do.
struct AxisLevel {
  struct Places {
    uint64_t lanes = 0, steps = 0;
  };
  Places bit, lower;

  bool isOfLanes() const { return bit.lanes != 0; }
  bool staysInVector() const { return isOfLanes() && lower.steps == 0; }
};

/// The places of the axis' bits, the lowest first; nothing if an element lies in several places, or
/// a bit of the index is made of several of theirs.
std::optional<llvm::SmallVector<AxisLevel>> levelsOf(const LinearLayout &layout, unsigned axis);

/// Whether `eft.scan_into` and `eft.sort_into` can work on buffers of such a block.
bool canScanInBuffers(mlir::Type block, unsigned axis);

} // namespace eft
