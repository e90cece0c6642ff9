// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transforms/PlainBlocks.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace eft {

namespace {

/// The length of the longest chain of operations that is followed.
constexpr unsigned maxDepth = 32;

Value constantLike(OpBuilder &b, Value number, int64_t value) {
  return b.create<arith::ConstantOp>(number.getLoc(), b.getIntegerAttr(number.getType(), value));
}

bool isSignedRemainder(Operation *op) { return isa<arith::RemSIOp>(op); }

/// For `select(_, x, x % d)`, the form in which ExpandIntegerCorners.cpp keeps x for d = 0, returns
/// the operation x % d; else null.
Operation *guardedRemainder(arith::SelectOp select) {
  Operation *remainder = select.getFalseValue().getDefiningOp();
  return isa_and_present<arith::RemSIOp, arith::RemUIOp>(remainder) &&
                 remainder->getOperand(0) == select.getTrueValue()
             ? remainder
             : nullptr;
}

/// True if the mask is known to be true only where the dividend is the least number of its type.
bool isOfLeastNumber(Value mask, Value dividend) {
  auto both = mask.getDefiningOp<arith::AndIOp>();
  return both && llvm::any_of(both->getOperands(), [&](Value part) {
           auto compare = part.getDefiningOp<arith::CmpIOp>();
           APInt number;
           return compare && compare.getPredicate() == CmpIPredicate::eq &&
                  compare.getLhs() == dividend &&
                  matchPattern(compare.getRhs(), m_ConstantInt(&number)) &&
                  number.isMinSignedValue();
         });
}

/// The divisor that applies to every dividend ≥ 0. ExpandIntegerCorners.cpp replaces a divisor of
/// -1 for the least dividend; this function looks through the replacement.
Value divisorOf(Operation *remainder) {
  Value dividend = remainder->getOperand(0), divisor = remainder->getOperand(1);
  auto select = divisor.getDefiningOp<arith::SelectOp>();
  const bool isGuarded =
      select && isSignedRemainder(remainder) && isOfLeastNumber(select.getCondition(), dividend);
  return isGuarded ? select.getFalseValue() : divisor;
}

} // namespace

//===--- What is required ---------------------------------------------------------------------===//

bool PlainBlocks::isUniform(Value block) const {
  return growthOf(block) == 0 && hasScalarOrigin(block);
}

/// The last element minus the first, if the elements are consecutive numbers along at most one
/// dimension and constant along all others. Otherwise nothing.
std::optional<int64_t> PlainBlocks::growthOf(Value block) const {
  auto type = dyn_cast<RankedTensorType>(block.getType());
  const AxisInfo info = infos.of(block);
  if (!type || !info.isReached() || !type.getElementType().isSignlessInteger())
    return std::nullopt;
  int64_t growth = 0;
  for (unsigned dim = 0; dim < info.rank() && dim < unsigned(type.getRank()); ++dim) {
    const int64_t extent = type.getDimSize(dim);
    if (info.constancy(dim) >= extent)
      continue;
    if (growth != 0 || info.contiguity(dim) < extent)
      return std::nullopt;
    growth = extent - 1;
  }
  // With this bound on the growth, consecutive numbers that wrap around end below the first one. So
  // one comparison of the last number with the first detects the wraparound.
  const unsigned width = type.getElementTypeBitWidth();
  return growth == 0 || (width <= 64 && llvm::isUIntN(width - 1, growth)) ? std::optional(growth)
                                                                          : std::nullopt;
}

LogicalResult PlainBlocks::collect(arith::CmpIOp compare) {
  std::optional<Below> below = matchBelow(compare);
  if (!below || growthOf(below->bound) != 0 || !hasScalarOrigin(below->linear) ||
      !hasScalarOrigin(below->bound))
    return failure();
  std::optional<int64_t> growth = growthOf(below->linear);
  if (!growth)
    return failure();
  comparisons.push_back({*below, *growth});
  return success();
}

LogicalResult PlainBlocks::collect(Value mask, unsigned depth) {
  if (!getElementTypeOrSelf(mask).isInteger(1)) // the index operand of an element move
    return failure();
  if (isUniform(mask)) {
    uniforms.push_back(mask);
    return success();
  }
  Operation *op = mask.getDefiningOp();
  if (!op || depth > maxDepth)
    return failure();
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return collect(compare);
  // An element move only reorders or repeats elements, so it is enough that its operands are all
  // true.
  if (!isa<arith::AndIOp, ElementMoveOpInterface>(op))
    return failure();
  return success(llvm::all_of(
      op->getOperands(), [&](Value operand) { return succeeded(collect(operand, depth + 1)); }));
}

LogicalResult PlainBlocks::require(Value mask) {
  const size_t before = uniforms.size(), comparisonsBefore = comparisons.size();
  if (succeeded(collect(mask, 0)))
    return success();
  uniforms.truncate(before);
  comparisons.truncate(comparisonsBefore);
  return failure();
}

bool PlainBlocks::isPlainable(Operation *op) const {
  Value dividend = op->getOperand(0);
  return growthOf(dividend).value_or(0) != 0 && isUniform(divisorOf(op)) &&
         hasScalarOrigin(dividend);
}

