// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transforms/AccessRanges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace eft {

namespace {

/// The absolute values of bounds are at most 2^61, so that their difference does not overflow.
constexpr unsigned maxBits = 61;

/// A test allows numbers up to 2^54. It is below `maxBits` by enough for the multiplication by the
/// size of an element and for some additions, which then need no further test.
constexpr unsigned testedBits = 54;

/// The most minima and maxima that `bitsOf` follows from one to the next.
constexpr unsigned maxDepth = 4;

/// Returns an n for which the absolute value of the integer is at most 2^n.
unsigned bitsOf(Value value, unsigned depth = 0) {
  if (std::optional<int64_t> known = constantOf(value))
    return *known == 0 ? 0 : APInt(64, uint64_t(*known)).abs().ceilLogBase2();
  Operation *op = value.getDefiningOp();
  if (isa_and_present<arith::ExtSIOp>(op))
    return bitsOf(op->getOperand(0), depth);
  if (isa_and_present<arith::ExtUIOp>(op))
    return op->getOperand(0).getType().getIntOrFloatBitWidth();
  if (isa_and_present<arith::MinSIOp, arith::MaxSIOp>(op) && depth < maxDepth)
    return std::max(bitsOf(op->getOperand(0), depth + 1), bitsOf(op->getOperand(1), depth + 1));
  return value.getType().getIntOrFloatBitWidth() - 1;
}

/// Adds comparisons that are true for each element for which the mask is true.
void addComparisons(Value mask, SmallVectorImpl<arith::CmpIOp> &comparisons) {
  if (auto both = mask.getDefiningOp<arith::AndIOp>()) {
    addComparisons(both.getLhs(), comparisons);
    addComparisons(both.getRhs(), comparisons);
  } else if (auto broadcast = mask.getDefiningOp<BroadcastOp>()) {
    addComparisons(broadcast.getSource(), comparisons);
  } else if (auto comparison = mask.getDefiningOp<arith::CmpIOp>()) {
    comparisons.push_back(comparison);
  }
}

/// Returns the term of `unknowns` that is a multiple of `term`, which has an unknown; null if there
/// is none, or if `term` has invariants.
const LinearTerm *multipleOf(const LinearTerm &term, const LinearForm &unknowns) {
  const auto *found =
      llvm::find_if(unknowns, [&](const LinearTerm &each) { return each.unknown == term.unknown; });
  if (found == unknowns.end() || !term.invariants.empty())
    return nullptr;
  const bool overflows = term.factor == -1 && found->factor == INT64_MIN;
  return !overflows && found->factor % term.factor == 0 ? found : nullptr;
}

} // namespace

//===--- Numbers ------------------------------------------------------------------------------===//

AccessRanges::Number AccessRanges::constant(int64_t number) {
  Value value = b.create<arith::ConstantIntOp>(number, 64);
  return {value, bitsOf(value)};
}

AccessRanges::Number AccessRanges::invariant(Value value) {
  Value own = materialize(value);
  if (isa<PointerType>(own.getType()))
    return {b.create<CastPtrOp>(b.getI64Type(), own), 63};
  const unsigned bits = bitsOf(own);
  if (own.getType().isInteger(64))
    return {own, bits};
  return {b.createOrFold<arith::ExtSIOp>(b.getI64Type(), own), bits};
}

/// Returns the invariant as it is before the loop. Clones the operations that compute it there.
Value AccessRanges::materialize(Value value) {
  if (loop.isDefinedOutsideOfLoop(value))
    return value;
  if (Value own = materialized.lookupOrNull(value))
    return own;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    materialized.map(operand, materialize(operand));
  b.clone(*op, materialized);
  return materialized.lookup(value);
}

/// Returns the number, whose absolute value is at most 2^bits. If that is not known, adds a test to
/// the condition.
AccessRanges::Number AccessRanges::bounded(Number number, unsigned bits) {
  if (number.bits <= bits)
    return number;
  Value limit = b.create<arith::ConstantIntOp>(int64_t(1) << testedBits, 64);
  Value twice = b.create<arith::ConstantIntOp>(int64_t(2) << testedBits, 64);
  Value shifted = b.createOrFold<arith::AddIOp>(number.value, limit);
  require(b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ule, shifted, twice));
  return {number.value, testedBits};
}

AccessRanges::Number AccessRanges::add(Number x, Number y) {
  if (constantOf(x.value) == 0)
    return y;
  if (constantOf(y.value) == 0)
    return x;
  y = bounded(y, 62);
  x = bounded(x, y.bits == 62 ? 61 : 62); // 2^62 + 2^61 < 2^63
  Value sum = b.createOrFold<arith::AddIOp>(x.value, y.value);
  return {sum, constantOf(sum) ? bitsOf(sum) : std::max(x.bits, y.bits) + 1};
}

