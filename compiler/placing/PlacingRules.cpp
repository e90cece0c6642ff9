// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/placing/PlacingRules.h"

#include "compiler/ir/ElementMoves.h"
#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/Placement.h"
#include "compiler/layout/ReductionOrder.h"
#include "compiler/placing/DotPlacing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace eft {

namespace {

/// The largest log2 of a block's number of elements. Numbers of elements, and of true elements of a
/// mask, then fit into an i32.
constexpr unsigned maxElementBits = 30;

bool hasAnchor(Operation *op) {
  auto placed = dyn_cast<PlacingOpInterface>(op);
  return placed && placed.hasAnchor();
}

/// Returns true for a constant block, and for an operation with upstream's trait `Elementwise`
/// whose blocks all have one shape and that has neither regions nor memory effects.
bool isElementwise(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<DenseElementsAttr>(constant.getValue());
  if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return false;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(blockResult(op).getType()).getShape();
  auto fits = [&](Type type) {
    auto block = dyn_cast<RankedTensorType>(type);
    return !block || block.getShape() == shape;
  };
  return llvm::all_of(op->getOperandTypes(), fits) && llvm::all_of(op->getResultTypes(), fits);
}

LogicalResult checkTypes(Operation *op, TypeRange types) {
  for (Type type : types) {
    if (!isa<TensorType>(type))
      continue;
    if (!isBlock(type))
      return op->emitOpError("can't be placed: ") << type << " is not a block";
    ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
    unsigned bits = 0;
    for (int64_t extent : shape)
      bits += llvm::Log2_64(extent);
    if (bits <= maxElementBits)
      continue;
    InFlightDiagnostic error = emitError(op->getLoc()) << "block of ";
    llvm::interleave(shape, [&](int64_t extent) { error << extent; }, [&] { error << " x "; });
    return error << " elements is too large: expected at most 2^" << maxElementBits
                 << " elements, got 2^" << bits;
  }
  return success();
}

} // namespace

Value blockResult(Operation *op) {
  for (Value result : op->getResults())
    if (isa<TensorType>(result.getType()))
      return result;
  return {};
}

RankedTensorType placed(Type type, LayoutAttr layout) {
  auto block = cast<RankedTensorType>(type);
  return RankedTensorType::get(block.getShape(), block.getElementType(), layout);
}

LogicalResult checkCanBePlaced(Operation *op, const RegionFlow &flow) {
  if (failed(checkTypes(op, op->getOperandTypes())) || failed(checkTypes(op, op->getResultTypes())))
    return failure();
  for (Region &region : op->getRegions())
    for (BlockArgument argument : region.getArguments())
      if (isa<TensorType>(argument.getType()) && flow.sourcesOf(argument).empty())
        return isa<func::FuncOp>(op)
                   ? op->emitOpError("can't take blocks when it is placed; inline it first")
                   : op->emitOpError("can't be placed: it has no rule for blocks");
  auto isBlockOperand = [](OpOperand &use) { return isa<TensorType>(use.get().getType()); };
  auto flows = [&](OpOperand &use) { return !isBlockOperand(use) || !flow.targetsOf(use).empty(); };
  auto isTarget = [&](Value value) {
    return !isa<TensorType>(value.getType()) || !flow.sourcesOf(value).empty();
  };
  // The operation only passes blocks into regions and out of regions.
  if (llvm::all_of(op->getOpOperands(), flows) && llvm::all_of(op->getResults(), isTarget))
    return success();
  if (isa<func::CallOp, func::ReturnOp>(op))
    return op->emitOpError("can't pass blocks when it is placed; inline calls first");
  if (isa<PlacingOpInterface>(op) || (blockResult(op) && isElementwise(op)))
    return success();
  return op->emitOpError("can't be placed: it has no rule for blocks");
}

