// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules by which upper bounds of operations' results follow from those of their operands. Sums
// and products can wrap around, so few of them are known to be non-negative.
#include "compiler/analysis/AxisRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace eft;

namespace {

using Infos = ArrayRef<AxisInfo>;

/// True if the product is the variable of a loop `range(0, n, step)`. Such a loop counts from 0 up
/// to n > 0 ? (n − 1) / step + 1 : 0. So while it runs, counter · step ≤ n − 1.
bool isVariableOfRange(arith::MulIOp product) {
  auto counter = dyn_cast<BlockArgument>(product.getLhs());
  auto loop = counter ? dyn_cast<scf::ForOp>(counter.getOwner()->getParentOp()) : scf::ForOp();
  APInt step, divisor;
  if (!loop || counter != loop.getInductionVar() || !matchPattern(loop.getLowerBound(), m_Zero()) ||
      !matchPattern(loop.getStep(), m_One()) ||
      !matchPattern(product.getRhs(), m_ConstantInt(&step)) || !step.isStrictlyPositive())
    return false;
  auto number = loop.getUpperBound().getDefiningOp<arith::SelectOp>();
  if (!number || !matchPattern(number.getFalseValue(), m_Zero()))
    return false;
  auto condition = number.getCondition().getDefiningOp<arith::CmpIOp>();
  auto more = number.getTrueValue().getDefiningOp<arith::AddIOp>();
  auto quotient = more ? more.getLhs().getDefiningOp<arith::DivUIOp>() : arith::DivUIOp();
  auto last = quotient ? quotient.getLhs().getDefiningOp<arith::SubIOp>() : arith::SubIOp();
  return condition && last && matchPattern(more.getRhs(), m_One()) &&
         matchPattern(quotient.getRhs(), m_ConstantInt(&divisor)) && divisor == step &&
         matchPattern(last.getRhs(), m_One()) &&
         condition.getPredicate() == arith::CmpIPredicate::sgt &&
         condition.getLhs() == last.getLhs() && matchPattern(condition.getRhs(), m_Zero());
}

/// True if one operand is a range from 0 or above that ends at or before the power of two that
/// divides the other, so that the sum sets bits of the other that are zero.
bool addsRangeToMultiple(arith::AddIOp sum, Infos operands) {
  auto fits = [](Value value, const AxisInfo &other) {
    auto range = value.getDefiningOp<ArangeOp>();
    return range && int32_t(range.getStart()) >= 0 &&
           int64_t(range.getEnd()) <= other.divisibilityOfAll();
  };
  return fits(sum.getRhs(), operands[0]) || fits(sum.getLhs(), operands[1]);
}

/// The largest number of a type, read as signed.
int64_t mostOf(Type type) {
  const unsigned width = std::min(widthOf(type), 64u);
  return static_cast<int64_t>(~uint64_t(0) >> 1 >> (64 - width));
}

/// Returns the bound, if numbers up to it fit into a type; otherwise nothing. `op` computes them.
std::optional<UpperBound> fitting(Operation *op, Type type, const UpperBound &bound) {
  const std::optional<int64_t> most = bound.at(maxProgramsAt(op));
  return most && *most <= mostOf(type) ? std::optional(bound) : std::nullopt;
}

/// The smaller one of the bounds of two numbers, for a number that is at most as large as either.
std::optional<UpperBound> smaller(Operation *op, const std::optional<UpperBound> &left,
                                  const std::optional<UpperBound> &right) {
  if (!left || !right)
    return left ? left : right;
  const MaxPrograms programs = maxProgramsAt(op);
  auto most = [&](const UpperBound &bound) { return bound.at(programs).value_or(INT64_MAX); };
  return most(*left) <= most(*right) ? left : right;
}

/// The bound of a number after extension to a wider type.
std::optional<UpperBound> boundOfWidened(Operation *op, const std::optional<UpperBound> &bound) {
  Type narrow = op->getOperand(0).getType();
  if (bound && !bound->isNone())
    return bound;
  if (bound)
    return UpperBound{{}, mostOf(narrow)};
  if (isa<arith::ExtSIOp, arith::IndexCastOp>(op))
    return std::nullopt;
  return widthOf(narrow) < 63 ? UpperBound{{}, mostOf(narrow) * 2 + 1} : UpperBound::none();
}

/// The bound of a remainder by a divisor, which may be negative if it is not known.
std::optional<UpperBound> boundOfRemainder(Operation *op, Infos operands) {
  const int64_t divisor = operands[1].getConstant().value_or(0);
  std::optional<UpperBound> rest;
  if (divisor > 0)
    rest = UpperBound{{}, divisor - 1};
  if (operands[0].isNonNegative())
    return smaller(op, operands[0].getBound(), rest);
  return isa<arith::RemUIOp>(op) ? rest : std::nullopt;
}

std::optional<UpperBound> boundOfSum(arith::AddIOp sum, Infos operands) {
  const std::optional<UpperBound> &x = operands[0].getBound(), &y = operands[1].getBound();
  if (!x || !y)
    return std::nullopt;
  if (auto bound = fitting(sum, sum.getType(), *x + *y))
    return bound;
  return addsRangeToMultiple(sum, operands) ? std::optional(UpperBound::none()) : std::nullopt;
}

std::optional<UpperBound> boundOfProduct(arith::MulIOp product, Infos operands) {
  if (isVariableOfRange(product))
    return UpperBound::none();
  const std::optional<UpperBound> &x = operands[0].getBound(), &y = operands[1].getBound();
  if (!x || !y || x->isNone() || y->isNone() || (x->dependsOnPrograms() && y->dependsOnPrograms()))
    return std::nullopt;
  const bool isRightFixed = !y->dependsOnPrograms();
  return fitting(product, product.getType(), isRightFixed ? *x * y->rest : *y * x->rest);
}

} // namespace