bool PlainBlocks::collectRemainders(Value value, unsigned depth) {
  Operation *op = value.getDefiningOp();
  if (!op || !isa<RankedTensorType>(value.getType()) || depth > maxDepth)
    return false;
  if (auto known = hasRemainder.find(value); known != hasRemainder.end())
    return known->second;
  bool found = false;
  if (isa<arith::RemSIOp, arith::RemUIOp>(op)) {
    found = isPlainable(op);
    if (found)
      remainders.insert(op);
  } else if (isMemoryEffectFree(op) && op->getNumRegions() == 0) {
    for (Value operand : op->getOperands())
      found |= collectRemainders(operand, depth + 1);
    auto select = dyn_cast<arith::SelectOp>(op);
    Operation *guarded = select && found ? guardedRemainder(select) : nullptr;
    if (guarded && remainders.contains(guarded) && isUniform(select.getCondition()))
      excluded.push_back(select.getCondition());
  }
  hasRemainder[value] = found;
  return found;
}

bool PlainBlocks::requireRemainders(Value block) { return collectRemainders(block, 0); }

//===--- What holds then ----------------------------------------------------------------------===//

/// The greatest power of two that is known to divide the first element of the remainder.
int64_t PlainBlocks::divisibilityOfRest(Operation *op) const {
  const AxisInfo dividend = infos.of(op->getOperand(0));
  int64_t common = infos.of(divisorOf(op)).divisibilityOfAll();
  for (unsigned dim = 0; dim < dividend.rank(); ++dim)
    common = std::min(common, dividend.divisibility(dim));
  return common;
}

static Value withDivisibility(OpBuilder &b, Value number, int64_t divisibility) {
  if (divisibility == 1)
    return number;
  return b.create<HintOp>(number.getLoc(), number.getType(), number, nullptr,
                          b.getDenseI64ArrayAttr({divisibility}), nullptr);
}

Value PlainBlocks::emitCondition(OpBuilder &b, Location loc) {
  Value all;
  auto add = [&](Value condition) {
    all = all ? b.create<arith::AndIOp>(loc, all, condition).getResult() : condition;
  };
  auto compare = [&](CmpIPredicate predicate, Value left, Value right) {
    add(b.create<arith::CmpIOp>(loc, predicate, left, right));
  };
  /// Emits the last of `growth` + 1 consecutive elements from `first` on. Adds to the condition
  /// that they do not wrap around.
  auto lastOf = [&](Value first, int64_t growth, bool isSigned) {
    if (growth == 0)
      return first;
    Value last = b.create<arith::AddIOp>(loc, first, constantLike(b, first, growth));
    compare(isSigned ? CmpIPredicate::sge : CmpIPredicate::uge, last, first);
    return last;
  };
  for (Value uniform : uniforms)
    add(materializeOrigin(b, uniform));
  for (Value uniform : excluded) {
    Value condition = materializeOrigin(b, uniform);
    compare(CmpIPredicate::eq, condition, constantLike(b, condition, 0));
  }
  for (const auto &[below, growth] : comparisons) {
    Value last = lastOf(materializeOrigin(b, below.linear), growth, below.isSigned());
    compare(below.predicate, last, materializeOrigin(b, below.bound));
  }
  for (Operation *op : remainders) {
    const bool isSigned = isSignedRemainder(op);
    const int64_t growth = *growthOf(op->getOperand(0));
    Value first = materializeOrigin(b, op->getOperand(0)),
          divisor = materializeOrigin(b, divisorOf(op));
    // A divisor below 1 makes the condition false. It is replaced by 1 here, since a processor may
    // not be able to divide by it.
    Value one = constantLike(b, divisor, 1);
    Value rest =
        isSigned ? b.create<arith::RemSIOp>(loc, first, b.create<arith::MaxSIOp>(loc, divisor, one))
                       .getResult()
                 : b.create<arith::RemUIOp>(loc, first, b.create<arith::MaxUIOp>(loc, divisor, one))
                       .getResult();
    rests[op] = withDivisibility(b, rest, divisibilityOfRest(op));
    lastOf(first, growth, isSigned);
    Value zero = constantLike(b, first, 0), extent = constantLike(b, first, growth + 1);
    if (isSigned) {
      compare(CmpIPredicate::sge, first, zero);
      compare(CmpIPredicate::sgt, divisor, zero);
    } else {
      compare(CmpIPredicate::uge, divisor, extent);
    }
    Value bound = b.create<arith::SubIOp>(loc, divisor, extent);
    compare(isSigned ? CmpIPredicate::sle : CmpIPredicate::ule, rest, bound);
  }
  return all ? all : b.create<arith::ConstantIntOp>(loc, 1, 1).getResult();
}

/// The dividend plus a uniform value: the sum's first element is `rest`.
static Value plainRemainder(OpBuilder &b, Operation *op, Value rest) {
  Value dividend = op->getOperand(0);
  Value first = materializeOrigin(b, dividend);
  Value distance = b.create<arith::SubIOp>(op->getLoc(), rest, first);
  Value distances = b.create<SplatOp>(op->getLoc(), dividend.getType(), distance);
  return b.create<arith::AddIOp>(op->getLoc(), dividend, distances);
}

Value PlainBlocks::makePlain(OpBuilder &b, Value value) {
  if (!hasRemainder.lookup(value))
    return value;
  if (Value made = plain.lookupOrNull(value))
    return made;
  Operation *op = value.getDefiningOp();
  Value result;
  if (remainders.contains(op)) {
    result = plainRemainder(b, op, rests.lookup(op));
  } else if (auto select = dyn_cast<arith::SelectOp>(op);
             select && llvm::is_contained(excluded, select.getCondition())) {
    result = makePlain(b, select.getFalseValue());
  } else {
    IRMapping operands;
    for (Value operand : op->getOperands())
      operands.map(operand, makePlain(b, operand));
    result = b.clone(*op, operands)->getResult(cast<OpResult>(value).getResultNumber());
  }
  plain.map(value, result);
  return result;
}

Value PlainBlocks::emitPlain(OpBuilder &b, Value block) { return makePlain(b, block); }

} // namespace eft
