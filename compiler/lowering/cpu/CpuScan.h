// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans and sorting in buffers: one level for each bit of an axis.
#pragma once

#include "compiler/layout/LinearLayout.h"

#include "mlir/IR/Types.h"
#include "llvm/ADT/SmallVector.h"

namespace eft {

/// The bits of the places' numbers to which a bit of an axis belongs, and those of the bits below
/// it.
struct AxisLevel {
  struct Places {
    uint64_t lanes = 0, steps = 0;
  };
  Places bit, lower;

  bool isOfLanes() const { return bit.lanes != 0; }
  bool staysInVector() const { return isOfLanes() && lower.steps == 0; }
};

/// The levels of the axis' bits, the lowest first. Nothing if an element lies in several places, or
/// if a bit of the index is made of several bits of a place.
std::optional<llvm::SmallVector<AxisLevel>> levelsOf(const LinearLayout &layout, unsigned axis);

/// True if `eft.scan_into` and `eft.sort_into` can work on buffers of such a block.
bool canScanInBuffers(mlir::Type block, unsigned axis);

} // namespace eft
