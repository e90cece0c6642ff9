// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of PieceLowering that takes loops and conditionals apart.
//
// An operation of scf that carries blocks or pointers is made anew. Each carried value becomes
// several: its pieces, or the integer that a pointer is. The operation's operands, the arguments of
// its regions, what its terminators pass on and its results all change in the same way, so whatever
// of them belonged together still does, in the same order. The bodies move over as they are, and
// are lowered there.
#include "compiler/lowering/PieceLowering.h"

using namespace mlir;

namespace eft {

namespace {

/// The bits of a piece's number that change nothing: pieces that differ only in them are the same.
uint64_t bitsOfCopies(Type type, StringRef dimension) {
  std::optional<LinearLayout> layout = layoutOf(type);
  uint64_t bits = 0;
  if (layout && layout->source().find(dimension.str()))
    for (unsigned bit = 0; bit < layout->placeBits(dimension.str()); ++bit)
      if (llvm::all_of(layout->basis(dimension.str(), bit), [](int64_t at) { return at == 0; }))
        bits |= uint64_t(1) << bit;
  return bits;
}

SmallVector<Type> typesOfArguments(Operation *op) {
  SmallVector<Type> types;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      llvm::append_range(types, block.getArgumentTypes());
  return types;
}

} // namespace

SmallVector<Type> PieceLowering::carriedTypes(Type type) {
  uint64_t copies = bitsOfCopies(type, pieceDimension);
  return SmallVector<Type>(numPieces(type) >> llvm::popcount(copies), pieceTypeOf(type));
}

/// The lowered form of values that go into or out of a region.
SmallVector<Value> PieceLowering::carriedPieces(ValueRange values) {
  SmallVector<Value> carried;
  for (Value value : values) {
    uint64_t copies = bitsOfCopies(value.getType(), pieceDimension);
    for (auto [number, piece] : llvm::enumerate(piecesOf(value)))
      if ((number & copies) == 0)
        carried.push_back(piece);
  }
  return carried;
}

/// Takes the pieces of `value` from the front of `carried`.
void PieceLowering::setCarried(Value value, ValueRange &carried) {
  uint64_t copies = bitsOfCopies(value.getType(), pieceDimension);
  Pieces pieces;
  for (unsigned number = 0; number < numPieces(value.getType()); ++number) {
    if ((number & copies) == 0) {
      pieces.push_back(carried.front());
      carried = carried.drop_front();
    } else {
      pieces.push_back(pieces[number & ~copies]);
    }
  }
  setPieces(value, std::move(pieces));
}

LogicalResult PieceLowering::lowerRegions(Operation *op) {
  SmallVector<Type> types = typesOfArguments(op);
  llvm::append_range(types, op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  if (failed(checkTypes(op, types)))
    return failure();
  if (llvm::all_of(types, isLoweredType))
    return lowerBodies(op);
  if (!isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op))
    return op->emitOpError("carries blocks or pointers in or out of a region, and has no lowering "
                           "that takes them apart");

  OpBuilder builder(op);
  OperationState state(op->getLoc(), op->getName(), carriedPieces(op->getOperands()), {},
                       op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  for (Type type : op->getResultTypes())
    state.addTypes(carriedTypes(type));
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  Operation *lowered = builder.create(state);
  replaced.push_back(op);
  for (Region &region : lowered->getRegions())
    for (Block &block : region)
      takeApartArguments(block);
  if (failed(lowerBodies(lowered)))
    return failure();
  ValueRange results = lowered->getResults();
  for (Value result : op->getResults())
    setCarried(result, results);
  return success();
}

/// Adds the lowered arguments behind those that the body still names; `lower` erases those.
void PieceLowering::takeApartArguments(Block &block) {
  unsigned count = block.getNumArguments();
  for (unsigned i = 0; i < count; ++i)
    for (Type type : carriedTypes(block.getArgument(i).getType()))
      block.addArgument(type, block.getArgument(i).getLoc());
  ValueRange carried = block.getArguments().drop_front(count);
  for (BlockArgument argument : block.getArguments().take_front(count))
    setCarried(argument, carried);
  replacedBlockArguments.push_back({&block, count});
}

LogicalResult PieceLowering::lowerBodies(Operation *op) {
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(lowerBlock(block)))
        return failure();
  return success();
}

} // namespace eft
