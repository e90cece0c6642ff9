// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/gpu/Masks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace eft {

Value expect(ImplicitLocOpBuilder &b, Value condition, bool usual) {
  return b.create<LLVM::ExpectOp>(condition, b.create<arith::ConstantIntOp>(usual, 1));
}

Value expectSeldom(ImplicitLocOpBuilder &b, Value condition) {
  return b.create<LLVM::ExpectWithProbabilityOp>(
      condition, b.create<arith::ConstantIntOp>(false, 1), APFloat(0.999));
}

/// The most operations that are copied for a mask. Values beyond this number are used as they are.
static constexpr unsigned maxRecomputed = 32;

static Value recompute(ImplicitLocOpBuilder &b, Value value, IRMapping &copies, unsigned &made) {
  if (Value copy = copies.lookupOrNull(value))
    return copy;
  Operation *op = value.getDefiningOp();
  bool isMask = isa_and_present<arith::CmpIOp, arith::AndIOp>(op) && value.getType().isInteger(1);
  bool isIndex = isa_and_present<arith::AddIOp, arith::XOrIOp>(op) &&
                 matchPattern(op->getOperand(1), m_Constant());
  if ((!isMask && !isIndex) || made == maxRecomputed)
    return value;
  ++made;
  if (isMask)
    for (Value operand : op->getOperands())
      copies.map(operand, recompute(b, operand, copies, made));
  return b.clone(*op, copies)->getResult(0);
}

Value recompute(ImplicitLocOpBuilder &b, Value mask) {
  IRMapping copies;
  unsigned made = 0;
  return recompute(b, mask, copies, made);
}

/// The comparison that computes the mask, if it tests that an index is less than a bound; or null.
static arith::CmpIOp comparisonOf(Value mask) {
  auto compared = mask.getDefiningOp<arith::CmpIOp>();
  bool isBelow = compared && compared.getPredicate() == arith::CmpIPredicate::slt &&
                 compared.getLhs().getType().isSignlessInteger();
  return isBelow ? compared : arith::CmpIOp();
}

/// Splits an index into another index and a constant, whose sum does not overflow.
static std::pair<Value, APInt> splitIndex(Value index) {
  APInt constant;
  auto sum = index.getDefiningOp<arith::AddIOp>();
  if (sum && matchPattern(sum.getRhs(), m_ConstantInt(&constant)) &&
      bitEnumContainsAll(sum.getOverflowFlags(), arith::IntegerOverflowFlags::nsw))
    return {sum.getLhs(), constant};
  return {index, APInt::getZero(index.getType().getIntOrFloatBitWidth())};
}

Value baseOf(Value mask) {
  arith::CmpIOp compared = comparisonOf(mask);
  return compared ? splitIndex(compared.getLhs()).first : mask;
}

bool follows(Value mask, Value usual) {
  if (mask == usual)
    return true;
  arith::CmpIOp one = comparisonOf(mask), other = comparisonOf(usual);
  if (!one || !other || one.getRhs() != other.getRhs())
    return false;
  auto [base, near] = splitIndex(one.getLhs());
  auto [otherBase, far] = splitIndex(other.getLhs());
  return base == otherBase && near.sle(far);
}

} // namespace eft
