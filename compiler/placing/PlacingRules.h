// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of each operation for the layouts of its blocks.
//
// Most operations are *derived*: they can be made in any layout, and then require their operands in
// layouts that follow from it, so that nothing moves. The others have an *anchor*, the one layout
// of their results. A use that requires another layout gets a conversion.
#pragma once

#include "compiler/analysis/DefaultLayouts.h"
#include "compiler/analysis/RegionFlow.h"

namespace eft {

/// Refuses operations that can't be placed, with a diagnostic.
mlir::LogicalResult checkCanBePlaced(mlir::Operation *op, const RegionFlow &flow);

/// The first result that is a block, or null. All blocks that an operation makes have one layout.
mlir::Value blockResult(mlir::Operation *op);

/// The block's type in this layout.
mlir::RankedTensorType placed(mlir::Type block, LayoutAttr layout);

class PlacingRules {
public:
  PlacingRules(DefaultLayouts &defaults, const ProductBlocks &products,
               const PlacementTarget &target)
      : defaults(defaults), products(products), target(target) {}

  LayoutAttr defaultOf(mlir::Value block) {
    return defaults.of(mlir::cast<mlir::RankedTensorType>(block.getType()));
  }

  /// The layout in which the memory of a load is read best, whatever else has the shape. A thread
  /// holds at least `leastNeighbours` neighbours.
  LayoutAttr bestFor(LoadOp load, int64_t leastNeighbours, const AxisInfos &infos) {
    return defaults.ofAlone(load, leastNeighbours, infos);
  }

  /// The layout of the operation's results, if it is the same whatever is required; null for a
  /// derived operation.
  LayoutAttr anchorOf(mlir::Operation *op);

  /// The layout in which an operation that makes its blocks in `result` needs an operand that is a
  /// block. `result` is null for one that makes none.
  LayoutAttr requiredOf(mlir::OpOperand &operand, LayoutAttr result);

  /// The layout in which a reduction's sources are combined: if its order is free, or that of a
  /// product, the one in which they are made. So the maxima of groups of a loaded row are found
  /// where the row is loaded.
  LayoutAttr reductionSource(ReduceOp reduce);

private:
  LayoutAttr requiredOfMove(mlir::OpOperand &operand, ElementMoveOpInterface move,
                            LayoutAttr result);

  DefaultLayouts &defaults;
  const ProductBlocks &products;
  PlacementTarget target;
};

} // namespace eft
