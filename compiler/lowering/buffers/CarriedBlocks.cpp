// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks that loops and conditionals carry. Each has one buffer, which holds the block whenever the
// program enters or leaves a region.
#include "compiler/lowering/buffers/BufferKeeper.h"

#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/Placement.h"

using namespace mlir;

namespace eft {

namespace {

/// If all carried blocks together fit into `smallRegisters` registers, all stay in registers.
/// Otherwise, only a block that fits into `tinyRegisters` by itself does.
constexpr int64_t smallRegisters = 8, tinyRegisters = 2;

llvm::BitVector joined(const llvm::BitVector &first, const llvm::BitVector &second) {
  llvm::BitVector all = first;
  all.resize(first.size() + second.size());
  for (unsigned i : second.set_bits())
    all.set(first.size() + i);
  return all;
}

} // namespace

//===--- The choice of blocks -----------------------------------------------------------------===//

/// The number of vector registers that a block needs without its copies of elements; 0 for a type
/// that is not a placed block.
int64_t BufferKeeper::registersOf(Type type) const {
  std::optional<LinearLayout> layout = isBlock(type) ? layoutOf(type) : std::nullopt;
  if (!layout)
    return 0;
  unsigned stepBits = layout->placeBits(place::step);
  int64_t vectors = int64_t(1) << (stepBits - llvm::popcount(layout->redundantBits(place::step)));
  Type element = getElementTypeOrSelf(type);
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  int64_t lanes = int64_t(1) << layout->placeBits(place::lane);
  return vectors * std::max<int64_t>(1, lanes * bits / vectorBits);
}

llvm::BitVector BufferKeeper::chooseCarried(TypeRange types) const {
  int64_t total = 0;
  for (Type type : types)
    total += registersOf(type);
  llvm::BitVector chosen(types.size());
  for (auto [number, type] : llvm::enumerate(types))
    if (total > smallRegisters && registersOf(type) > tinyRegisters)
      chosen.set(number);
  return chosen;
}

//===--- Operations without what they carried -------------------------------------------------===//

/// Replaces an operation by one without the operands and results that the two bit vectors mark. The
/// marked results have no users.
void BufferKeeper::dropCarried(Operation *op, const llvm::BitVector &operands,
                               const llvm::BitVector &results) {
  OpBuilder b(op);
  OperationState state(op->getLoc(), op->getName());
  for (auto [number, operand] : llvm::enumerate(op->getOperands()))
    if (!operands.test(number))
      state.operands.push_back(operand);
  for (auto [number, type] : llvm::enumerate(op->getResultTypes()))
    if (!results.test(number))
      state.types.push_back(type);
  state.addAttributes(op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  Operation *slim = b.create(state);
  unsigned next = 0;
  for (OpResult result : op->getResults())
    if (!results.test(result.getResultNumber()))
      result.replaceAllUsesWith(slim->getResult(next++));
  erase(op);
}

//===--- The operations -----------------------------------------------------------------------===//

void BufferKeeper::keepFor(scf::ForOp loop) {
  llvm::BitVector chosen = chooseCarried(loop.getResultTypes());
  Operation *yield = loop.getBody()->getTerminator();
  for (unsigned i : chosen.set_bits()) {
    Value buffer = bufferFor(loop.getResult(i));
    writeFor(loop, loop.getInitArgs()[i], buffer);
    writeFor(yield, yield->getOperand(i), buffer);
    replaceByRead(loop.getRegionIterArg(i), buffer, nullptr);
    replaceByRead(loop.getResult(i), buffer, loop);
  }
  Block *body = loop.getBody();
  if (chosen.any()) {
    yield->eraseOperands(chosen);
    body->eraseArguments(joined(llvm::BitVector(loop.getNumInductionVars()), chosen));
    dropCarried(loop, joined(llvm::BitVector(loop.getNumControlOperands()), chosen), chosen);
  }
  keepIn(*body);
}

/// Gives buffers to the blocks that a loop carries into its condition, and from there into its
/// body. A block that the condition passes on unchanged stays in one buffer.
void BufferKeeper::keepWhile(scf::WhileOp loop) {
  Block *before = loop.getBeforeBody(), *after = loop.getAfterBody();
  Operation *condition = before->getTerminator(), *yield = after->getTerminator();
  OperandRange passed = loop.getConditionOp().getArgs();
  SmallVector<Type> types(before->getArgumentTypes());
  llvm::append_range(types, loop.getResultTypes());
  llvm::BitVector all = chooseCarried(types), in(before->getNumArguments()),
                  out(loop.getNumResults());
  for (unsigned number : all.set_bits())
    number < in.size() ? in.set(number) : out.set(number - in.size());

  SmallVector<Value> buffers(in.size());
  for (unsigned i : out.set_bits()) {
    Value buffer;
    if (auto same = dyn_cast<BlockArgument>(passed[i]); same && same.getOwner() == before) {
      Value &shared = buffers[same.getArgNumber()];
      buffer = shared = shared ? shared : bufferFor(loop.getResult(i));
    } else {
      buffer = bufferFor(loop.getResult(i));
      writeFor(condition, passed[i], buffer);
    }
    replaceByRead(after->getArgument(i), buffer, nullptr);
    replaceByRead(loop.getResult(i), buffer, loop);
  }
  for (unsigned i : in.set_bits()) {
    Value buffer = buffers[i]
                       ? buffers[i]
                       : makeBuffer(loop, cast<RankedTensorType>(before->getArgument(i).getType()));
    writeFor(loop, loop.getInits()[i], buffer);
    writeFor(yield, yield->getOperand(i), buffer);
    replaceByRead(before->getArgument(i), buffer, nullptr);
  }
  if (all.any()) {
    condition->eraseOperands(joined(llvm::BitVector(1), out));
    yield->eraseOperands(in);
    before->eraseArguments(in);
    after->eraseArguments(out);
    dropCarried(loop, in, out);
  }
  keepIn(*before);
  keepIn(*after);
}

void BufferKeeper::keepIf(scf::IfOp choice) {
  llvm::BitVector chosen = chooseCarried(choice.getResultTypes());
  SmallVector<Block *> sides = {choice.thenBlock()};
  if (Block *otherwise = choice.elseBlock())
    sides.push_back(otherwise);
  for (unsigned i : chosen.set_bits()) {
    Value buffer = bufferFor(choice.getResult(i));
    for (Block *side : sides)
      writeFor(side->getTerminator(), side->getTerminator()->getOperand(i), buffer);
    replaceByRead(choice.getResult(i), buffer, choice);
  }
  if (chosen.any()) {
    for (Block *side : sides)
      side->getTerminator()->eraseOperands(chosen);
    dropCarried(choice, llvm::BitVector(1), chosen);
  }
  for (Block *side : sides)
    keepIn(*side);
}

} // namespace eft
