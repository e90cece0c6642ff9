// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers. Every pass must be able to handle the IR that they accept, or refuse it with a
// diagnostic.
#include "compiler/ir/Accesses.h"
#include "compiler/ir/LayoutConversion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace eft;

// The generated code of the operations. It calls the verifiers, folders and patterns, which are
// members of the operations' classes.
#define GET_OP_CLASSES
#include "compiler/ir/EftOps.cpp.inc"

namespace {

ArrayRef<int64_t> shapeOf(Type type) {
  auto block = dyn_cast<RankedTensorType>(type);
  return block ? block.getShape() : ArrayRef<int64_t>();
}

LogicalResult verifySameElements(Operation *op, Type source, Type result) {
  if (getElementTypeOrSelf(source) == getElementTypeOrSelf(result))
    return success();
  return op->emitOpError("must keep the element type, got ")
         << getElementTypeOrSelf(source) << " and " << getElementTypeOrSelf(result);
}

} // namespace

LogicalResult ArangeOp::verify() {
  auto type = cast<RankedTensorType>(getResult().getType());
  int64_t extent = int64_t(int32_t(getEnd())) - int64_t(int32_t(getStart()));
  if (extent <= 0 || !llvm::isPowerOf2_64(extent))
    return emitOpError("extent must be a power of two, got ") << extent;
  if (type.getRank() != 1 || type.getDimSize(0) != extent)
    return emitOpError("result must be of shape [") << extent << "], got " << type;
  if (!type.getElementType().isInteger(32))
    return emitOpError("result must be a block of i32, got ") << type;
  return success();
}

LogicalResult SplatOp::verify() {
  return verifySameElements(*this, getSource().getType(), getResult().getType());
}

LogicalResult ExpandDimsOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  int64_t axis = int32_t(getAxis());
  if (axis < 0 || axis > source.getRank())
    return emitOpError("axis must lie between 0 and ") << source.getRank() << ", got " << axis;
  SmallVector<int64_t> expected(source.getShape());
  expected.insert(expected.begin() + axis, 1);
  if (result.getShape() != ArrayRef(expected))
    return emitOpError("result must be of shape [") << expected << "], got " << result;
  return verifySameElements(*this, source, result);
}

LogicalResult BroadcastOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (source.getRank() != result.getRank())
    return emitOpError("must keep the rank, got ") << source << " and " << result;
  for (auto [from, to] : llvm::zip_equal(source.getShape(), result.getShape()))
    if (from != to && from != 1)
      return emitOpError("can only repeat an extent of 1, got ") << source << " and " << result;
  return verifySameElements(*this, source, result);
}

LogicalResult AddPtrOp::verify() {
  if (isa<RankedTensorType>(getPointer().getType()) !=
          isa<RankedTensorType>(getOffset().getType()) ||
      shapeOf(getPointer().getType()) != shapeOf(getOffset().getType()))
    return emitOpError("pointer and offset must be of one shape, got ")
           << getPointer().getType() << " and " << getOffset().getType();
  if (withElementType(getPointer().getType(), getElementTypeOrSelf(getOffset())) !=
      getOffset().getType())
    return emitOpError("pointer and offset must have one layout, got ")
           << getPointer().getType() << " and " << getOffset().getType();
  if (getElementTypeOrSelf(getOffset()).isInteger(1))
    return emitOpError("offset must have at least 8 bits, got i1");
  return success();
}

LogicalResult LoadOp::verify() {
  if (failed(verifyRun(*this, getRun())))
    return failure();
  if (getOther() && !getMask())
    return emitOpError("has a value for masked elements but no mask");
  std::optional<CacheModifier> cache = getCache();
  if (cache == CacheModifier::WB || cache == CacheModifier::WT)
    return emitOpError("cache modifier must be ca, cg, cs or cv, got ")
           << stringifyCacheModifier(*cache);
  return success();
}

/// A load that reads memory again each time has a write effect, too, so that no pass removes it or
/// merges it with another load.
void LoadOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPointerMutable());
  if (readsAnew())
    effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult StoreOp::verify() {
  if (failed(verifyRun(*this, getRun())))
    return failure();
  std::optional<CacheModifier> cache = getCache();
  if (cache == CacheModifier::CA || cache == CacheModifier::CV)
    return emitOpError("cache modifier must be wb, cg, cs or wt, got ")
           << stringifyCacheModifier(*cache);
  return success();
}

LogicalResult HintOp::verify() {
  auto block = dyn_cast<RankedTensorType>(getType());
  size_t expected = block ? block.getRank() : 1;
  for (std::optional<ArrayRef<int64_t>> list :
       {getContiguity(), getDivisibility(), getConstancy()}) {
    if (list && list->size() != expected)
      return emitOpError("must have a number for each dimension, expected ")
             << expected << ", got " << list->size();
    if (list && llvm::any_of(*list, [](int64_t number) { return number < 1; }))
      return emitOpError("must have positive numbers, got ") << *list;
  }
  return success();
}

LogicalResult PrintOp::verify() {
  auto buffer = getValue() ? dyn_cast<BufferType>(getValue().getType()) : BufferType();
  if (buffer && !layoutOf(buffer.getBlock())->isSurjective())
    return emitOpError("can't print a buffer whose layout does not cover its block, got ")
           << buffer;
  if (!getHexDigits())
    return success();
  if (!getValue())
    return emitOpError("hex needs a value to print");
  Type type = buffer ? buffer.getBlock() : getValue().getType();
  if (!getElementTypeOrSelf(type).isSignlessInteger())
    return emitOpError("hex needs integers, got ") << getValue().getType();
  if (*getHexDigits() < 1 || *getHexDigits() > 16)
    return emitOpError("hex must be from 1 to 16, got ") << int32_t(*getHexDigits());
  return success();
}

LogicalResult PhiloxOp::verify() {
  // The limit bounds the size of the code, in which the rounds follow one another without a loop.
  // More than ten rounds do not make the words more random.
  constexpr uint32_t maxRounds = 16;
  if (getRounds() > maxRounds)
    return emitOpError("rounds must be at most ") << maxRounds << ", got " << getRounds();
  bool seedIsBlock = isa<RankedTensorType>(getSeed().getType());
  if (seedIsBlock && shapeOf(getSeed().getType()) != shapeOf(getC0().getType()))
    return emitOpError("a block of seeds must have the counter's shape, got ")
           << getSeed().getType() << " and " << getC0().getType();
  return success();
}

LogicalResult UniformDivOp::verify() {
  Type element = getElementTypeOrSelf(getDividend());
  if (!element.isF32() && !element.isF64())
    return emitOpError("must be of f32 or f64, got ") << element;
  if (element != getDivisor().getType())
    return emitOpError("divisor must be of the dividend's element type, got ")
           << getDivisor().getType() << " and " << element;
  return success();
}
