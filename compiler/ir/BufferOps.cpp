// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers of buffers, of the operations on them, and of sorting.
#include "compiler/ir/LayoutConversion.h"

#include "compiler/layout/Placement.h"

using namespace mlir;
using namespace eft;

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 RankedTensorType block) {
  if (isBlock(block) && isa_and_present<LayoutAttr>(block.getEncoding()))
    return success();
  return emitError() << "a buffer must be of a block with a layout, got " << block;
}

namespace {

/// Returns the number of bits of the place that count fragments: those of `step` on a CPU, those of
/// `register` on a GPU.
unsigned fragmentBits(const LinearLayout &layout) {
  return layout.placeBits(layout.source().find(place::step) ? place::step : place::registers);
}

/// Checks that a part has the same element type, the same number of lanes and of warps, and at most
/// as many fragments as the buffer's block.
LogicalResult verifyPart(Operation *op, RankedTensorType part, BufferType buffer) {
  std::optional<LinearLayout> whole = layoutOf(buffer.getBlock()), own = layoutOf(part);
  bool fits =
      own && part.getElementType() == buffer.getBlock().getElementType() &&
      fragmentBits(*own) <= fragmentBits(*whole) &&
      own->source().bits() - fragmentBits(*own) == whole->source().bits() - fragmentBits(*whole);
  if (fits)
    return success();
  return op->emitOpError("part must be one of the buffer's block, got ")
         << part << " and " << buffer;
}

} // namespace

LogicalResult BufferWriteOp::verify() {
  return verifyPart(*this, cast<RankedTensorType>(getPart().getType()), getBuffer().getType());
}

/// Checks a read with `of`, the layout that maps each place to the element of the buffer's block
/// that the place reads.
static LogicalResult verifyMoved(BufferReadOp op) {
  auto part = cast<RankedTensorType>(op.getPart().getType());
  RankedTensorType block = op.getBuffer().getType().getBlock();
  std::string error;
  std::optional<LinearLayout> moved =
      LinearLayout::create(placesOf(*op.getElements()), block.getShape(), error);
  if (!moved)
    return op.emitOpError("elements are not of the buffer's block: ") << error;
  std::optional<LinearLayout> own = layoutOf(part), whole = layoutOf(block);
  const bool fits = own && part.getElementType() == block.getElementType() &&
                    own->placeBits(place::lane) == moved->placeBits(place::lane) &&
                    own->placeBits(place::step) <= moved->placeBits(place::step);
  if (!fits)
    return op.emitOpError("part must have the lanes of the elements, and no more steps, got ")
           << part << " and " << *op.getElements();
  if (block.getElementType().isInteger(1))
    return op.emitOpError("can't move booleans, which are bits of a vector");
  if (!whole->isSurjective())
    return op.emitOpError("can't move elements of a block that its layout does not cover, got ")
           << block;
  const int64_t count = block.getNumElements(), flipped = op.getFlipped().value_or(0);
  if (flipped < 0 || flipped >= count)
    return op.emitOpError("xor must lie between 0 and ") << count - 1 << ", got " << flipped;
  return success();
}

LogicalResult BufferReadOp::verify() {
  if (getElements())
    return verifyMoved(*this);
  return verifyPart(*this, cast<RankedTensorType>(getPart().getType()), getBuffer().getType());
}

LogicalResult BufferGatherOp::verify() {
  auto numbers = dyn_cast<RankedTensorType>(getNumbers().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  RankedTensorType block = getBuffer().getType().getBlock();
  if (!numbers || numbers.getShape() != result.getShape() ||
      numbers.getEncoding() != result.getEncoding() ||
      result.getElementType() != block.getElementType())
    return emitOpError("result must be elements of the buffer in the places of the numbers, got ")
           << getNumbers().getType() << ", " << getBuffer().getType() << " and " << result;
  if (block.getElementType().isInteger(1))
    return emitOpError("can't pick booleans, which are bits of a vector");
  return success();
}

//===--- Sorting ------------------------------------------------------------------------------===//

/// Does the checks of the axis, the stages and the block that both forms of sorting share.
template <typename Op> static LogicalResult verifyStages(Op op, RankedTensorType block) {
  const int64_t axis = int32_t(op.getAxis()), first = int32_t(op.getFirst()),
                last = int32_t(op.getLast());
  if (axis < 0 || axis >= block.getRank())
    return op.emitOpError("axis must lie between 0 and ")
           << block.getRank() - 1 << ", got " << axis;
  const int64_t stages = llvm::Log2_64(block.getDimSize(axis));
  if (first < 1 || last < first || last > stages)
    return op.emitOpError("stages must lie between 1 and ")
           << stages << ", got " << first << " to " << last;
  if (!block.getElementType().isSignlessInteger() || block.getElementType().isInteger(1))
    return op.emitOpError("must be of integers of several bits, got ") << block;
  return success();
}

LogicalResult SortOp::verify() {
  return verifyStages(*this, cast<RankedTensorType>(getSource().getType()));
}

LogicalResult SortIntoOp::verify() { return verifyStages(*this, getBuffer().getType().getBlock()); }
