// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/buffers/Movements.h"

#include "compiler/lowering/PlaceMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace eft {

namespace {

/// The element move that makes `value`; nothing if no move does. Two kinds of moves don't count. A
/// move that leaves elements in their places is tiled like elementwise operations. A move with two
/// sources (`eft.join`) would take two movements and a choice between them.
std::optional<Movement> lastMovement(Value value) {
  auto op = dyn_cast_if_present<ElementMoveOpInterface>(value.getDefiningOp());
  std::optional<LinearLayout> layout = layoutOf(value.getType());
  if (!op || !op->hasTrait<FetchesElements>() || op->getNumOperands() != 1 || !layout ||
      !layoutOf(op->getOperand(0).getType()))
    return std::nullopt;
  ElementMove move = op.getElementMove(cast<OpResult>(value).getResultNumber());
  return Movement{op->getOperand(0), *layout->then(move.map), move.flipped};
}

} // namespace

std::optional<Movement> movementOf(Value value) {
  std::optional<Movement> all = lastMovement(value);
  if (!all)
    return std::nullopt;
  all->elements = numbered(all->elements);
  while (std::optional<Movement> earlier = lastMovement(all->source)) {
    std::optional<LinearLayout> places = numbered(*layoutOf(all->source.getType())).rightInverse();
    if (!places)
      return std::nullopt;
    LinearLayout back = *places->then(numbered(earlier->elements));
    all = Movement{earlier->source, *all->elements.then(back),
                   back.applyPacked(all->flipped) ^ earlier->flipped};
  }
  if (!numbered(*layoutOf(all->source.getType())).isSurjective())
    return std::nullopt;
  return all;
}

Value makeCoordinates(OpBuilder &b, Location loc, RankedTensorType block, unsigned dimension) {
  // The layout is reduced to one dimension: first the other dimensions get the extent 1, then they
  // are removed. The coordinates are made in this layout, and expanded in the reverse order.
  SmallVector<std::pair<RankedTensorType, unsigned>> expanded;
  LinearLayout layout = *layoutOf(block);
  auto typeOf = [&] {
    return withLayout(RankedTensorType::get(layout.shape(), b.getI32Type()), layout);
  };
  RankedTensorType wide = typeOf();
  for (unsigned axis = 0; axis < block.getRank(); ++axis)
    if (axis != dimension)
      layout = layout.collapse(axis);
  for (unsigned axis = block.getRank(); axis-- > 0;)
    if (axis != dimension) {
      expanded.emplace_back(typeOf(), axis);
      layout = layout.slice(axis);
    }
  Value value = b.create<ArangeOp>(loc, typeOf(), 0u, uint32_t(block.getDimSize(dimension)));
  for (auto [type, axis] : llvm::reverse(expanded))
    value = b.create<ExpandDimsOp>(loc, type, value, axis);
  return value.getType() == wide ? value : b.create<BroadcastOp>(loc, wide, value).getResult();
}

} // namespace eft
