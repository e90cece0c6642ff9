// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of operations that exchange no values.
#pragma once

#include "compiler/lowering/tiling/TileGroups.h"

namespace eft {

/// The group that an item belongs to.
using GroupOwners = llvm::DenseMap<mlir::Operation *, TileGroup *>;

/// Leaves groups of `block` whole (`isSplit` becomes false) if they need a value of another group
/// or of an operation that is not tiled, or compute a value for one of these. The time is linear in
/// the number of operations.
void keepGroupsApart(mlir::Block &block, const GroupOwners &owners);

} // namespace eft
