// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that move elements. The source of a move is written into a buffer, and a read of that
// buffer, with a map from places to elements, replaces the result. The maps of successive moves
// compose, so a chain of moves becomes one read. Tiling can then read one tile at a time.
#include "compiler/lowering/buffers/BufferKeeper.h"

#include "compiler/lowering/LinearCode.h"
#include "compiler/lowering/PlaceMaps.h"
#include "compiler/lowering/buffers/Movements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace eft {

/// Blocks of at most this many vectors are moved in registers.
static constexpr int64_t smallVectors = 8;

static bool isOfBooleans(Value value) { return getElementTypeOrSelf(value).isInteger(1); }

/// The type of the block `value`, with another element type.
static RankedTensorType ofType(Value value, Type element) {
  auto block = cast<RankedTensorType>(value.getType());
  return RankedTensorType::get(block.getShape(), element, block.getEncoding());
}

bool BufferKeeper::isWorthABuffer(Value source, Value result) {
  if (std::max(registersOf(source.getType()), registersOf(result.getType())) <= smallVectors)
    return false;
  return factors.contains(source) || moved.take(source, result);
}

/// The buffer of the source of a move. A boolean is one bit of a vector, but it takes a byte in the
/// buffer, so that single booleans can be read.
Value BufferKeeper::sourceBuffer(Value source) {
  if (!isOfBooleans(source))
    return factorBuffer(source);
  Value &bytes = asBytes[source];
  if (!bytes) {
    OpBuilder b(source.getContext());
    b.setInsertionPointAfterValue(source);
    bytes = b.create<arith::ExtUIOp>(source.getLoc(), ofType(source, b.getI8Type()), source);
  }
  return factorBuffer(bytes);
}

void BufferKeeper::keepMove(Operation *op) {
  for (Value result : op->getResults()) {
    if (result.use_empty())
      continue;
    std::optional<Movement> movement = movementOf(result);
    if (!movement || !isWorthABuffer(movement->source, result))
      return;
    Value buffer = sourceBuffer(movement->source);
    OpBuilder b(op);
    Type element = cast<BufferType>(buffer.getType()).getBlock().getElementType();
    IntegerAttr flipped;
    if (movement->flipped != 0)
      flipped = b.getI64IntegerAttr(int64_t(movement->flipped));
    Value zero = b.create<arith::ConstantIntOp>(op->getLoc(), 0, 32);
    Value taken =
        b.create<BufferReadOp>(op->getLoc(), ofType(result, element), buffer, zero,
                               toAttribute(op->getContext(), movement->elements), flipped);
    if (isOfBooleans(result))
      taken = b.create<arith::TruncIOp>(op->getLoc(), result.getType(), taken);
    result.replaceAllUsesWith(taken);
  }
  erase(op);
}

/// Replaces a join by moves of its sources, and a select between the moved sources at each place.
void BufferKeeper::keepJoin(JoinOp join) {
  if (registersOf(join.getType()) <= smallVectors)
    return;
  OpBuilder b(join);
  Location loc = join.getLoc();
  RankedTensorType type = join.getType();
  const unsigned last = type.getRank() - 1;
  LinearLayout half = layoutOf(type)->slice(last);
  SmallVector<Operation *> converts;
  auto spread = [&](Value side) -> Value {
    auto own = cast<RankedTensorType>(side.getType());
    if (own != withLayout(own, half)) {
      auto convert = b.create<ConvertLayoutOp>(loc, withLayout(own, half), side);
      side = convert;
      converts.push_back(convert);
    }
    SmallVector<int64_t> shape(own.getShape());
    shape.push_back(1);
    auto thin =
        withLayout(RankedTensorType::get(shape, own.getElementType()), half.expandDims(last));
    return b.create<BroadcastOp>(loc, type, b.create<ExpandDimsOp>(loc, thin, side, last));
  };
  Value lhs = spread(join.getLhs()), rhs = spread(join.getRhs());
  Value at = makeCoordinates(b, loc, type, last);
  Value zero = b.create<arith::ConstantOp>(
      loc, SplatElementsAttr::get(cast<ShapedType>(at.getType()), b.getI32IntegerAttr(0)));
  Value isFirst = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, at, zero);
  Value chosen = b.create<arith::SelectOp>(loc, isFirst, lhs, rhs);
  join.getResult().replaceAllUsesWith(chosen);
  erase(join);
  for (Operation *convert : converts)
    keepMove(convert);
}

/// Replaces a gather by `eft.buffer_gather`. The number of an element in the buffer is computed
/// from the index along the axis, which the operand gives, and from the place's own coordinates
/// along the other dimensions.
void BufferKeeper::keepGather(GatherOp gather) {
  Value source = gather.getSource(), result = gather;
  if (!layoutOf(source.getType()) || !layoutOf(result.getType()))
    return;
  LinearLayout layout = numbered(*layoutOf(source.getType()));
  std::optional<LinearLayout> places = layout.rightInverse();
  if (!places || !isWorthABuffer(source, result))
    return;
  Value buffer = sourceBuffer(source);
  ImplicitLocOpBuilder b(gather.getLoc(), gather);
  RankedTensorType words = ofType(result, b.getI32Type());
  Value number;
  for (unsigned dim = 0; dim < unsigned(words.getRank()); ++dim) {
    const Space::Dim &along = layout.target().dims()[dim];
    SmallVector<int64_t> images;
    for (unsigned bit = 0; bit < along.bits; ++bit)
      images.push_back(int64_t(places->applyPacked(bitNumber(along.offset + bit))));
    Value index = gather.getIndices();
    if (dim != gather.getAxis())
      index = makeCoordinates(b, gather.getLoc(), words, dim);
    else if (index.getType() != words)
      index = b.create<arith::TruncIOp>(words, index);
    Value part = emitLinearMap(b, index, images);
    number = number ? b.create<arith::XOrIOp>(number, part).getResult() : part;
  }
  Type element = cast<BufferType>(buffer.getType()).getBlock().getElementType();
  Value picked = b.create<BufferGatherOp>(ofType(result, element), buffer, number);
  if (isOfBooleans(result))
    picked = b.create<arith::TruncIOp>(result.getType(), picked);
  result.replaceAllUsesWith(picked);
  erase(gather);
}

/// Makes a print read its block from a buffer, which is filled in front of the print. Prints of
/// blocks of one type share a buffer.
void BufferKeeper::keepPrint(PrintOp print) {
  Value value = print.getValue();
  if (!value || registersOf(value.getType()) <= smallVectors ||
      !numbered(*layoutOf(value.getType())).isSurjective())
    return;
  Value &buffer = printed[value.getType()];
  if (!buffer)
    buffer = makeBuffer(print, cast<RankedTensorType>(value.getType()));
  OpBuilder b(print);
  writeWhole(b, print.getLoc(), value, buffer);
  print.getValueMutable().assign(buffer);
}

} // namespace eft
