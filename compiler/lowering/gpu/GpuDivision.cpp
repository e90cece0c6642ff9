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
//
// If d is a power of two, r is exact, and x·r rounded once is the quotient of every x, be it
// infinite or denormal. As d is the same for all threads, so is the choice.
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

  /// Whether the divisor is a power of two whose reciprocal is a normal number, too: sign and
  /// mantissa are zero, and the exponent's bits are those of a number from 1 to twice the bias less
  /// 1. With the exponent rotated to the lowest bits, one comparison tells.
  Value isByPowerOfTwo() {
    const int64_t twiceBias = 2 * bias();
    Value pattern = b.create<arith::BitcastOp>(bits, divisor);
    Value high = b.create<arith::ShLIOp>(pattern, integer(bits.getWidth() - mantissaBits()));
    Value rotated =
        b.create<arith::OrIOp>(high, b.create<arith::ShRUIOp>(pattern, integer(mantissaBits())));
    Value less = b.create<arith::SubIOp>(rotated, integer(1));
    return b.create<arith::CmpIOp>(arith::CmpIPredicate::ult, less, integer(twiceBias - 1));
  }

  /// The reciprocal of such a divisor: the exponents' bits of the two add up to twice the bias.
  Value exactReciprocal() {
    Value pattern = b.create<arith::BitcastOp>(bits, divisor);
    Value one = integer(int64_t(2 * bias()) << mantissaBits());
    return b.create<arith::BitcastOp>(element, b.create<arith::SubIOp>(one, pattern));
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
    return b.create<arith::SubIOp>(twice, integer(1));
  }
  unsigned mantissaBits() { return element.getFPMantissaWidth() - 1; }
  int bias() { return APFloat::semanticsMaxExponent(element.getFloatSemantics()); }
  Value integer(int64_t value) { return b.create<arith::ConstantIntOp>(value, bits.getWidth()); }
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
  Value divisor = lowering.scalarOf(op.getDivisor());
  UniformDivision division(b, divisor, lowering.scalarOf(op.getReciprocal()));
  // A choice gives the quotients of all dividends, made by `one`.
  auto divideAll = [&](function_ref<Value(Value)> one) {
    FragmentLowering::Fragments quotients;
    for (Value x : dividends)
      quotients.push_back(one(x));
    b.create<scf::YieldOp>(quotients);
  };
  SmallVector<Type> types(dividends.size(), dividends.front().getType());
  auto choose = [&](Value condition) {
    return b.create<scf::IfOp>(types, condition, /*withElseRegion=*/true);
  };
  OpBuilder::InsertionGuard guard(b);
  scf::IfOp isPower = choose(division.isByPowerOfTwo());
  b.setInsertionPointToStart(isPower.thenBlock());
  divideAll([&, exact = division.exactReciprocal()](Value x) {
    return b.create<arith::MulFOp>(x, exact);
  });
  b.setInsertionPointToStart(isPower.elseBlock());
  scf::IfOp isSafe = choose(division.isSafe(dividends));
  b.create<scf::YieldOp>(isSafe.getResults());
  b.setInsertionPointToStart(isSafe.thenBlock());
  divideAll([&](Value x) { return division.divide(x); });
  b.setInsertionPointToStart(isSafe.elseBlock());
  divideAll([&](Value x) { return b.create<arith::DivFOp>(x, divisor); });
  lowering.setFragments(op, FragmentLowering::Fragments(isPower.getResults()));
}

} // namespace

void populateGpuDivisionLowerings(LoweringTable &table) { table.add(lowerUniformDiv); }

} // namespace eft
