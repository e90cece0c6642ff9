// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of FragmentLowering that lowers loops and conditionals.
//
// An operation of scf that carries blocks or pointers is replaced by a new one. Each carried block
// becomes several values, its fragments; each carried pointer becomes an integer. The operation's
// operands, the arguments of its regions, the operands of its terminators and its results all
// change in the same way, so they still correspond to each other, in the same order. The bodies
// move to the new operation unchanged, and are lowered there.
#include "compiler/lowering/FragmentLowering.h"

using namespace mlir;

namespace eft {

namespace {

/// The bits of a fragment's number that add nothing to the index. Fragments whose numbers differ
/// only in these bits hold the same elements.
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

SmallVector<Type> FragmentLowering::carriedTypes(Type type) {
  uint64_t copies = bitsOfCopies(type, fragmentDimension);
  return SmallVector<Type>(numFragments(type) >> llvm::popcount(copies), fragmentTypeOf(type));
}

/// The lowered form of values that enter or leave a region. Copies are left out.
SmallVector<Value> FragmentLowering::carriedFragments(ValueRange values) {
  SmallVector<Value> carried;
  for (Value value : values) {
    uint64_t copies = bitsOfCopies(value.getType(), fragmentDimension);
    for (auto [number, fragment] : llvm::enumerate(fragmentsOf(value)))
      if ((number & copies) == 0)
        carried.push_back(fragment);
  }
  return carried;
}

/// Sets the fragments of `value` to the first values of `carried`, and removes those from
/// `carried`.
void FragmentLowering::setCarried(Value value, ValueRange &carried) {
  uint64_t copies = bitsOfCopies(value.getType(), fragmentDimension);
  Fragments fragments;
  for (unsigned number = 0; number < numFragments(value.getType()); ++number) {
    if ((number & copies) == 0) {
      fragments.push_back(carried.front());
      carried = carried.drop_front();
    } else {
      fragments.push_back(fragments[number & ~copies]);
    }
  }
  setFragments(value, std::move(fragments));
}

LogicalResult FragmentLowering::lowerRegions(Operation *op) {
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
  OperationState state(op->getLoc(), op->getName(), carriedFragments(op->getOperands()), {},
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

/// Adds the lowered arguments after the original ones, which the body still uses. `lower` erases
/// the originals at its end.
void FragmentLowering::takeApartArguments(Block &block) {
  unsigned count = block.getNumArguments();
  for (unsigned i = 0; i < count; ++i)
    for (Type type : carriedTypes(block.getArgument(i).getType()))
      block.addArgument(type, block.getArgument(i).getLoc());
  ValueRange carried = block.getArguments().drop_front(count);
  for (BlockArgument argument : block.getArguments().take_front(count))
    setCarried(argument, carried);
  replacedBlockArguments.push_back({&block, count});
}

LogicalResult FragmentLowering::lowerBodies(Operation *op) {
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(lowerBlock(block)))
        return failure();
  return success();
}

} // namespace eft
