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

/// An offset as the sum of two, the second a constant. It is added to the address last, where an
/// access does that by itself, so that fragments which differ by it alone share a register.
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

/// A range from zero on, and the numbers that are added to all of it, where no sum wraps around.
struct MovedRange {
  ArangeOp range;
  SmallVector<Value> distances; // the last one is added first
};

std::optional<MovedRange> movedRange(Value offsets) {
  MovedRange found;
  while (!(found.range = offsets.getDefiningOp<ArangeOp>())) {
    auto sum = offsets.getDefiningOp<arith::AddIOp>();
    if (!sum || !bitEnumContainsAll(sum.getOverflowFlags(), arith::IntegerOverflowFlags::nsw))
      return std::nullopt;
    auto left = sum.getLhs().getDefiningOp<SplatOp>();
    auto distance = left ? left : sum.getRhs().getDefiningOp<SplatOp>();
    if (!distance)
      return std::nullopt;
    found.distances.push_back(distance.getSource());
    offsets = left ? sum.getRhs() : sum.getLhs();
  }
  return found.range.getStart() == 0 ? std::optional(found) : std::nullopt;
}

/// The offsets of a moved range as sums whose last term is a constant. The sum without that is the
/// offset of the thread's first element, so it doesn't wrap around either.
Fragments offsetsOf(FragmentLowering &lowering, ImplicitLocOpBuilder &b, Value offsets) {
  constexpr auto nsw = arith::IntegerOverflowFlags::nsw;
  Fragments fragments(lowering.fragmentsOf(offsets));
  std::optional<MovedRange> moved = movedRange(offsets);
  if (!moved || moved->distances.empty() || !fragments.front().getType().isInteger())
    return fragments;
  DenseMap<Value, Value> starts;
  for (auto [fragment, place] :
       llvm::zip_equal(fragments, Fragments(lowering.fragmentsOf(moved->range)))) {
    auto [variable, fixed] = splitConstant(place);
    if (variable == place)
      continue;
    Value &start = starts[variable];
    if (!start) {
      start = variable;
      for (Value distance : llvm::reverse(moved->distances))
        start = b.create<arith::AddIOp>(lowering.scalarOf(distance), start, nsw);
    }
    Value constant = b.create<arith::ConstantIntOp>(fixed, place.getType());
    fragment = b.create<arith::AddIOp>(start, constant, nsw);
  }
  return fragments;
}

void lowerAddPtr(FragmentLowering &lowering, ImplicitLocOpBuilder &b, AddPtrOp op) {
  Type address = lowering.fragmentTypeOf(op.getType());
  auto pointee = cast<PointerType>(getElementTypeOrSelf(op.getType())).getPointee();
  const int64_t width = pointee.getIntOrFloatBitWidth() / 8;
  Value bytes = b.create<arith::ConstantIntOp>(width, 64);
  if (address != bytes.getType())
    bytes = lowering.splat(b, bytes, address);
  Fragments result;
  // Copies: looking up one value's fragments may move another's.
  Fragments pointers(lowering.fragmentsOf(op.getPointer())),
      offsets = offsetsOf(lowering, b, op.getOffset());
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

/// The result has the source's fragments.
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
  table.add(lowerAddPtr);
  table.add(keepFragments<CastPtrOp>);
  table.add(keepFragments<HintOp>);
  table.add(lowerAssume);
}

} // namespace eft
