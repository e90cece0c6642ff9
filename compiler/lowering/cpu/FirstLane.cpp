// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/cpu/FirstLane.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace eft {

namespace {

bool isElementwiseOnIntegers(Operation *op) {
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ExtSIOp, arith::ExtUIOp,
             arith::TruncIOp, arith::ShLIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op);
}

class FirstLane {
public:
  FirstLane(ImplicitLocOpBuilder &b) : b(b) {}

  Value of(Value vector) {
    Value &lane = known[vector];
    // `make` may move the map's entries, so `lane` is not valid after it.
    return lane ? lane : known[vector] = make(vector);
  }

private:
  Value make(Value vector) {
    Operation *op = vector.getDefiningOp();
    if (auto splat = dyn_cast_or_null<vector::SplatOp>(op))
      return splat.getInput();
    DenseElementsAttr constant;
    if (op && matchPattern(op, m_Constant(&constant)))
      return b.create<arith::ConstantOp>(cast<TypedAttr>(*constant.getValues<Attribute>().begin()));
    if (!op || !isElementwiseOnIntegers(op))
      return b.create<LLVM::ExtractElementOp>(vector, b.create<arith::ConstantIntOp>(0, 32));
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(of(operand));
    OperationState state(op->getLoc(), op->getName(), operands,
                         {cast<VectorType>(vector.getType()).getElementType()});
    return b.create(state)->getResult(0);
  }

  ImplicitLocOpBuilder &b;
  DenseMap<Value, Value> known;
};

} // namespace

Value firstLane(ImplicitLocOpBuilder &b, Value vector) { return FirstLane(b).of(vector); }

} // namespace eft
