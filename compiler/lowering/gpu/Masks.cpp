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

/// A mask that takes more operations than these is used as it is.
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

/// The constant that an index adds to `base`, without overflow; zero if it is that.
static std::optional<APInt> distance(Value index, Value base) {
  auto sum = index.getDefiningOp<arith::AddIOp>();
  APInt constant;
  if (sum && sum.getLhs() == base && matchPattern(sum.getRhs(), m_ConstantInt(&constant)) &&
      bitEnumContainsAll(sum.getOverflowFlags(), arith::IntegerOverflowFlags::nsw))
    return constant;
  return index == base ? std::optional(APInt(index.getType().getIntOrFloatBitWidth(), 0))
                       : std::nullopt;
}

bool follows(Value mask, Value usual) {
  if (mask == usual)
    return true;
  auto one = mask.getDefiningOp<arith::CmpIOp>(), other = usual.getDefiningOp<arith::CmpIOp>();
  if (!one || !other || one.getPredicate() != arith::CmpIPredicate::slt ||
      other.getPredicate() != one.getPredicate() || one.getRhs() != other.getRhs())
    return false;
  auto sum = other.getLhs().getDefiningOp<arith::AddIOp>();
  Value base = sum ? sum.getLhs() : other.getLhs();
  std::optional<APInt> near = distance(one.getLhs(), base), far = distance(other.getLhs(), base);
  return near && far && near->sle(*far);
}

} // namespace eft
