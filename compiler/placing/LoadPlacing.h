// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The choice of the layout in which a load is made.
//
// There is one layout in which the memory of a load is read best. A load in another layout, which a
// use requires, may cost little more, and then saves a conversion. For example, a short vector that
// is used as a row and as a column is loaded twice; the second load finds it in the cache.
#pragma once

#include "compiler/analysis/DefaultLayouts.h"
#include "compiler/placing/PlacingRules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace eft {

/// Two layouts of a load: the default layout of its shape, and the layout in which the memory of
/// this load is read best.
struct LoadLayouts {
  LayoutAttr standard, best;
};

/// Returns the least number of neighbouring elements that one thread is to load: 2 for a
/// warpgroup's factor of 16-bit elements, otherwise 1. If memory is not aligned, a thread loads
/// such a factor one element at a time, but stores two of the elements to shared memory as one
/// word. A factor of 8-bit elements must lie in shared memory along k. Its neighbours in memory
/// need not be neighbours along k, so a thread that holds neighbours could not always store them as
/// one word.
int64_t leastNeighbours(LoadOp load, const PlacementTarget &target);

/// Returns the layout in which the load is made for a use that requires `layout`. If the returned
/// layout is not `layout`, the loaded block is converted.
///
/// A load and a store of one element are ordered only if one thread does both, that is, if both
/// have the same layout. So if one program may execute both the load and a store to blocks of the
/// load's shape, the load is made in the standard layout. There are two exceptions, in which the
/// load is made in the best layout and `orderLoads` inserts barriers:
///
/// - On a GPU, a loop loads a factor of a product on tensor cores, and all stores to blocks of this
///   shape are outside of the loop.
/// - On a GPU, the load is outside of loops and before all stores to blocks of its shape. The best
///   layout accesses memory along another dimension than the standard layout, and the standard
///   layout would cost much more memory traffic. A transposed copy is an example.
///
/// If no program executes both, a load is made in `layout` if this does not cost much more memory
/// traffic than the best layout, and otherwise in the best layout. On a CPU, the standard layout
/// takes the place of the best one.
///
/// For some factors of products on tensor cores in a loop, `layout` is ignored, and the load is
/// made in the best layout, or in the standard layout if the order of accesses requires it. These
/// are factors whose loads asynchronous copies can then replace, and factors of products by
/// warpgroups. The same holds for a block beside the products that copies can bring, if several
/// threads need the same element of it, such as a number for each column of a product.
LayoutAttr layoutOfLoad(LoadOp load, LayoutAttr layout, LoadLayouts layouts, const AxisInfos &infos,
                        const PlacementTarget &target);

/// Inserts barriers between the loads that are not in the default layout of their shape and the
/// stores to blocks of that shape. For a load in a loop, there is a barrier before the loop if a
/// store may come before the load, and one after the loop if a store may come after it. For any
/// other load, there is a barrier before the stores that follow.
void orderLoads(mlir::func::FuncOp function, PlacingRules &rules);

} // namespace eft
