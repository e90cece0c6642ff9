// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/buffers/Movements.h"

#include "compiler/lowering/PlaceMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace eft {

namespace {

/// The places of a half over the block that was split, at coordinate 0 of its last dimension.
LinearLayout overBoth(const LinearLayout &half, const LinearLayout &source) {
  std::vector<PlaceBases> bases = half.bases();
  for (PlaceBases &place : bases)
    for (Coordinates &basis : place.bases)
      basis.push_back(0);
  std::string error;
  return *LinearLayout::create(bases, source.shape(), error);
}

/// The element move of one operation.
std::optional<Movement> lastMovement(Value value) {
  Operation *op = value.getDefiningOp();
  std::optional<LinearLayout> layout = layoutOf(value.getType());
  if (!op || !layout || op->getNumOperands() != 1 || !layoutOf(op->getOperand(0).getType()))
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<Movement>>(op)
      .Case([&](ConvertLayoutOp convert) { return Movement{convert.getSource(), *layout}; })
      .Case([&](ReshapeOp reshape) {
        std::vector<int64_t> shape = layoutOf(reshape.getSource().getType())->shape();
        return Movement{reshape.getSource(), layout->reshape(shape)};
      })
      .Case([&](TransOp trans) {
        std::vector<unsigned> inverse(trans.getOrder().size());
        for (auto [to, from] : llvm::enumerate(trans.getOrder()))
          inverse[from] = to;
        return Movement{trans.getSource(), layout->permute(inverse)};
      })
      .Case([&](ExchangeOp exchange) {
        Coordinates mask(layout->target().rank(), 0);
        mask[exchange.getAxis()] = exchange.getMask();
        return Movement{exchange.getSource(), *layout, layout->target().pack(mask)};
      })
      .Case([&](SplitOp split) {
        LinearLayout source = *layoutOf(split.getSource().getType());
        return Movement{split.getSource(), overBoth(*layout, source),
                        value == split.getRhs() ? uint64_t(1) : 0};
      })
      .Default([](Operation *) { return std::nullopt; });
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
  // From the block to one dimension, by way of extents of 1; then back.
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
