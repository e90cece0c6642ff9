// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/placing/DotPlacing.h"

#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/MatrixLayouts.h"
#include "compiler/layout/WarpgroupLayouts.h"

using namespace mlir;

namespace eft {

static MatrixTile tileOf(DotOp dot) {
  return matrixTile(getElementTypeOrSelf(dot.getA()).getIntOrFloatBitWidth(),
                    cast<RankedTensorType>(dot.getA().getType()).getDimSize(1));
}

/// Returns the layout of the accumulator for warpgroups; nothing if the target has no warpgroups,
/// or they can't compute this product.
static std::optional<LinearLayout> accumulatorOfWarpgroups(DotOp dot,
                                                           const PlacementTarget &target) {
  Type element = getElementTypeOrSelf(dot.getA());
  const bool isHalf = element.isF16() || element.isBF16();
  const bool isTf32 = element.isF32() && dot.getPrecision() == Precision::Tf32;
  const int64_t k = cast<RankedTensorType>(dot.getA().getType()).getDimSize(1);
  if (!target.hasWarpgroups || !(isHalf || isTf32 || (element.isInteger(8) && k >= 32)))
    return std::nullopt;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(dot.getType()).getShape();
  return warpgroupAccumulator(shape[0], shape[1], target.numWarps);
}

LayoutAttr dotAccumulator(DotOp dot, bool byRows, const PlacementTarget &target) {
  if (std::optional<LinearLayout> layout = accumulatorOfWarpgroups(dot, target))
    return toAttribute(dot.getContext(), *layout);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(dot.getType()).getShape();
  LinearLayout tile = dot.usesTensorCores() ? tileOf(dot).acc : patchTile(shape[1]);
  auto place = byRows ? accumulatorLayoutByRows : accumulatorLayout;
  return toAttribute(dot.getContext(), place(tile, shape[0], shape[1], target.numWarps));
}

bool isForWarpgroups(DotOp dot, const PlacementTarget &target) {
  return accumulatorOfWarpgroups(dot, target).has_value();
}

LayoutAttr dotOperand(OpOperand &operand, LayoutAttr product) {
  auto dot = cast<DotOp>(operand.getOwner());
  if (&operand == &dot.getAccMutable())
    return product;
  if (!dot.usesTensorCores())
    return {};
  auto type = cast<RankedTensorType>(dot.getType());
  auto placed = RankedTensorType::get(type.getShape(), type.getElementType(), product);
  const int64_t k = cast<RankedTensorType>(dot.getA().getType()).getDimSize(1);
  std::optional<FactorLayouts> factors = factorLayouts(tileOf(dot), *layoutOf(placed), k);
  if (!factors)
    return {};
  bool isFirst = &operand == &dot.getAMutable();
  return toAttribute(dot.getContext(), isFirst ? factors->a : factors->b);
}

} // namespace eft
