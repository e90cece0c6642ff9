// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Division by a uniform divisor, correctly rounded, for the price of a multiplication and two FMAs.
//
// With r = RN(1/d), q = RN(x·r), the remainder e = x − q·d is exact in an FMA, and RN(q + e·r) is
// the correctly rounded quotient (Brisebarre, Muller, Raina, "Accelerating correctly rounded
// floating-point division when the divisor is known in advance", IEEE Transactions on Computers
// 53(8), 2004), as long as nothing overflows or loses bits to the denormals. It is so when d lies
// in [2^-k, 2^k] and x is zero or |x| lies in [2^-m, 2^m] for the k and m below: then r, q and the
// result are normal, and e, a multiple of ulp(q)·ulp(d) ≥ 2^(-m-k-2p), is representable. An x that
// is NaN gives NaN.
//
// The remainder is computed as q·d − x, and negated in the second FMA, so that a zero keeps its
// sign: x = −0 gives q = −0, q·d − x = −0 + 0 = +0, and (+0)·(−r) + q = −0.
//
// A thread in which some x lies outside divides all of its elements the long way.
#include "compiler/lowering/gpu/GpuLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace eft {

namespace {

/// Exponents k and m of the ranges above.
struct SafeRange {
  int divisor, dividend;
};

SafeRange safeRange(Type element) {
  // f32: -m - k - 2·24 ≥ -149, m + k ≤ 126. f64: -m - k - 2·53 ≥ -1074, m + k ≤ 1022.
  return element.isF32() ? SafeRange{30, 70} : SafeRange{300, 600};
}

class UniformDivision {
public:
  UniformDivision(ImplicitLocOpBuilder &b, Value divisor, Value reciprocal)
      : b(b), divisor(divisor), reciprocal(reciprocal), element(cast<FloatType>(divisor.getType())),
        bits(b.getIntegerType(element.getWidth())) {
    negated = b.create<arith::NegFOp>(reciprocal);
  }

  /// Whether the divisor and all dividends lie in their ranges.
  Value isSafe(ArrayRef<Value> dividends) {
    auto [k, m] = safeRange(element);
    Value result = b.create<arith::AndIOp>(compare(arith::CmpFPredicate::OGE, divisor, power(-k)),
                                           compare(arith::CmpFPredicate::OLE, divisor, power(k)));
    Value greatest = magnitude(dividends.front()), least = rankAboveZero(dividends.front());
    for (Value x : dividends.drop_front()) {
      greatest = b.create<arith::MaxNumFOp>(greatest, magnitude(x));
      least = b.create<arith::MinUIOp>(least, rankAboveZero(x));
    }
    Value isLow = compare(arith::CmpFPredicate::ULE, greatest, power(m));
    Value isHigh =
        b.create<arith::CmpIOp>(arith::CmpIPredicate::uge, least, rankAboveZero(power(-m)));
    return b.create<arith::AndIOp>(result, b.create<arith::AndIOp>(isLow, isHigh));
  }

  Value divide(Value x) {
    Value quotient = b.create<arith::MulFOp>(x, reciprocal);
    Value remainder = b.create<math::FmaOp>(quotient, divisor, b.create<arith::NegFOp>(x));
    return b.create<math::FmaOp>(remainder, negated, quotient);
  }

private:
  /// A number without sign that grows with |x|, but is the greatest for zero: the bits, the sign
  /// shifted out, less 1.
  Value rankAboveZero(Value x) {
    Value pattern = b.create<arith::BitcastOp>(bits, x);
    Value twice = b.create<arith::AddIOp>(pattern, pattern);
    Value one = b.create<arith::ConstantIntOp>(1, bits.getWidth());
    return b.create<arith::SubIOp>(twice, one);
  }
  Value magnitude(Value x) { return b.create<math::AbsFOp>(x); }
  Value power(int exponent) {
    return b.create<arith::ConstantOp>(b.getFloatAttr(element, std::ldexp(1.0, exponent)));
  }
  Value compare(arith::CmpFPredicate predicate, Value a, Value c) {
    return b.create<arith::CmpFOp>(predicate, a, c);
  }

  ImplicitLocOpBuilder &b;
  Value divisor, reciprocal, negated;
  FloatType element;
  IntegerType bits;
};

void lowerUniformDiv(GpuLowering &lowering, ImplicitLocOpBuilder &b, UniformDivOp op) {
  FragmentLowering::Fragments dividends(lowering.fragmentsOf(op.getDividend()));
  UniformDivision division(b, lowering.scalarOf(op.getDivisor()),
                           lowering.scalarOf(op.getReciprocal()));
  SmallVector<Type> types(dividends.size(), dividends.front().getType());
  auto choice = b.create<scf::IfOp>(types, division.isSafe(dividends), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  FragmentLowering::Fragments results;
  b.setInsertionPointToStart(choice.thenBlock());
  for (Value x : dividends)
    results.push_back(division.divide(x));
  b.create<scf::YieldOp>(results);
  results.clear();
  b.setInsertionPointToStart(choice.elseBlock());
  for (Value x : dividends)
    results.push_back(b.create<arith::DivFOp>(x, lowering.scalarOf(op.getDivisor())));
  b.create<scf::YieldOp>(results);
  lowering.setFragments(op, FragmentLowering::Fragments(choice.getResults()));
}

} // namespace

void populateGpuDivisionLowerings(LoweringTable &table) { table.add(lowerUniformDiv); }

} // namespace eft
