// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers of the operations on blocks in shared memory, and the size of their slots.
#include "compiler/ir/Accesses.h"
#include "compiler/ir/LayoutConversion.h"

#include "compiler/layout/Placement.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace eft;

static constexpr int64_t widestAccess = 16;

uint64_t SharedType::getSlotBytes() {
  const int64_t bits = getBlock().getElementType().getIntOrFloatBitWidth();
  return llvm::alignTo(uint64_t(getBlock().getNumElements()) * bits / 8, widestAccess);
}

LogicalResult SharedType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t slots,
                                 RankedTensorType block) {
  constexpr int64_t maxSlots = 1024, maxElements = int64_t(1) << 24;
  if (slots < 1 || slots > maxSlots)
    return emitError() << "shared memory must have 1 to " << maxSlots << " slots, got " << slots;
  if (isBlock(block) && block.getNumElements() > maxElements / slots)
    return emitError() << "shared memory must have at most " << maxElements << " elements, got "
                       << slots << " times " << block;
  const unsigned bits =
      block.getElementType().isIntOrFloat() ? block.getElementType().getIntOrFloatBitWidth() : 0;
  const bool isOfNumbers = isBlock(block) && bits >= 8 && llvm::isPowerOf2_32(bits);
  std::optional<LinearLayout> layout = isOfNumbers ? layoutOf(block) : std::nullopt;
  const bool isOrder = layout && layout->source().dims().size() == 1 &&
                       layout->source().find(place::offset) && layout->isInjective() &&
                       layout->isSurjective();
  if (isOrder)
    return success();
  return emitError() << "shared memory must be of a block of numbers whose layout gives each "
                        "element one offset, got "
                     << block;
}

namespace {

/// Checks that the slots hold blocks of this element type and this shape.
LogicalResult verifySlot(Operation *op, Type element, ArrayRef<int64_t> shape, SharedType shared) {
  RankedTensorType slot = shared.getBlock();
  if (slot.getElementType() == element && slot.getShape() == shape)
    return success();
  return op->emitOpError("expects slots of the block's shape and type, got ") << shared;
}

} // namespace

LogicalResult CopyAsyncOp::verify() {
  auto pointers = dyn_cast<RankedTensorType>(getPointer().getType());
  if (!pointers)
    return emitOpError("expects a block of pointers, got ") << getPointer().getType();
  if (failed(verifyRun(*this, getRun())))
    return failure();
  auto pointer = cast<PointerType>(pointers.getElementType());
  return verifySlot(*this, pointer.getPointee(), pointers.getShape(), getShared().getType());
}

LogicalResult WriteSharedOp::verify() {
  auto block = cast<RankedTensorType>(getBlock().getType());
  return verifySlot(*this, block.getElementType(), block.getShape(), getShared().getType());
}

LogicalResult ReadSharedOp::verify() {
  auto block = cast<RankedTensorType>(getResult().getType());
  return verifySlot(*this, block.getElementType(), block.getShape(), getShared().getType());
}
