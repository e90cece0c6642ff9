// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/gpu/ElementMasks.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace eft {

namespace {

constexpr int64_t maxThreads = 1024;

/// The largest upper bound that this file works with. A number up to this bound can be subtracted
/// from any i32 ≥ 0, and two such numbers can be added, without overflow.
constexpr int64_t greatest = int64_t(1) << 30;

std::optional<int64_t> constantOf(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)) || constant.isNegative() ||
      constant.ugt(uint64_t(greatest)))
    return std::nullopt;
  return constant.getSExtValue();
}

/// The upper bounds of the numbers that have been visited; nothing for a number without a bound.
using Bounds = llvm::DenseMap<Value, std::optional<int64_t>>;

std::optional<int64_t> greatestOfThread(Value value, Bounds &known);

/// An upper bound of the result of an operation on two numbers; nothing if none is found.
std::optional<int64_t> greatestOf(Operation *op, Bounds &known) {
  if (!isa<arith::AddIOp, arith::AndIOp, arith::MulIOp, arith::OrIOp, arith::ShLIOp, arith::ShRUIOp,
           arith::XOrIOp>(op))
    return std::nullopt;
  std::optional<int64_t> left = greatestOfThread(op->getOperand(0), known);
  std::optional<int64_t> right = left ? greatestOfThread(op->getOperand(1), known) : std::nullopt;
  if (!right)
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

/// An upper bound of a number that depends on the thread alone and is never negative; nothing if
/// the number is not known to be of this kind, or may exceed `greatest`.
std::optional<int64_t> greatestOfThread(Value value, Bounds &known) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  std::optional<int64_t> bound;
  if (Operation *op = value.getDefiningOp()) {
    bound = isa<NVVM::ThreadIdXOp>(op) ? std::optional(maxThreads - 1) : constantOf(value);
    if (!bound)
      bound = greatestOf(op, known);
  }
  known[value] = bound;
  return bound;
}

} // namespace

std::optional<ElementMask> ElementMask::of(arith::CmpIOp compared) {
  Value index = compared.getLhs();
  Bounds known;
  if (compared.getPredicate() != arith::CmpIPredicate::slt || !index.getType().isInteger(32) ||
      !greatestOfThread(index, known))
    return std::nullopt;
  if (auto sum = index.getDefiningOp<arith::AddIOp>())
    if (std::optional<int64_t> offset = constantOf(sum.getRhs()))
      return ElementMask{sum.getLhs(), compared.getRhs(), *offset};
  return ElementMask{index, compared.getRhs(), 0};
}

} // namespace eft
