// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The index maps of element moves: for each index of a result, the index in the source.
#include "compiler/ir/ElementMoves.h"

using namespace mlir;
using namespace eft;

namespace {

ArrayRef<int64_t> shapeOf(Value block) {
  return cast<RankedTensorType>(block.getType()).getShape();
}

Space spaceOf(Value block) {
  ArrayRef<int64_t> shape = shapeOf(block);
  return Space::block({shape.data(), shape.size()});
}

/// Returns, as a map, the function that takes the coordinates of a result's element to those of the
/// source's element. The function must be linear over the bits of the coordinates. It must not add
/// a constant, because the map is made from the images of single bits.
LinearLayout indexMap(Value result, Value source, function_ref<Coordinates(Coordinates)> function) {
  Space from = spaceOf(result), to = spaceOf(source);
  std::vector<uint64_t> columns;
  for (unsigned bit = 0; bit < from.bits(); ++bit)
    columns.push_back(to.pack(function(from.unpack(uint64_t(1) << bit))));
  return LinearLayout::fromColumns(std::move(from), std::move(to), std::move(columns));
}

/// Returns the map that takes each element of the result to the source's element with the same
/// number in row-major order.
LinearLayout sameNumbers(Value result, Value source) {
  std::vector<uint64_t> columns;
  for (unsigned bit = 0; bit < spaceOf(result).bits(); ++bit)
    columns.push_back(uint64_t(1) << bit);
  return LinearLayout::fromColumns(spaceOf(result), spaceOf(source), std::move(columns));
}

} // namespace

ElementMove ExpandDimsOp::getElementMove(unsigned) {
  return {sameNumbers(getResult(), getSource())};
}

ElementMove ReshapeOp::getElementMove(unsigned) { return {sameNumbers(getResult(), getSource())}; }

ElementMove ConvertLayoutOp::getElementMove(unsigned) {
  return {sameNumbers(getResult(), getSource())};
}

ElementMove BroadcastOp::getElementMove(unsigned) {
  ArrayRef<int64_t> source = shapeOf(getSource());
  return {indexMap(getResult(), getSource(), [&](Coordinates index) {
    for (auto [coordinate, extent] : llvm::zip_equal(index, source))
      coordinate = extent == 1 ? 0 : coordinate;
    return index;
  })};
}

ElementMove TransOp::getElementMove(unsigned) {
  return {indexMap(getResult(), getSource(), [&](const Coordinates &index) {
    Coordinates source(index.size());
    for (auto [coordinate, dimension] : llvm::zip_equal(index, getOrder()))
      source[dimension] = coordinate;
    return source;
  })};
}

ElementMove ExchangeOp::getElementMove(unsigned) {
  Space block = spaceOf(getSource());
  Coordinates mask(block.rank(), 0);
  mask[getAxis()] = getMask();
  return {sameNumbers(getResult(), getSource()), block.pack(mask)};
}

/// Bit 0 of the packed index is the index along the last dimension, because this dimension has
/// extent 2. The bit is set for elements of the second source.
ElementMove JoinOp::getElementMove(unsigned) {
  LinearLayout map = indexMap(getResult(), getLhs(), [](Coordinates index) {
    index.pop_back();
    return index;
  });
  return {std::move(map), /*flipped=*/0, /*secondSource=*/1};
}

ElementMove SplitOp::getElementMove(unsigned result) {
  LinearLayout map = indexMap(getLhs(), getSource(), [](Coordinates index) {
    index.push_back(0);
    return index;
  });
  return {std::move(map), /*flipped=*/result};
}

ElementMoveOpInterface eft::freeMove(Value value) {
  auto move = value.getDefiningOp<ElementMoveOpInterface>();
  auto placed = value.getDefiningOp<PlacingOpInterface>();
  const bool isFree = move && move->getNumResults() == 1 && !(placed && placed.hasAnchor());
  return isFree ? move : ElementMoveOpInterface();
}

LinearLayout eft::layoutBefore(ElementMoveOpInterface move, const LinearLayout &layout,
                               StringRef dimension) {
  return layout.then(move.getElementMove(0).map)->covering(dimension);
}

OpFoldResult eft::resplat(Attribute constant, Type type) {
  auto splat = dyn_cast_if_present<SplatElementsAttr>(constant);
  if (!splat)
    return {};
  return SplatElementsAttr::get(cast<ShapedType>(type), splat.getSplatValue<Attribute>());
}
