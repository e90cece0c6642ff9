// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers of the operations on matrices.
#include "compiler/ir/EftDialect.h"

using namespace mlir;
using namespace eft;

/// What the smallest tile of a tensor core is along each dimension, rounded up.
static constexpr int64_t leastDotExtent = 16;

/// The type in which products of `element` are summed; null if there is none.
static Type accumulatorOf(Type element) {
  Builder builder(element.getContext());
  if (element.isF16() || element.isBF16() || element.isF32())
    return builder.getF32Type();
  if (element.isF64())
    return element;
  return element.isInteger(8) || element.isInteger(32) ? builder.getI32Type() : Type();
}

/// The shape of the product; complains if the factors don't fit.
static FailureOr<SmallVector<int64_t>> verifyFactors(DotOp op) {
  auto a = cast<RankedTensorType>(op.getA().getType());
  auto b = cast<RankedTensorType>(op.getB().getType());
  if (a.getRank() != 2 || b.getRank() != 2)
    return op.emitOpError("factors must have two dimensions, got ") << a << " and " << b;
  if (a.getDimSize(1) != b.getDimSize(0))
    return op.emitOpError("the first factor must have as many columns as the second has rows, got ")
           << a << " and " << b;
  for (int64_t extent : {a.getDimSize(0), a.getDimSize(1), b.getDimSize(1)})
    if (extent < leastDotExtent)
      return op.emitOpError("extents must be at least ")
             << leastDotExtent << ", got " << a << " and " << b;
  return SmallVector<int64_t>{a.getDimSize(0), b.getDimSize(1)};
}

LogicalResult DotOp::verify() {
  FailureOr<SmallVector<int64_t>> shape = verifyFactors(*this);
  if (failed(shape))
    return failure();
  Type element = getElementTypeOrSelf(getA());
  if (element != getElementTypeOrSelf(getB()))
    return emitOpError("factors must have one element type, got ")
           << element << " and " << getElementTypeOrSelf(getB());
  Type accumulator = accumulatorOf(element);
  if (!accumulator)
    return emitOpError("factors must be of f16, bf16, f32, f64, i8 or i32, got ") << element;
  auto result = cast<RankedTensorType>(getType());
  if (result.getShape() != ArrayRef(*shape) || result.getElementType() != accumulator)
    return emitOpError("accumulator must be like ")
           << RankedTensorType::get(*shape, accumulator) << ", got " << result;
  if (getPrecision() != Precision::Ieee && !element.isF32())
    return emitOpError("precision must be ieee for factors of ")
           << element << ", got " << stringifyPrecision(getPrecision());
  return success();
}

bool DotOp::usesTensorCores() {
  Type element = getElementTypeOrSelf(getA());
  return !element.isInteger(32) && !(element.isF32() && getPrecision() == Precision::Ieee);
}
