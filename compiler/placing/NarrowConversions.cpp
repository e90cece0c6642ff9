// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/placing/NarrowConversions.h"

#include "compiler/ir/ElementMoves.h"
#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/Placement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace eft {

namespace {

unsigned bitsOf(Value value) { return getElementTypeOrSelf(value).getIntOrFloatBitWidth(); }

/// Returns true if the value can be made in any layout without cost: a scalar, a splat or a
/// constant.
bool isUniform(Value value) {
  Operation *op = value.getDefiningOp();
  return !isa<RankedTensorType>(value.getType()) ||
         (op && (isa<SplatOp>(op) || op->hasTrait<OpTrait::ConstantLike>()));
}

ElementMoveOpInterface moveOfOneBlock(Value value) {
  ElementMoveOpInterface move = freeMove(value);
  return move && move->getNumOperands() == 1 ? move : nullptr;
}

/// A block counts as repeated if it has at least this many times the elements of its source.
constexpr int64_t leastRepeated = 8;

/// Returns true if element moves repeat the numbers of a small block in `value`, such as one number
/// for each row.
bool isRepeated(Value value) {
  if (!getElementTypeOrSelf(value).isIntOrFloat())
    return false;
  Value source = value;
  while (ElementMoveOpInterface move = moveOfOneBlock(source))
    source = move->getOperand(0);
  auto elements = [](Value block) {
    return cast<RankedTensorType>(block.getType()).getNumElements();
  };
  return source != value && bitsOf(value) >= 8 &&
         elements(source) * leastRepeated <= elements(value);
}

/// Returns the only user of the value, if it is an elementwise operation in the same basic block
/// whose other operands are cheap in any layout; otherwise null.
Operation *elementwiseUser(Value value) {
  if (!value.hasOneUse())
    return nullptr;
  Operation *user = value.use_begin()->getOwner();
  const bool isElementwise = OpTrait::hasElementwiseMappableTraits(user) &&
                             user->getNumResults() == 1 &&
                             user->getBlock() == value.getParentBlock() &&
                             getElementTypeOrSelf(user->getResult(0)).isIntOrFloat();
  auto isCheap = [&](Value operand) {
    return operand == value || isUniform(operand) || isRepeated(operand);
  };
  return isElementwise && llvm::all_of(user->getOperands(), isCheap) ? user : nullptr;
}

/// Returns the tensor type `type` with the layout of `block`.
Type like(Type type, Value block) {
  auto ranked = cast<RankedTensorType>(type);
  return RankedTensorType::get(ranked.getShape(), ranked.getElementType(),
                               cast<RankedTensorType>(block.getType()).getEncoding());
}

/// Returns the same block in the layout of `type`. Splats, constants and element moves are done
/// again in that layout, so that at most the small block before them is converted.
Value madeAs(OpBuilder &b, Value value, RankedTensorType type) {
  if (value.getType() == type)
    return value;
  if (isUniform(value)) {
    Operation *copy = b.clone(*value.getDefiningOp());
    copy->getResult(0).setType(type);
    if (auto constant = dyn_cast<arith::ConstantOp>(copy))
      constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue()).reshape(type));
    return copy->getResult(0);
  }
  if (auto convert = value.getDefiningOp<ConvertLayoutOp>())
    return madeAs(b, convert.getSource(), type);
  if (ElementMoveOpInterface move = moveOfOneBlock(value)) {
    auto before = cast<RankedTensorType>(move->getOperand(0).getType());
    IRMapping mapping;
    mapping.map(move->getOperand(0),
                madeAs(b, move->getOperand(0),
                       withLayout(before, layoutBefore(move, *layoutOf(type), place::registers))));
    Operation *copy = b.clone(*move, mapping);
    copy->getResult(0).setType(type);
    return copy->getResult(0);
  }
  return b.create<ConvertLayoutOp>(value.getLoc(), type, value);
}

/// Returns the chain of elementwise operations after `value` across which its conversion is to
/// move. It ends with the first operation that has the narrowest result. Empty if no result is
/// narrower than `value`.
SmallVector<Operation *> narrowingUsers(Value value) {
  SmallVector<Operation *> users;
  unsigned narrowest = bitsOf(value), count = 0;
  for (Operation *user = elementwiseUser(value); user; user = elementwiseUser(user->getResult(0))) {
    users.push_back(user);
    if (bitsOf(user->getResult(0)) < narrowest) {
      narrowest = bitsOf(user->getResult(0));
      count = unsigned(users.size());
    }
  }
  users.resize(count);
  return users;
}

/// Returns the layout of the result of `view`, a reshape or a transposition, if its source has
/// `layout` and no element moves.
LinearLayout layoutOfView(Operation *view, const LinearLayout &layout) {
  auto result = cast<RankedTensorType>(view->getResult(0).getType());
  if (auto trans = dyn_cast<TransOp>(view)) {
    SmallVector<unsigned> order(trans.getOrder().begin(), trans.getOrder().end());
    return layout.permute(order);
  }
  return layout.reshape(result.getShape());
}