/// Returns the source of the reshape from which elementwise operations compute the block; null if
/// there is no such reshape.
static Value beforeReshaping(Value block) {
  llvm::SetVector<Value> pending;
  pending.insert(block);
  for (size_t next = 0; next < pending.size(); ++next) {
    Operation *op = pending[next].getDefiningOp();
    if (auto reshape = op ? dyn_cast<ReshapeOp>(op) : ReshapeOp())
      return reshape.getSource();
    if (op && OpTrait::hasElementwiseMappableTraits(op))
      for (Value operand : op->getOperands())
        if (isa<RankedTensorType>(operand.getType()))
          pending.insert(operand);
  }
  return {};
}

//===--- Anchors ------------------------------------------------------------------------------===//

LayoutAttr PlacingRules::reductionSource(ReduceOp reduce) {
  auto type = cast<RankedTensorType>(reduce.getSources().front().getType());
  if (target.kind == PlacementTarget::Kind::Cpu)
    return defaults.of(type);
  const std::vector<int64_t> shape(type.getShape());
  if (DotOp dot = products.productBehind(reduce)) {
    RankedTensorType product = placed(dot.getType(), anchorOf(dot));
    return toAttribute(type.getContext(), layoutOf(product)->reshape(shape));
  }
  if (reduce.getOrderFree()) {
    Value before = beforeReshaping(reduce.getSources().front());
    auto beforeType = before ? cast<RankedTensorType>(before.getType()) : RankedTensorType();
    if (!before || !defaults.isAccessed(beforeType))
      return defaults.of(type);
    const LinearLayout layout = *layoutOf(placed(beforeType, defaults.of(beforeType)));
    return toAttribute(type.getContext(), layout.reshape(shape));
  }
  return defaults.ofReduced(type);
}

LayoutAttr PlacingRules::anchorOf(Operation *op) {
  Value result = blockResult(op);
  if (!result || !hasAnchor(op))
    return {};
  if (auto dot = dyn_cast<DotOp>(op); dot && target.kind == PlacementTarget::Kind::Gpu)
    return dotAccumulator(dot, products.isUsedByRows(dot), target);
  auto reduce = dyn_cast<ReduceOp>(op);
  if (!reduce)
    return defaultOf(result);
  LinearLayout source =
      *layoutOf(placed(reduce.getSources().front().getType(), reductionSource(reduce)));
  return toAttribute(op->getContext(), source.slice(reduce.getAxis()));
}

//===--- Required layouts ---------------------------------------------------------------------===//

/// Returns the layout of the source in which no element moves to another place. But if the result
/// has only a part of the source's elements, as one half of a split has, most lanes may hold copies
/// in this layout, and each thread then holds many more fragments than in the source's default
/// layout. In this case returns the default layout.
LayoutAttr PlacingRules::requiredOfMove(OpOperand &operand, ElementMoveOpInterface move,
                                        LayoutAttr result) {
  constexpr unsigned maxMoreBits = 2;
  const bool isOnGpu = target.kind == PlacementTarget::Kind::Gpu;
  const std::string fragments(isOnGpu ? place::registers : place::step);
  auto source = cast<RankedTensorType>(operand.get().getType());
  LinearLayout after = *layoutOf(placed(blockResult(move).getType(), result));
  LinearLayout before = layoutBefore(move, after, fragments);
  if (before.target().bits() > after.target().bits()) {
    LayoutAttr usual = defaults.of(source);
    if (before.placeBits(fragments) >
        layoutOf(placed(source, usual))->placeBits(fragments) + maxMoreBits)
      return usual;
  }
  return toAttribute(move->getContext(), before);
}

LayoutAttr PlacingRules::requiredOf(OpOperand &operand, LayoutAttr result) {
  Operation *op = operand.getOwner();
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reductionSource(reduce);
  if (auto dot = dyn_cast<DotOp>(op)) {
    bool isOnGpu = target.kind == PlacementTarget::Kind::Gpu;
    LayoutAttr demanded = isOnGpu ? dotOperand(operand, result) : LayoutAttr();
    return demanded ? demanded : defaultOf(operand.get());
  }
  auto placed = dyn_cast<PlacingOpInterface>(op);
  if (!result || (placed && placed.requiresDefaultLayout(operand)))
    return defaultOf(operand.get());
  auto move = dyn_cast<ElementMoveOpInterface>(op);
  return move ? requiredOfMove(operand, move, result) : result;
}

} // namespace eft
