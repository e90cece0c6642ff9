// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/buffers/WholeBuffers.h"

#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/Placement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace eft {

static bool isWholePart(Value part, BufferType buffer, Value step) {
  return part.getType() == buffer.getBlock() && matchPattern(step, m_Zero());
}

bool isWhole(BufferWriteOp write) {
  return isWholePart(write.getPart(), write.getBuffer().getType(), write.getStep());
}

bool isWhole(BufferReadOp read) {
  if (std::optional<LinearLayout> moved = elementsOf(read))
    return matchPattern(read.getStep(), m_Zero()) &&
           layoutOf(read.getType())->placeBits(place::step) == moved->placeBits(place::step);
  return isWholePart(read.getPart(), read.getBuffer().getType(), read.getStep());
}

BufferReadOp wholeReadOf(Value value) {
  auto read = value.getDefiningOp<BufferReadOp>();
  return read && isWhole(read) ? read : BufferReadOp();
}

Value makeBuffer(Operation *inside, RankedTensorType block) {
  auto function = dyn_cast<func::FuncOp>(inside);
  if (!function)
    function = inside->getParentOfType<func::FuncOp>();
  auto b = OpBuilder::atBlockBegin(&function.getBody().front());
  return b.create<BufferOp>(inside->getLoc(), BufferType::get(b.getContext(), block));
}

BufferWriteOp writeWhole(OpBuilder &b, Location loc, Value block, Value buffer) {
  return b.create<BufferWriteOp>(loc, block, buffer, b.create<arith::ConstantIntOp>(loc, 0, 32));
}

Value readWhole(OpBuilder &b, Location loc, Value buffer) {
  Value zero = b.create<arith::ConstantIntOp>(loc, 0, 32);
  return b.create<BufferReadOp>(loc, cast<BufferType>(buffer.getType()).getBlock(), buffer, zero,
                                LayoutAttr(), IntegerAttr());
}

//===--- The contents of a buffer over time ---------------------------------------------------===//

static bool writes(OpOperand &use) {
  Operation *user = use.getOwner();
  // An operation that passes a buffer on may pass it to an operation that writes it.
  const bool handsOn = user->hasTrait<OpTrait::IsTerminator>() ||
                       llvm::any_of(user->getResultTypes(), llvm::IsaPred<BufferType>);
  return handsOn || !isa<MemoryEffectOpInterface>(user) ||
         hasEffect<MemoryEffects::Write>(user, use.get());
}

/// True if `writer` may run between the start of `block` and the time at which the program reaches
/// `place`. The operations `writer` and `place` are in `block`, or in regions of its operations.
static bool mayRunBefore(Operation *writer, Operation *place, Block *block) {
  Operation *first = block->findAncestorOpInBlock(*writer);
  Operation *second = block->findAncestorOpInBlock(*place);
  if (first != second)
    return first->isBeforeInBlock(second);
  if (second == place)
    return false;
  // One operation of the block contains both. If it is a loop, `place` runs again after `writer`,
  // in a later iteration. If it is a conditional, only one of its sides runs.
  if (!isa<scf::IfOp>(second))
    return true;
  Region *side = nullptr;
  for (Region &region : second->getRegions())
    if (region.findAncestorOpInRegion(*place))
      side = &region;
  return side->findAncestorOpInRegion(*writer) && mayRunBefore(writer, place, &side->front());
}

bool isUnchangedAt(BufferReadOp read, Operation *place) {
  Block *block = read->getBlock();
  return llvm::none_of(read.getBuffer().getUses(), [&](OpOperand &use) {
    if (!writes(use))
      return false;
    // Operations before the read run again only if the read does.
    Operation *around = block->findAncestorOpInBlock(*use.getOwner());
    return around && read->isBeforeInBlock(around) && mayRunBefore(use.getOwner(), place, block);
  });
}

} // namespace eft
