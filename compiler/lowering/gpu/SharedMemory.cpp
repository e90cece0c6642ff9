// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/gpu/SharedMemory.h"

#include "compiler/ir/EftDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace eft {

/// The name of the area. No kernel has this name, because Python's names contain no dollar sign.
static constexpr StringLiteral bufferName = "eft$shared";

Value SharedMemory::buffer(ImplicitLocOpBuilder &b, unsigned bytes) {
  size = std::max(size, reserved + bytes);
  return at(b, reserved);
}

unsigned SharedMemory::reserve(unsigned bytes, unsigned alignment) {
  reservedBefore.push_back(reserved);
  const auto start = unsigned(llvm::alignTo(reserved, alignment));
  alignmentOfAll = std::max(alignmentOfAll, alignment);
  reserved = start + bytes;
  size = std::max(size, reserved);
  return start;
}

Value SharedMemory::at(ImplicitLocOpBuilder &b, unsigned offset) {
  auto type = LLVM::LLVMPointerType::get(b.getContext(), addressSpace);
  Value start = b.create<LLVM::AddressOfOp>(type, bufferName);
  if (offset == 0)
    return start;
  return b.create<LLVM::GEPOp>(type, b.getI8Type(), start, LLVM::GEPArg(int32_t(offset)));
}

Value SharedMemory::behindAll(ImplicitLocOpBuilder &b) {
  if (!behind) {
    behind = unsigned(llvm::alignTo(size, bytesBehindAll / 2));
    size = *behind + bytesBehindAll / 2;
  }
  return at(b, *behind);
}

void SharedMemory::beginWriting(ImplicitLocOpBuilder &b) {
  // In a loop, the earlier use may be in the previous iteration.
  Operation *around = b.getInsertionBlock()->getParentOp();
  bool isInLoop =
      isa<LoopLikeOpInterface>(around) || around->getParentOfType<LoopLikeOpInterface>();
  if (isUsed || isInLoop)
    b.create<NVVM::Barrier0Op>();
  isUsed = true;
}

void SharedMemory::beginReading(ImplicitLocOpBuilder &b) { b.create<NVVM::Barrier0Op>(); }

void SharedMemory::finish() {
  if (size == 0)
    return;
  OpBuilder b(kernel);
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), 0);
  if (!SymbolTable::lookupNearestSymbolFrom(kernel, b.getStringAttr(bufferName)))
    b.create<LLVM::GlobalOp>(kernel.getLoc(), type, /*isConstant=*/false, LLVM::Linkage::External,
                             bufferName, Attribute(), alignmentOfAll, addressSpace);
  kernel->setAttr(EftDialect::sharedBytesName, b.getI32IntegerAttr(size));
}

} // namespace eft
