// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers of reductions, scans, histograms and `eft.map`.
#include "compiler/ir/EftDialect.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace eft;

namespace {

/// Checks that the sources have one shape, that they have the axis, and that the region combines
/// two of their elements.
LogicalResult verifyCombining(Operation *op, TypeRange sources, int64_t axis, Region &combine) {
  if (sources.empty())
    return op->emitOpError("needs at least one source");
  auto first = cast<RankedTensorType>(sources.front());
  for (Type source : sources)
    if (cast<RankedTensorType>(source).getShape() != first.getShape())
      return op->emitOpError("sources must be of one shape, got ") << first << " and " << source;
  if (axis < 0 || axis >= first.getRank())
    return op->emitOpError("axis must lie between 0 and ")
           << first.getRank() - 1 << ", got " << axis;
  SmallVector<Type> elements, pairs;
  for (Type source : sources)
    elements.push_back(getElementTypeOrSelf(source));
  pairs = elements;
  pairs.append(elements);
  Block &body = combine.front();
  if (body.getArgumentTypes() != TypeRange(pairs))
    return op->emitOpError("region must take ") << pairs << ", got " << body.getArgumentTypes();
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getOperandTypes() != TypeRange(elements))
    return op->emitOpError("region must yield ") << elements;
  return success();
}

/// Checks that the order of a reduction, if it has one, combines all elements of the axis: the
/// steps and the bits of the tree must cover every bit of the index once.
LogicalResult verifyOrder(ReduceOp op, int64_t extent) {
  if (!op.getSteps() && !op.getTree())
    return success();
  int64_t steps = int32_t(op.getSteps().value_or(0)), seen = 0;
  bool isValid = op.getTree() && steps > 0 && llvm::isPowerOf2_64(steps) && extent % steps == 0;
  for (int64_t bit : op.getTree().value_or(ArrayRef<int32_t>())) {
    isValid &= bit > 0 && llvm::isPowerOf2_64(bit) && (seen & bit) == 0;
    seen |= bit;
  }
  if (isValid && seen == extent / steps - 1)
    return success();
  return op.emitOpError("order must fold every bit of an axis of extent ")
         << extent << " once, got " << steps << " steps and tree ["
         << op.getTree().value_or(ArrayRef<int32_t>()) << "]";
}

LogicalResult verifyHistogram(Operation *op, Type source, Type result) {
  for (Type type : {source, result})
    if (auto block = cast<RankedTensorType>(type);
        block.getRank() != 1 || !block.getElementType().isInteger(32))
      return op->emitOpError("source and result must be blocks of rank 1 of i32, got ") << block;
  return success();
}

} // namespace

LogicalResult HistogramOp::verify() {
  return verifyHistogram(*this, getSource().getType(), getType());
}

LogicalResult HistogramIntoOp::verify() {
  if (getSource() == getResult())
    return emitOpError("source and result must be different buffers");
  return verifyHistogram(*this, getSource().getType().getBlock(), getResult().getType().getBlock());
}

LogicalResult ReduceOp::verify() {
  int64_t axis = int32_t(getAxis());
  if (failed(verifyCombining(*this, getSources().getTypes(), axis, getCombine())))
    return failure();
  if (getResults().size() != getSources().size())
    return emitOpError("must have a result for each of ")
           << getSources().size() << " sources, got " << getResults().size();
  for (auto [source, result] : llvm::zip_equal(getSources(), getResults())) {
    auto block = cast<RankedTensorType>(source.getType());
    SmallVector<int64_t> shape(block.getShape());
    shape.erase(shape.begin() + axis);
    auto found = dyn_cast<RankedTensorType>(result.getType());
    bool isRight = shape.empty() ? result.getType() == block.getElementType()
                                 : found && found.getShape() == ArrayRef(shape) &&
                                       found.getElementType() == block.getElementType();
    if (!isRight)
      return emitOpError("must give ")
             << block << " without dimension " << axis << ", got " << result.getType();
  }
  return verifyOrder(*this,
                     cast<RankedTensorType>(getSources().front().getType()).getDimSize(axis));
}

LogicalResult CombineOp::verify() {
  size_t count = getResults().size();
  ValueRange sources = getSources();
  if (count == 0 || sources.size() != 2 * count ||
      sources.take_front(count).getTypes() != getResults().getTypes() ||
      sources.drop_front(count).getTypes() != getResults().getTypes())
    return emitOpError("must take two lists of its results' types, got ")
           << sources.getTypes() << " and " << getResults().getTypes();
  return verifyCombining(*this, sources.take_front(count).getTypes(), /*axis=*/0, getCombine());
}

LogicalResult ScanOp::verify() {
  if (failed(verifyCombining(*this, getSources().getTypes(), int32_t(getAxis()), getCombine())))
    return failure();
  if (getSources().getTypes() != getResults().getTypes())
    return emitOpError("results must have the sources' types, got ")
           << getResults().getTypes() << " and " << getSources().getTypes();
  return success();
}

LogicalResult ScanIntoOp::verify() {
  SmallVector<Type> blocks;
  for (Value buffer : getBuffers())
    blocks.push_back(cast<BufferType>(buffer.getType()).getBlock());
  if (failed(verifyCombining(*this, blocks, int32_t(getAxis()), getCombine())))
    return failure();
  for (Type block : blocks)
    if (cast<RankedTensorType>(block).getEncoding() !=
        cast<RankedTensorType>(blocks.front()).getEncoding())
      return emitOpError("buffers must lie alike, got ") << blocks.front() << " and " << block;
  return success();
}

namespace {

/// Returns the element type of each value, each `pack` times in a row.
SmallVector<Type> packedElements(TypeRange values, unsigned pack) {
  SmallVector<Type> elements;
  for (Type value : values)
    elements.append(pack, getElementTypeOrSelf(value));
  return elements;
}

} // namespace

LogicalResult MapOp::verify() {
  if (getSources().empty() || getResults().empty())
    return emitOpError("needs a source and a result");
  Type first = getSources().getTypes().front();
  for (TypeRange types : {TypeRange(getSources()), TypeRange(getResults())})
    for (Type type : types)
      if (withElementType(first, getElementTypeOrSelf(type)) != type)
        return emitOpError("must have sources and results of one shape and layout, got ")
               << type << " and " << first;
  Block &body = getFunction().front();
  const SmallVector<Type> taken = packedElements(getSources().getTypes(), getPack());
  if (body.getArgumentTypes() != TypeRange(taken))
    return emitOpError("region must take ") << taken << ", got " << body.getArgumentTypes();
  const SmallVector<Type> given = packedElements(getResults().getTypes(), getPack());
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getOperandTypes() != TypeRange(given))
    return emitOpError("region must yield ") << given;
  return success();
}