/// Returns the layout of both halves of a block that has `layout` and is split along its last
/// dimension. Returns nothing if elements would move: one bit of `register` or `step` alone must
/// tell the halves apart.
std::optional<LinearLayout> layoutOfHalves(const LinearLayout &layout) {
  std::vector<PlaceBases> places = layout.bases();
  unsigned found = 0;
  for (PlaceBases &place : places) {
    const bool isHeld = place.name == place::registers || place.name == place::step;
    std::erase_if(place.bases, [&](const Coordinates &basis) {
      const bool isAlone = basis.back() == 1 &&
                           llvm::all_of(llvm::drop_end(basis), [](int64_t c) { return c == 0; });
      found += isHeld && isAlone;
      return isHeld && isAlone;
    });
    for (Coordinates &basis : place.bases) {
      if (basis.back() != 0)
        return std::nullopt;
      basis.pop_back();
    }
  }
  std::vector<int64_t> shape = layout.shape();
  shape.pop_back();
  std::string error;
  return found == 1 ? LinearLayout::create(places, shape, error) : std::nullopt;
}

/// Moves a conversion across the reshapes and transpositions that follow it, and across the
/// `eft.split` after them, if elementwise operations then make both halves narrower. Returns the
/// two conversions that replace `convert`, or nothing if it stays.
SmallVector<ConvertLayoutOp> moveBehindSplit(ConvertLayoutOp convert) {
  SmallVector<Operation *> views;
  Value value = convert;
  auto user = [&]() -> Operation * {
    Operation *op = value.hasOneUse() ? *value.user_begin() : nullptr;
    return op && op->getBlock() == convert->getBlock() ? op : nullptr;
  };
  while (isa_and_present<ReshapeOp, TransOp>(user())) {
    views.push_back(user());
    value = views.back()->getResult(0);
  }
  auto split = dyn_cast_or_null<SplitOp>(user());
  std::optional<LinearLayout> layout = layoutOf(convert.getSource().getType());
  if (!split || !layout || narrowingUsers(split.getLhs()).empty() ||
      narrowingUsers(split.getRhs()).empty())
    return {};
  SmallVector<LinearLayout> layouts;
  for (Operation *view : views)
    layouts.push_back(*(layout = layoutOfView(view, *layout)));
  std::optional<LinearLayout> halves = layoutOfHalves(*layout);
  if (!halves)
    return {};
  auto withOwn = [](Type type, const LinearLayout &layout) {
    auto ranked = cast<RankedTensorType>(type);
    return withLayout(RankedTensorType::get(ranked.getShape(), ranked.getElementType()), layout);
  };
  for (auto [view, own] : llvm::zip_equal(views, layouts))
    view->getResult(0).setType(withOwn(view->getResult(0).getType(), own));
  convert.getResult().replaceAllUsesWith(convert.getSource());
  SmallVector<ConvertLayoutOp> conversions;
  OpBuilder b(convert->getContext());
  b.setInsertionPointAfter(split);
  for (Value half : split->getResults()) {
    Type before = half.getType();
    half.setType(withOwn(before, *halves));
    conversions.push_back(b.create<ConvertLayoutOp>(convert.getLoc(), before, half));
    half.replaceAllUsesExcept(conversions.back(), conversions.back());
  }
  convert.erase();
  return conversions;
}

/// Moves the conversion after `users`, a chain of operations that begins with its user.
void moveBehind(ConvertLayoutOp convert, ArrayRef<Operation *> users) {
  OpBuilder b(convert->getContext());
  Value value = convert.getSource(), before = convert;
  for (Operation *user : users) {
    b.setInsertionPoint(user);
    Value result = user->getResult(0);
    for (OpOperand &operand : user->getOpOperands())
      if (operand.get() == before)
        operand.set(value);
      else if (isa<RankedTensorType>(operand.get().getType()))
        operand.set(
            madeAs(b, operand.get(), cast<RankedTensorType>(like(operand.get().getType(), value))));
    before = result;
    result.setType(like(result.getType(), value));
    value = result;
  }
  b.setInsertionPointAfter(users.back());
  auto last = b.create<ConvertLayoutOp>(convert.getLoc(), like(value.getType(), convert), value);
  value.replaceAllUsesExcept(last, last);
  convert.erase();
}

} // namespace

void narrowConversions(func::FuncOp function) {
  SmallVector<ConvertLayoutOp> conversions;
  function.walk([&](ConvertLayoutOp convert) {
    if (getElementTypeOrSelf(convert).isIntOrFloat())
      conversions.push_back(convert);
  });
  while (!conversions.empty()) {
    ConvertLayoutOp convert = conversions.pop_back_val();
    if (SmallVector<Operation *> users = narrowingUsers(convert); !users.empty())
      moveBehind(convert, users);
    else
      llvm::append_range(conversions, moveBehindSplit(convert));
  }
}

} // namespace eft
