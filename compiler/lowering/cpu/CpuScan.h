// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a CPU can scan in memory.
#pragma once

#include "compiler/ir/LayoutConversion.h"

namespace eft {

/// Whether the vectors (lane, step) of a block lie so that loops can scan it.
bool canScanInBuffers(mlir::Type block, unsigned axis);

} // namespace eft