AccessRanges::Number AccessRanges::multiply(Number x, Number y) {
  if (constantOf(x.value) == 1)
    return y;
  if (constantOf(y.value) == 1)
    return x;
  if (constantOf(x.value) == 0 || constantOf(y.value) == 0)
    return constant(0);
  const unsigned bits = x.bits + y.bits;
  if (bits < 63) {
    Value product = b.createOrFold<arith::MulIOp>(x.value, y.value);
    return {product, constantOf(product) ? bitsOf(product) : bits};
  }
  auto product = b.create<arith::MulSIExtendedOp>(x.value, y.value);
  Value sign = b.create<arith::ShRSIOp>(product.getLow(), constant(63).value);
  require(b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, product.getHigh(), sign));
  return bounded({product.getLow(), 63}, testedBits);
}

AccessRanges::Number AccessRanges::least(Number x, Number y) {
  return {b.createOrFold<arith::MinSIOp>(x.value, y.value), std::max(x.bits, y.bits)};
}

AccessRanges::Number AccessRanges::most(Number x, Number y) {
  return {b.createOrFold<arith::MaxSIOp>(x.value, y.value), std::max(x.bits, y.bits)};
}

void AccessRanges::require(Value isTrue) {
  if (constantOf(isTrue) && *constantOf(isTrue) != 0)
    return;
  all = all ? b.createOrFold<arith::AndIOp>(all, isTrue) : isTrue;
}

//===--- Bounds -------------------------------------------------------------------------------===//

AccessRanges::Bounds AccessRanges::add(Bounds x, Bounds y) {
  return {add(x.least, y.least), add(x.most, y.most)};
}

AccessRanges::Bounds AccessRanges::scale(Bounds bounds, Number factor) {
  const Number first = multiply(bounds.least, factor), last = multiply(bounds.most, factor);
  if (std::optional<int64_t> known = constantOf(factor.value))
    return *known >= 0 ? Bounds{first, last} : Bounds{last, first};
  return {least(first, last), most(first, last)};
}

/// Multiplies the bounds by the term's factor and invariants. The factor comes last: addresses and
/// the numbers from which they are computed often differ by the factor only, so they share the
/// rest.
AccessRanges::Bounds AccessRanges::scale(Bounds bounds, const LinearTerm &term) {
  Number invariants = constant(1);
  for (Value value : term.invariants)
    invariants = multiply(invariant(value), invariants);
  return scale(scale(bounds, invariants), constant(term.factor));
}

AccessRanges::Bounds AccessRanges::boundsOf(const LinearForm &form) {
  Bounds sum = {constant(0), constant(0)};
  const Bounds one = {constant(1), constant(1)};
  for (const LinearTerm &term : form)
    sum = add(sum, scale(term.unknown ? boundsOfUnknown(term.unknown) : one, term));
  return sum;
}

AccessRanges::Bounds AccessRanges::boundsOf(Value value) { return boundsOf(*forms.of(value)); }

AccessRanges::Bounds AccessRanges::boundsOfUnknown(Value unknown) {
  auto found = ofUnknowns.find(unknown);
  if (found != ofUnknowns.end())
    return found->second;
  Bounds bounds;
  if (unknown == loop.getInductionVar()) {
    const Number first = invariant(loop.getLowerBound()), end = invariant(loop.getUpperBound());
    bounds = {first, add(end, constant(-1))};
  } else {
    bounds = boundsOfOperation(unknown.getDefiningOp());
  }
  return ofUnknowns[unknown] = bounds;
}

/// Returns the bounds of the result of an operation that `LinearForms` treats as an unknown.
AccessRanges::Bounds AccessRanges::boundsOfOperation(Operation *op) {
  if (auto arange = dyn_cast<ArangeOp>(op))
    return {constant(int32_t(arange.getStart())), constant(int64_t(int32_t(arange.getEnd())) - 1)};
  const Bounds first = boundsOf(op->getOperand(0));
  if (isa<ExpandDimsOp>(op))
    return first;
  if (isa<arith::DivSIOp, arith::RemSIOp>(op)) {
    const int64_t divisor = *constantOf(op->getOperand(1));
    if (isa<arith::RemSIOp>(op))
      return {constant(1 - divisor), constant(divisor - 1)};
    auto quotient = [&](Number number) -> Number {
      return {b.createOrFold<arith::DivSIOp>(number.value, constant(divisor).value), number.bits};
    };
    return {quotient(first.least), quotient(first.most)};
  }
  const Bounds second = boundsOf(op->getOperand(1));
  if (isa<arith::MinSIOp>(op))
    return {least(first.least, second.least), least(first.most, second.most)};
  return {most(first.least, second.least), most(first.most, second.most)};
}

//===--- Accesses -----------------------------------------------------------------------------===//