std::optional<UpperBound> eft::boundOfResult(OpResult result, Infos operands) {
  Operation *op = result.getOwner();
  Type type = result.getType();
  using Bound = std::optional<UpperBound>;
  auto of = [&](unsigned i) -> const Bound & { return operands[i].getBound(); };
  const bool grows = !operands.empty() && widthOf(type) > widthOf(op->getOperand(0).getType());
  auto larger = [&](unsigned i, unsigned j) {
    return of(i) && of(j) ? Bound(maximum(*of(i), *of(j))) : std::nullopt;
  };
  return TypeSwitch<Operation *, Bound>(op)
      .Case([](ProgramIdOp id) {
        UpperBound bound{{}, -1};
        bound.perProgram[unsigned(id.getAxis())] = 1;
        return bound;
      })
      .Case([](NumProgramsOp number) {
        UpperBound bound;
        bound.perProgram[unsigned(number.getAxis())] = 1;
        return bound;
      })
      .Case([](ArangeOp range) {
        return int32_t(range.getStart()) >= 0
                   ? Bound(UpperBound{{}, int64_t(uint32_t(range.getEnd())) - 1})
                   : std::nullopt;
      })
      .Case<SplatOp, ExpandDimsOp, BroadcastOp, HintOp, OfFirstThreadOp, arith::ShRSIOp>(
          [&](auto) { return of(0); })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) { return boundOfRemainder(op, operands); })
      .Case<arith::OrIOp, arith::XOrIOp>(
          [&](auto) { return of(0) && of(1) ? Bound(UpperBound::none()) : std::nullopt; })
      .Case<arith::MaxUIOp>([&](auto) { return larger(0, 1); })
      .Case<arith::MinSIOp>(
          [&](auto) { return of(0) && of(1) ? smaller(op, of(0), of(1)) : std::nullopt; })
      .Case<arith::AndIOp, arith::MinUIOp>([&](auto) { return smaller(op, of(0), of(1)); })
      .Case<arith::MaxSIOp>([&](auto) {
        return of(0) && of(1)   ? larger(0, 1)
               : of(0) || of(1) ? Bound(UpperBound::none())
                                : std::nullopt;
      })
      .Case([&](arith::AddIOp sum) { return boundOfSum(sum, operands); })
      .Case([&](arith::MulIOp product) { return boundOfProduct(product, operands); })
      .Case<arith::SelectOp>([&](auto) { return larger(1, 2); })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::IndexCastOp>(
          [&](auto) { return grows ? boundOfWidened(op, of(0)) : std::nullopt; })
      .Case<arith::DivSIOp, arith::DivUIOp>([&](auto) {
        const int64_t divisor = operands[1].getConstant().value_or(0);
        return of(0) && divisor > 0 ? Bound(*of(0) / divisor) : std::nullopt;
      })
      .Case<arith::ShRUIOp>([&](auto) {
        const int64_t amount = operands[1].getConstant().value_or(0);
        return of(0)                                  ? of(0)
               : amount > 0 && amount < widthOf(type) ? Bound(UpperBound::none())
                                                      : std::nullopt;
      })
      .Default([](Operation *) { return std::nullopt; });
}
