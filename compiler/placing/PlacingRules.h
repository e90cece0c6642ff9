// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of each operation for the layouts of its blocks.
//
// Most operations are *derived*: they can make their results in any layout. They then require their
// operands in layouts that follow from the results' layout, such that no element moves. The other
// operations have an *anchor*, the one layout of their results. A use that requires another layout
// gets a conversion.
#pragma once

#include "compiler/analysis/DefaultLayouts.h"
#include "compiler/analysis/RegionFlow.h"

namespace eft {

/// Fails, with a diagnostic, if the operation can't be placed.
mlir::LogicalResult checkCanBePlaced(mlir::Operation *op, const RegionFlow &flow);

/// Returns the operation's first result that is a tensor; null if there is none. All blocks that
/// one operation makes have the same layout.
mlir::Value blockResult(mlir::Operation *op);

/// Returns the type of the block in this layout.
mlir::RankedTensorType placed(mlir::Type block, LayoutAttr layout);

class PlacingRules {
public:
  PlacingRules(DefaultLayouts &defaults, const ProductBlocks &products,
               const PlacementTarget &target)
      : defaults(defaults), products(products), target(target) {}

  LayoutAttr defaultOf(mlir::Value block) {
    return defaults.of(mlir::cast<mlir::RankedTensorType>(block.getType()));
  }

  /// Returns the layout in which the memory of the load is read best, regardless of other accesses
  /// to blocks of its shape. A thread holds at least `leastNeighbours` neighbours.
  LayoutAttr bestFor(LoadOp load, int64_t leastNeighbours, const AxisInfos &infos) {
    return defaults.ofAlone(load, leastNeighbours, infos);
  }

  /// Returns the anchor of the operation; null for a derived operation.
  LayoutAttr anchorOf(mlir::Operation *op);

  /// Returns the layout in which an operation requires an operand that is a block. `result` is the
  /// layout in which the operation makes its blocks; null if it makes no blocks.
  LayoutAttr requiredOf(mlir::OpOperand &operand, LayoutAttr result);

  /// Returns the layout in which the reduction combines its sources. On a GPU, sources that are
  /// computed from a matrix product stay in the layout of the product. Sources of a reduction that
  /// is free of order stay in the layout in which they are loaded, even if they are reshaped in
  /// between. So the maxima of groups of a row are computed where the row is loaded.
  LayoutAttr reductionSource(ReduceOp reduce);

private:
  LayoutAttr requiredOfMove(mlir::OpOperand &operand, ElementMoveOpInterface move,
                            LayoutAttr result);

  DefaultLayouts &defaults;
  const ProductBlocks &products;
  PlacementTarget target;
};

} // namespace eft
