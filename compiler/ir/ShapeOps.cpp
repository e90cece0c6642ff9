// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers and folders of the operations that rearrange a block's elements.
#include "compiler/ir/ElementMoves.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace eft;

namespace {

RankedTensorType blockOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Fails, with a diagnostic, if `found` has another shape or element type than expected.
LogicalResult expectBlock(Operation *op, StringRef what, RankedTensorType found,
                          ArrayRef<int64_t> shape, Type element) {
  if (found.getShape() == shape && found.getElementType() == element)
    return success();
  return op->emitOpError() << what << " must be like " << RankedTensorType::get(shape, element)
                           << ", got " << found;
}

LogicalResult expectAxis(Operation *op, int64_t axis, RankedTensorType block) {
  if (axis >= 0 && axis < block.getRank())
    return success();
  return op->emitOpError("axis must lie between 0 and ") << block.getRank() - 1 << ", got " << axis;
}

/// Returns `shape` with another, last dimension of extent 2.
SmallVector<int64_t> joined(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> result(shape);
  result.push_back(2);
  return result;
}

} // namespace

//===--- Shapes -------------------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  RankedTensorType source = blockOf(getSource()), result = blockOf(getResult());
  if (source.getNumElements() != result.getNumElements())
    return emitOpError("must keep the number of elements, got ") << source << " and " << result;
  return expectBlock(*this, "result", result, result.getShape(), source.getElementType());
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  if (auto inner = getSource().getDefiningOp<ReshapeOp>()) {
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return resplat(adaptor.getSource(), getType());
}

LogicalResult TransOp::verify() {
  RankedTensorType source = blockOf(getSource());
  llvm::SmallBitVector seen(source.getRank());
  for (int32_t dim : getOrder())
    if (dim >= 0 && dim < source.getRank())
      seen.set(dim);
  if (int64_t(getOrder().size()) != source.getRank() || !seen.all())
    return emitOpError("order must name each of ")
           << source.getRank() << " dimensions once, got [" << getOrder() << "]";
  SmallVector<int64_t> shape;
  for (int32_t dim : getOrder())
    shape.push_back(source.getDimSize(dim));
  return expectBlock(*this, "result", blockOf(getResult()), shape, source.getElementType());
}

OpFoldResult TransOp::fold(FoldAdaptor adaptor) {
  if (llvm::is_sorted(getOrder()) && getSource().getType() == getType())
    return getSource();
  return resplat(adaptor.getSource(), getType());
}

LogicalResult JoinOp::verify() {
  RankedTensorType source = blockOf(getLhs());
  return expectBlock(*this, "result", blockOf(getResult()), joined(source.getShape()),
                     source.getElementType());
}

LogicalResult SplitOp::verify() {
  RankedTensorType result = blockOf(getLhs());
  return expectBlock(*this, "source", blockOf(getSource()), joined(result.getShape()),
                     result.getElementType());
}

//===--- Moving elements ----------------------------------------------------------------------===//

LogicalResult ExchangeOp::verify() {
  RankedTensorType block = blockOf(getSource());
  int64_t axis = int32_t(getAxis()), mask = int32_t(getMask());
  if (failed(expectAxis(*this, axis, block)))
    return failure();
  if (mask < 0 || mask >= block.getDimSize(axis))
    return emitOpError("mask must lie between 0 and ")
           << block.getDimSize(axis) - 1 << ", got " << mask;
  return success();
}

OpFoldResult ExchangeOp::fold(FoldAdaptor adaptor) {
  if (getMask() == 0)
    return getSource();
  return resplat(adaptor.getSource(), getType());
}

LogicalResult GatherOp::verify() {
  RankedTensorType source = blockOf(getSource()), indices = blockOf(getIndices());
  int64_t axis = int32_t(getAxis());
  if (failed(expectAxis(*this, axis, source)))
    return failure();
  bool fits = source.getRank() == indices.getRank();
  for (int64_t dim = 0; fits && dim < source.getRank(); ++dim)
    fits = dim == axis || source.getDimSize(dim) == indices.getDimSize(dim);
  if (!fits)
    return emitOpError("source and indices may differ in the extent of axis ")
           << axis << " only, got " << source << " and " << indices;
  if (indices.getElementType().getIntOrFloatBitWidth() < 32)
    return emitOpError("indices must have 32 or 64 bits, got ") << indices;
  return expectBlock(*this, "result", blockOf(getResult()), indices.getShape(),
                     source.getElementType());
}

LogicalResult ConvertLayoutOp::verify() {
  RankedTensorType source = blockOf(getSource());
  return expectBlock(*this, "result", blockOf(getResult()), source.getShape(),
                     source.getElementType());
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  return resplat(adaptor.getSource(), getType());
}
