// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of operations that exchange no values.
#pragma once

#include "compiler/lowering/tiling/TileGroups.h"

namespace eft {

/// The group that an item belongs to.
using GroupOwners = llvm::DenseMap<mlir::Operation *, TileGroup *>;

/// Leaves those groups of `block` whole that need values of another group or of an operation that
/// is not tiled, or give values to one. It takes time that is linear in the operations.
void keepGroupsApart(mlir::Block &block, const GroupOwners &owners);

} // namespace eft
