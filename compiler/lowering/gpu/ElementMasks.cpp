// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/gpu/ElementMasks.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace eft {

namespace {

constexpr int64_t maxThreads = 1024;

/// Numbers up to this one can be subtracted from any i32 ≥ 0, and added to each other.
constexpr int64_t greatest = int64_t(1) << 30;

std::optional<int64_t> constantOf(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)) || constant.isNegative() ||
      constant.getSignificantBits() > 32)
    return std::nullopt;
  return constant.getSExtValue();
}

/// A bound of a number that follows from the thread alone, and that is never below zero; nothing if
/// it is no such number, or may be too great.
std::optional<int64_t> greatestOfThread(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || isa<NVVM::ThreadIdXOp>(op))
    return op ? std::optional(maxThreads - 1) : std::nullopt;
  if (std::optional<int64_t> constant = constantOf(value))
    return constant;
  if (!isa<arith::AddIOp, arith::AndIOp, arith::MulIOp, arith::OrIOp, arith::ShLIOp, arith::ShRUIOp,
           arith::XOrIOp>(op))
    return std::nullopt;
  std::optional<int64_t> left = greatestOfThread(op->getOperand(0));
  std::optional<int64_t> right = greatestOfThread(op->getOperand(1));
  if (!left || !right)
    return std::nullopt;
  int64_t found = *left;
  if (isa<arith::AndIOp>(op))
    found = std::min(*left, *right);
  else if (isa<arith::MulIOp>(op))
    found = *left * *right; // both are at most 2³⁰
  else if (isa<arith::AddIOp>(op))
    found = *left + *right;
  else if (isa<arith::OrIOp, arith::XOrIOp>(op))
    found = int64_t(llvm::NextPowerOf2(uint64_t(*left | *right))) - 1;
  else if (isa<arith::ShLIOp>(op))
    found = *right < 31 ? *left << *right : greatest + 1;
  return found <= greatest ? std::optional(found) : std::nullopt;
}

} // namespace

std::optional<ElementMask> ElementMask::of(arith::CmpIOp compared) {
  Value index = compared.getLhs();
  if (compared.getPredicate() != arith::CmpIPredicate::slt || !index.getType().isInteger(32) ||
      !greatestOfThread(index))
    return std::nullopt;
  if (auto sum = index.getDefiningOp<arith::AddIOp>())
    if (std::optional<int64_t> offset = constantOf(sum.getRhs()))
      return ElementMask{sum.getLhs(), compared.getRhs(), *offset};
  return ElementMask{index, compared.getRhs(), 0};
}

} // namespace eft