/// The comparison gives an upper bound for a number, the left operand. If `unknowns` contains the
/// unknown part of this number times some factor, removes these terms from `unknowns` and returns
/// the bounds of their sum. Otherwise returns nothing.
std::optional<AccessRanges::Bounds> AccessRanges::takeBelow(LinearForm &unknowns,
                                                            arith::CmpIOp comparison) {
  const bool isUnsigned = comparison.getPredicate() == arith::CmpIPredicate::ult;
  std::optional<LinearForm> number = forms.of(comparison.getLhs());
  std::optional<LinearForm> end = forms.of(comparison.getRhs());
  if ((!isUnsigned && comparison.getPredicate() != arith::CmpIPredicate::slt) || !number || !end ||
      !unknownPart(*end).empty())
    return std::nullopt;
  const LinearForm counted = unknownPart(*number);
  const LinearTerm *first = counted.empty() ? nullptr : multipleOf(counted.front(), unknowns);
  if (!first)
    return std::nullopt;
  const LinearTerm scaled = {first->factor / counted.front().factor, first->invariants, {}};
  LinearForm rest = unknowns;
  for (const LinearTerm &term : counted) {
    const auto *same = llvm::find_if(rest, [&](const LinearTerm &each) {
      return term.invariants.empty() && each.unknown == term.unknown &&
             each.invariants == scaled.invariants &&
             uint64_t(each.factor) == uint64_t(term.factor) * uint64_t(scaled.factor);
    });
    if (same == rest.end())
      return std::nullopt;
    rest.erase(same);
  }
  unknowns = rest;
  forms.ofExact(comparison.getLhs());
  forms.ofExact(comparison.getRhs());
  Bounds bounds = boundsOf(counted);
  const Bounds offset = boundsOf(invariantPart(*number)), ends = boundsOf(*end);
  const Number minus = constant(-1);
  const Number base = multiply(offset.least, minus); // of the number without its invariant part
  bounds.most = least(bounds.most, add(add(ends.least, base), minus));
  if (isUnsigned) {
    require(b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sge, ends.least.value,
                                          constant(0).value));
    bounds.least = most(bounds.least, base);
  }
  return scale(bounds, scaled);
}

/// Removes the terms that the mask bounds from `unknowns`, and returns the bounds of their sum.
AccessRanges::Bounds AccessRanges::takeMasked(LinearForm &unknowns, Value mask) {
  Bounds sum = {constant(0), constant(0)};
  SmallVector<arith::CmpIOp> comparisons;
  if (mask)
    addComparisons(mask, comparisons);
  for (arith::CmpIOp comparison : comparisons)
    if (std::optional<Bounds> bounds = takeBelow(unknowns, comparison))
      sum = add(sum, *bounds);
  return sum;
}

ByteRange AccessRanges::of(Value pointer, Value mask) {
  const LinearForm form = *forms.of(pointer);
  LinearForm unknowns = unknownPart(form);
  Bounds bounds = takeMasked(unknowns, mask);
  bounds = add(bounds, boundsOf(unknowns));
  bounds = {bounded(bounds.least, maxBits), bounded(bounds.most, maxBits)};
  // The sum of the other terms may wrap around, as addresses do.
  Value first = bounds.least.value;
  for (const LinearTerm &term : invariantPart(form)) {
    Value product = constant(term.factor).value;
    for (Value value : term.invariants)
      product = b.createOrFold<arith::MulIOp>(invariant(value).value, product);
    first = b.createOrFold<arith::AddIOp>(first, product);
  }
  Value distance = b.createOrFold<arith::SubIOp>(bounds.most.value, bounds.least.value);
  Value size =
      b.createOrFold<arith::AddIOp>(distance, constant(bytesOfPointee(pointer.getType())).value);
  // If the last address comes before the first one, the mask is false for all elements.
  return {first, b.createOrFold<arith::MaxSIOp>(size, constant(0).value)};
}

Value AccessRanges::areApart(const ByteRange &x, const ByteRange &y) {
  auto isBehind = [&](const ByteRange &from, const ByteRange &to) -> Value {
    Value distance = b.createOrFold<arith::SubIOp>(to.first, from.first);
    return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::uge, distance, from.size);
  };
  return b.createOrFold<arith::AndIOp>(isBehind(x, y), isBehind(y, x));
}

Value AccessRanges::condition() {
  for (; numPremises < forms.premises().size(); ++numPremises) {
    Value number = forms.premises()[numPremises];
    const std::optional<LinearForm> form = forms.of(number);
    if (!form) { // it is not known whether the number wraps around
      require(b.create<arith::ConstantIntOp>(0, 1));
      continue;
    }
    const Bounds bounds = boundsOf(*form);
    if (!getElementTypeOrSelf(number.getType()).isInteger(32))
      continue; // the bounds have 64 bits themselves
    require(b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sge, bounds.least.value,
                                          constant(INT32_MIN).value));
    require(b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sle, bounds.most.value,
                                          constant(INT32_MAX).value));
  }
  return all ? all : b.create<arith::ConstantIntOp>(1, 1);
}

} // namespace eft
