// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers of the operations of one thread of a GPU.
#include "compiler/ir/EftDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"

using namespace mlir;
using namespace eft;

namespace {

constexpr unsigned globalMemory = 1; // the number of its address space in LLVM's NVPTX
constexpr int64_t maxAccessBits = 128;

/// Returns true if one instruction of PTX can load or store a value of the type.
bool isAccessible(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  const int64_t count = vector ? vector.getNumElements() : 1;
  auto word = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  if (!word || (vector && (vector.getRank() != 1 || vector.isScalable())))
    return false;
  const unsigned width = word.getWidth();
  const bool isWord = width == 8 || width == 16 || width == 32 || width == 64;
  const bool isWide = width >= 32 && (count == 2 || count == 4);
  return isWord && (!vector || isWide) && width * count <= maxAccessBits;
}

LogicalResult verifyPointer(Operation *op, Type pointer) {
  auto known = dyn_cast<LLVM::LLVMPointerType>(pointer);
  if (!known || known.getAddressSpace() != globalMemory)
    return op->emitOpError("pointer must be an '!llvm.ptr<1>', got ") << pointer;
  return success();
}

LogicalResult verifyAccess(Operation *op, Type pointer, Type words) {
  if (failed(verifyPointer(op, pointer)))
    return failure();
  if (!isAccessible(words))
    return op->emitOpError("words must be an integer of 8, 16, 32 or 64 bits, or a vector of two "
                           "or four of 32 or of two of 64 bits, got ")
           << words;
  return success();
}

bool hasBits(Type type, ArrayRef<unsigned> widths) {
  return llvm::any_of(widths, [&](unsigned width) { return type.isSignlessInteger(width); });
}

/// Returns true if one atomic operation can add a vector of the type: 2, 4 or 8 f16 or bf16, or 2
/// or 4 f32.
bool isVectorOfSums(VectorType type) {
  const int64_t count = type.getRank() == 1 && !type.isScalable() ? type.getNumElements() : 0;
  Type element = type.getElementType();
  const int64_t most = isa<Float16Type, BFloat16Type>(element) ? 8 : element.isF32() ? 4 : 0;
  return count >= 2 && count <= most && llvm::isPowerOf2_64(count);
}

LogicalResult verifyAtomicAccess(Operation *op, Type pointer, Type word) {
  if (failed(verifyPointer(op, pointer)))
    return failure();
  if (!hasBits(word, {8, 16, 32, 64}))
    return op->emitOpError("word must be an integer of 8, 16, 32 or 64 bits, got ") << word;
  return success();
}

} // namespace

LogicalResult ThreadLoadOp::verify() {
  if (getOther() && !getCondition())
    return emitOpError("has other words without a condition");
  return verifyAccess(*this, getPointer().getType(), getWords().getType());
}

LogicalResult ThreadStoreOp::verify() {
  return verifyAccess(*this, getPointer().getType(), getWords().getType());
}

LogicalResult ThreadAtomicRMWOp::verify() {
  Type pointer = getPointer().getType(), value = getValue().getType();
  if (failed(verifyPointer(*this, pointer)))
    return failure();
  const bool isSum = getKind() == AtomicKind::FAdd;
  if (auto vector = dyn_cast<VectorType>(value)) {
    if (!isSum || !isVectorOfSums(vector))
      return emitOpError("of a vector must be fadd of 2, 4 or 8 f16 or bf16, or 2 or 4 f32, got ")
             << stringifyAtomicKind(getKind()) << " of " << value;
    return success();
  }
  if (isSum && !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(value))
    return emitOpError("fadd must have an f16, bf16, f32 or f64, got ") << value;
  if (!isSum && !hasBits(value, {32, 64}))
    return emitOpError() << stringifyAtomicKind(getKind())
                         << " must have an integer of 32 or 64 bits, got " << value;
  return success();
}

LogicalResult ThreadAtomicCASOp::verify() {
  if (failed(verifyPointer(*this, getPointer().getType())))
    return failure();
  if (Type value = getValue().getType(); !hasBits(value, {16, 32, 64}))
    return emitOpError("value must be an integer of 16, 32 or 64 bits, got ") << value;
  return success();
}

LogicalResult ThreadAtomicLoadOp::verify() {
  return verifyAtomicAccess(*this, getPointer().getType(), getWord().getType());
}

LogicalResult ThreadAtomicStoreOp::verify() {
  return verifyAtomicAccess(*this, getPointer().getType(), getWord().getType());
}
