// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers of the matrix products.
#include "compiler/ir/EftDialect.h"

using namespace mlir;
using namespace eft;

/// The least extent of a product along each dimension. The smallest product that tensor cores
/// compute has at most this extent along each dimension.
static constexpr int64_t leastDotExtent = 16;

/// Returns the type in which products of `element` are summed; null if `element` has no products.
static Type accumulatorOf(Type element, bool isFloat8) {
  Builder builder(element.getContext());
  if (isFloat8 || element.isF16() || element.isBF16() || element.isF32())
    return builder.getF32Type();
  if (element.isF64())
    return element;
  return element.isInteger(8) || element.isInteger(32) ? builder.getI32Type() : Type();
}

/// Returns the shape of the product. Fails, with a diagnostic, if the factors' shapes don't fit.
static FailureOr<SmallVector<int64_t>> verifyFactors(Operation *op, RankedTensorType a,
                                                     RankedTensorType b) {
  if (a.getRank() != 2 || b.getRank() != 2)
    return op->emitOpError("factors must have two dimensions, got ") << a << " and " << b;
  if (a.getDimSize(1) != b.getDimSize(0))
    return op->emitOpError("the first factor must have as many columns as the second has rows, "
                           "got ")
           << a << " and " << b;
  for (int64_t extent : {a.getDimSize(0), a.getDimSize(1), b.getDimSize(1)})
    if (extent < leastDotExtent)
      return op->emitOpError("extents must be at least ")
             << leastDotExtent << ", got " << a << " and " << b;
  return SmallVector<int64_t>{a.getDimSize(0), b.getDimSize(1)};
}

/// Checks the formats of factors that are 8-bit floats: both must be given, or neither. Factors
/// with formats must be of i8.
static LogicalResult verifyFormats(Operation *op, RankedTensorType a, std::optional<Float8> ofA,
                                   std::optional<Float8> ofB) {
  if (ofA.has_value() != ofB.has_value())
    return op->emitOpError("needs the formats of both factors, or of none");
  if (ofA && !a.getElementType().isInteger(8))
    return op->emitOpError("factors with formats must be of i8, got ") << a.getElementType();
  return success();
}

/// Does the checks that products of blocks, of buffers and of slots in shared memory have in
/// common.
static LogicalResult verifyProduct(Operation *op, RankedTensorType a, RankedTensorType b,
                                   RankedTensorType result, bool isFloat8 = false) {
  FailureOr<SmallVector<int64_t>> shape = verifyFactors(op, a, b);
  if (failed(shape))
    return failure();
  Type element = a.getElementType();
  if (element != b.getElementType())
    return op->emitOpError("factors must have one element type, got ")
           << element << " and " << b.getElementType();
  Type accumulator = accumulatorOf(element, isFloat8);
  if (!accumulator)
    return op->emitOpError("factors must be of f16, bf16, f32, f64, i8 or i32, got ") << element;
  if (result.getShape() != ArrayRef(*shape) || result.getElementType() != accumulator)
    return op->emitOpError("accumulator must be like ")
           << RankedTensorType::get(*shape, accumulator) << ", got " << result;
  return success();
}

/// Returns true if warpgroups can multiply elements of this type.
static bool isOfWarpgroups(Type element) {
  return element.isF16() || element.isBF16() || element.isF32() || element.isInteger(8);
}

/// Checks that warpgroups can multiply the first factor. They multiply 64 rows at a time, and 32
/// bytes of each row.
static LogicalResult verifyWarpgroups(Operation *op, RankedTensorType a) {
  constexpr int64_t minRows = 64, minBits = 256;
  Type element = a.getElementType();
  if (!isOfWarpgroups(element))
    return op->emitOpError("for warpgroups needs factors of f16, bf16, f32 or i8, got ") << element;
  if (a.getDimSize(0) >= minRows && a.getDimSize(1) * element.getIntOrFloatBitWidth() >= minBits)
    return success();
  return op->emitOpError(
             "for warpgroups needs a first factor of at least 64 rows of 32 bytes, got ")
         << a;
}

LogicalResult DotOp::verify() {
  auto typeOf = [](Value value) { return cast<RankedTensorType>(value.getType()); };
  if (failed(verifyFormats(*this, typeOf(getA()), getFormatOfA(), getFormatOfB())) ||
      failed(verifyProduct(*this, typeOf(getA()), typeOf(getB()), typeOf(getResult()),
                           getFormatOfA().has_value())))
    return failure();
  Type element = getElementTypeOrSelf(getA());
  if (getPrecision() != Precision::Ieee && !element.isF32())
    return emitOpError("precision must be ieee for factors of ")
           << element << ", got " << stringifyPrecision(getPrecision());
  if (getWarpgroups() && element.isF32() && getPrecision() != Precision::Tf32)
    return emitOpError("for warpgroups needs precision tf32 for factors of f32, got ")
           << stringifyPrecision(getPrecision());
  return getWarpgroups() ? verifyWarpgroups(*this, typeOf(getA())) : success();
}

/// Returns the type of a factor in shared memory, with its dimensions in the order of the product.
static RankedTensorType factorIn(SharedType slots, bool isTransposed) {
  SmallVector<int64_t> shape(slots.getBlock().getShape());
  if (isTransposed)
    std::reverse(shape.begin(), shape.end());
  return RankedTensorType::get(shape, slots.getBlock().getElementType());
}

LogicalResult DotAsyncOp::verify() {
  auto slotsOfA = dyn_cast<SharedType>(getA().getType());
  if ((slotsOfA != nullptr) != (getSlotOfA() != nullptr))
    return emitOpError("needs a slot for a factor in shared memory, and for no other");
  if (!slotsOfA && getTransposedA())
    return emitOpError("can't transpose a factor in registers");
  for (SharedType slots : {slotsOfA, getB().getType()})
    if (slots && slots.getBlock().getRank() != 2)
      return emitOpError("factors must have two dimensions, got ") << slots.getBlock();
  RankedTensorType a =
      slotsOfA ? factorIn(slotsOfA, getTransposedA()) : cast<RankedTensorType>(getA().getType());
  RankedTensorType b = factorIn(getB().getType(), getTransposedB());
  if (failed(verifyFormats(*this, a, getFormatOfA(), getFormatOfB())) ||
      failed(verifyProduct(*this, a, b, cast<RankedTensorType>(getResult().getType()),
                           getFormatOfA().has_value())))
    return failure();
  Type element = a.getElementType();
  if (!isOfWarpgroups(element))
    return emitOpError("factors must be of f16, bf16, f32 or i8, got ") << element;
  return success();
}

LogicalResult DotIntoOp::verify() {
  RankedTensorType a = getA().getType().getBlock(), b = getB().getType().getBlock();
  RankedTensorType acc = getAcc().getType().getBlock();
  if (failed(verifyProduct(*this, a, b, acc)))
    return failure();
  if (a.getElementType() != acc.getElementType())
    return emitOpError("factors must be of the accumulator's type, got ") << a << " and " << acc;
  return success();
}

bool DotOp::usesTensorCores() {
  Type element = getElementTypeOrSelf(getA());
  return !element.isInteger(32) && !(element.isF32() && getPrecision() == Precision::Ieee);
}
