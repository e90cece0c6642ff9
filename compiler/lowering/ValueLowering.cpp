// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lowerings of constants, splats, pointers and hints, for both targets.
#include "compiler/lowering/FragmentLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace eft {

namespace {

using Fragments = FragmentLowering::Fragments;

LogicalResult lowerConstant(FragmentLowering &lowering, ImplicitLocOpBuilder &b,
                            arith::ConstantOp op) {
  SplatElementsAttr splatted;
  if (!matchPattern(op.getOperation(), m_Constant(&splatted)))
    return op.emitOpError("of a block must have the same value at every index");
  Value scalar = b.create<arith::ConstantOp>(cast<TypedAttr>(splatted.getSplatValue<Attribute>()));
  lowering.setFragments(
      op, Fragments(lowering.numFragments(op.getType()),
                    lowering.splat(b, scalar, lowering.fragmentTypeOf(op.getType()))));
  return success();
}

/// Splits an offset into a sum of a variable part and a constant, which may be 0. The constant is
/// added to the address last. The instruction that accesses memory can then add it, so fragments
/// whose offsets differ only in the constant share a register for their address.
std::pair<Value, int64_t> splitConstant(Value offset) {
  auto sum = offset.getDefiningOp<arith::AddIOp>();
  APInt constant;
  bool isExact =
      sum && bitEnumContainsAll(sum.getOverflowFlags(), arith::IntegerOverflowFlags::nsw);
  if (!isExact || !offset.getType().isInteger() ||
      !matchPattern(sum.getRhs(), m_ConstantInt(&constant)))
    return {offset, 0};
  return {sum.getLhs(), constant.getSExtValue()};
}

/// True for an `eft.arange` that begins at 0, and for the sum of a splat and such a block, if the
/// sum does not wrap around.
bool isMovedRange(Value block) {
  if (auto range = block.getDefiningOp<ArangeOp>())
    return range.getStart() == 0;
  auto sum = block.getDefiningOp<arith::AddIOp>();
  if (!sum || !bitEnumContainsAll(sum.getOverflowFlags(), arith::IntegerOverflowFlags::nsw))
    return false;
  return (sum.getLhs().getDefiningOp<SplatOp>() && isMovedRange(sum.getRhs())) ||
         (sum.getRhs().getDefiningOp<SplatOp>() && isMovedRange(sum.getLhs()));
}

/// Lowers a number plus a range such that the constant is added last: (number + the thread's first
/// element) + constant, in place of number + (the thread's first element + constant). The fragments
/// are then sums whose last term is a constant, as those of the range are. The first sum does not
/// wrap around either, because it is an element of the result.
LogicalResult lowerSum(FragmentLowering &lowering, ImplicitLocOpBuilder &b, arith::AddIOp op) {
  if (!lowering.fragmentTypeOf(op.getType()).isInteger() || !isMovedRange(op.getResult()))
    return lowering.lowerElementwise(b, op);
  const bool isLeft = op.getLhs().getDefiningOp<SplatOp>() != nullptr;
  Value number = lowering.scalarOf(isLeft ? op.getLhs() : op.getRhs());
  Fragments places(lowering.fragmentsOf(isLeft ? op.getRhs() : op.getLhs())), result;
  constexpr auto nsw = arith::IntegerOverflowFlags::nsw;
  DenseMap<Value, Value> starts;
  for (Value place : places) {
    auto [variable, fixed] = splitConstant(place);
    Value &start = starts[variable];
    if (!start)
      start = b.create<arith::AddIOp>(number, variable, nsw);
    Value constant = b.create<arith::ConstantIntOp>(fixed, place.getType());
    result.push_back(b.create<arith::AddIOp>(start, constant, nsw));
  }
  lowering.setFragments(op, std::move(result));
  return success();
}

void lowerAddPtr(FragmentLowering &lowering, ImplicitLocOpBuilder &b, AddPtrOp op) {
  Type address = lowering.fragmentTypeOf(op.getType());
  auto pointee = cast<PointerType>(getElementTypeOrSelf(op.getType())).getPointee();
  const int64_t width = pointee.getIntOrFloatBitWidth() / 8;
  Value bytes = b.create<arith::ConstantIntOp>(width, 64);
  if (address != bytes.getType())
    bytes = lowering.splat(b, bytes, address);
  Fragments result;
  // These are copies, because looking up one value's fragments may move another's in memory.
  Fragments pointers(lowering.fragmentsOf(op.getPointer())),
      offsets(lowering.fragmentsOf(op.getOffset()));
  for (auto [pointer, offset] : llvm::zip_equal(pointers, offsets)) {
    auto [variable, fixed] = splitConstant(offset);
    Value wide = variable.getType() == address
                     ? variable
                     : b.create<arith::ExtSIOp>(address, variable).getResult();
    Value sum = b.create<arith::AddIOp>(pointer, b.create<arith::MulIOp>(wide, bytes));
    if (fixed != 0)
      sum = b.create<arith::AddIOp>(sum, b.create<arith::ConstantIntOp>(fixed * width, 64));
    result.push_back(sum);
  }
  lowering.setFragments(op, std::move(result));
}

void lowerSplat(FragmentLowering &lowering, ImplicitLocOpBuilder &b, SplatOp op) {
  Type type = op.getType();
  Value fragment =
      lowering.splat(b, lowering.scalarOf(op.getSource()), lowering.fragmentTypeOf(type));
  lowering.setFragments(op, Fragments(lowering.numFragments(type), fragment));
}

/// Gives the result the source's fragments.
template <typename Op>
void keepFragments(FragmentLowering &lowering, ImplicitLocOpBuilder &, Op op) {
  lowering.setFragments(op, Fragments(lowering.fragmentsOf(op.getSource())));
}

void lowerAssume(FragmentLowering &lowering, ImplicitLocOpBuilder &b, AssumeOp op) {
  b.create<LLVM::AssumeOp>(lowering.scalarOf(op.getCondition()));
}

} // namespace

void populateValueLowerings(LoweringTable &table) {
  table.add(lowerConstant);
  table.add(lowerSplat);
  table.add(lowerSum);
  table.add(lowerAddPtr);
  table.add(keepFragments<CastPtrOp>);
  table.add(keepFragments<HintOp>);
  table.add(lowerAssume);
}

} // namespace eft
