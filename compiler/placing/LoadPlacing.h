// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layouts in which a load may be made.
//
// Memory is read best in the layout that was chosen for it. Another one may be as good, and saves a
// conversion: a short vector that is used as a row and as a column is loaded twice, from the cache.
#pragma once

#include "compiler/analysis/DefaultLayouts.h"
#include "compiler/placing/PlacingRules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace eft {

/// The layouts of a load: that of its shape by default, and the one in which its memory is read
/// best.
struct LoadLayouts {
  LayoutAttr standard, best;
};

/// The least number of neighbours that a thread is to load. Where memory is not aligned, a thread
/// loads a warpgroup's factor by the element, but stores two halves in shared memory as one word.
/// Bytes lie there along k, and their neighbours in memory need not.
int64_t leastNeighbours(LoadOp load, const PlacementTarget &target);

/// The layout in which the load is made for a use that requires `layout`. If it is another one, the
/// block is converted.
///
/// Only accesses in one layout are ordered with each other. So a load that a store to blocks of its
/// shape may come before or after is made in the standard layout. There are two exceptions, for
/// which `orderLoads` puts barriers. A factor of a product in a loop is loaded in the best layout
/// if the stores are outside of that loop. On a GPU so is a block outside of loops, if all stores
/// come after it, it runs along another dimension, and the standard layout would cost much more
/// memory traffic, as in a transposed copy. Without such a store a load is made in `layout`, if the
/// memory traffic is not much more than with the best one, else in the best one. But a factor of
/// tensor cores in a loop is converted: copies can bring it then.
LayoutAttr layoutOfLoad(LoadOp load, LayoutAttr layout, LoadLayouts layouts, const AxisInfos &infos,
                        const PlacementTarget &target);

/// Puts barriers between loads and stores that have blocks of one shape in different layouts:
/// around loops that load, and before the stores that follow another load.
void orderLoads(mlir::func::FuncOp function, PlacingRules &rules);

} // namespace eft
