// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans and sorts in buffers have one level for each bit of an axis.
#pragma once

#include "compiler/layout/LinearLayout.h"

#include "mlir/IR/Types.h"
#include "llvm/ADT/SmallVector.h"

namespace eft {

/// A level: one bit of the axis, as the bit of a lane or step that adds it to the index. `lower`
/// has the bits of lanes and steps that add the lower bits of the axis.
struct AxisLevel {
  struct Places {
    uint64_t lanes = 0, steps = 0;
  };
  Places bit, lower;

  bool isOfLanes() const { return bit.lanes != 0; }
  bool staysInVector() const { return isOfLanes() && lower.steps == 0; }
};

/// The levels of the axis' bits, the lowest first. Nothing if an element lies in several places or
/// in none, or if a bit of a place adds several bits to the index.
std::optional<llvm::SmallVector<AxisLevel>> levelsOf(const LinearLayout &layout, unsigned axis);

/// True if `eft.scan_into` and `eft.sort_into` can work on buffers of such a block.
bool canScanInBuffers(mlir::Type block, unsigned axis);

} // namespace eft
