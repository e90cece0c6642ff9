// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transforms/placing/NarrowConversions.h"

#include "compiler/ir/EftDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace eft {

namespace {

unsigned bitsOf(Value value) { return getElementTypeOrSelf(value).getIntOrFloatBitWidth(); }

/// Whether the value is the same in each layout: a scalar, or a block that can be made in any.
bool isUniform(Value value) {
  Operation *op = value.getDefiningOp();
  return !isa<RankedTensorType>(value.getType()) ||
         (op && (isa<SplatOp>(op) || op->hasTrait<OpTrait::ConstantLike>()));
}

/// The only use of the value, if it is by elementwise work with uniform values.
Operation *elementwiseUser(Value value) {
  if (!value.hasOneUse())
    return nullptr;
  Operation *user = value.use_begin()->getOwner();
  const bool isElementwise = OpTrait::hasElementwiseMappableTraits(user) &&
                             user->getNumResults() == 1 &&
                             user->getBlock() == value.getParentBlock() &&
                             getElementTypeOrSelf(user->getResult(0)).isIntOrFloat();
  auto isSame = [&](Value operand) { return operand == value || isUniform(operand); };
  return isElementwise && llvm::all_of(user->getOperands(), isSame) ? user : nullptr;
}

/// The block's type with the layout of another block.
Type like(Type type, Value block) {
  auto ranked = cast<RankedTensorType>(type);
  return RankedTensorType::get(ranked.getShape(), ranked.getElementType(),
                               cast<RankedTensorType>(block.getType()).getEncoding());
}

/// A uniform value for work in the layout of another block.
Value uniformLike(OpBuilder &b, Value uniform, Value block) {
  if (!isa<RankedTensorType>(uniform.getType()))
    return uniform;
  Operation *copy = b.clone(*uniform.getDefiningOp());
  auto type = cast<RankedTensorType>(like(uniform.getType(), block));
  copy->getResult(0).setType(type);
  if (auto constant = dyn_cast<arith::ConstantOp>(copy))
    constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue()).reshape(type));
  return copy->getResult(0);
}

/// Moves the conversion behind the operations.
void moveBehind(ConvertLayoutOp convert, ArrayRef<Operation *> users) {
  OpBuilder b(convert->getContext());
  Value value = convert.getSource(), before = convert;
  for (Operation *user : users) {
    b.setInsertionPoint(user);
    Value result = user->getResult(0);
    for (OpOperand &operand : user->getOpOperands())
      operand.set(operand.get() == before ? value : uniformLike(b, operand.get(), value));
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
  for (ConvertLayoutOp convert : conversions) {
    SmallVector<Operation *> users;
    unsigned narrowest = bitsOf(convert), count = 0;
    for (Operation *user = elementwiseUser(convert); user;
         user = elementwiseUser(user->getResult(0))) {
      users.push_back(user);
      if (bitsOf(user->getResult(0)) < narrowest) {
        narrowest = bitsOf(user->getResult(0));
        count = unsigned(users.size());
      }
    }
    if (count > 0)
      moveBehind(convert, ArrayRef(users).take_front(count));
  }
}

} // namespace eft
