// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Division by a divisor that several elements share, correctly rounded, for the price of a
// multiplication and two FMAs: by one that is uniform, and by those of rows of which a thread has
// several elements.
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
// A thread in which some x lies outside divides all of its elements the long way. Many are divided
// some at a time in a loop: such code is seldom run, and long.
//
// Of some divisions it is known that no bits are lost (`eft.plain_quotient`). Those of f32 take the
// hardware's approximation of the reciprocal, with one step of Newton: the way in which CUDA's
// `div.rn` divides numbers that pass its test.
//
// If a uniform d is a power of two, r is exact, and x·r rounded once is the quotient of every x, be
// it infinite or denormal. As d is the same for all threads, so is the choice.
#include "compiler/lowering/gpu/GpuLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>
#include <numeric>

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

/// A divisor, RN(1 / d), and its negative.
struct Divisor {
  Divisor(ImplicitLocOpBuilder &b, Value d, Value reciprocal)
      : d(d), reciprocal(reciprocal), negated(b.create<arith::NegFOp>(reciprocal)) {}
  Value d, reciprocal, negated;
};

class DivisionCode {
public:
  DivisionCode(ImplicitLocOpBuilder &b, Type type)
      : b(b), element(cast<FloatType>(type)), bits(b.getIntegerType(element.getWidth())) {}

  Value inverse(Value divisor) {
    Value one = b.create<arith::ConstantOp>(b.getFloatAttr(element, 1.0));
    return b.create<arith::DivFOp>(one, divisor);
  }

  /// A reciprocal of an f32 that is good enough for `divide`.
  Value approximateInverse(Value divisor) {
    Value one = b.create<arith::ConstantOp>(b.getFloatAttr(element, 1.0));
    Value near = b.create<NVVM::RcpApproxFtzF32Op>(element, divisor);
    Value rest = b.create<math::FmaOp>(b.create<arith::NegFOp>(divisor), near, one);
    return b.create<math::FmaOp>(near, rest, near);
  }

  /// Whether the divisor is a power of two whose reciprocal is a normal number, too: sign and
  /// mantissa are zero, and the exponent's bits are those of a number from 1 to twice the bias less
  /// 1. With the exponent rotated to the lowest bits, one comparison tells.
  Value isPowerOfTwo(Value divisor) {
    const int64_t twiceBias = 2 * bias();
    Value pattern = b.create<arith::BitcastOp>(bits, divisor);
    Value high = b.create<arith::ShLIOp>(pattern, integer(bits.getWidth() - mantissaBits()));
    Value rotated =
        b.create<arith::OrIOp>(high, b.create<arith::ShRUIOp>(pattern, integer(mantissaBits())));
    Value less = b.create<arith::SubIOp>(rotated, integer(1));
    return b.create<arith::CmpIOp>(arith::CmpIPredicate::ult, less, integer(twiceBias - 1));
  }

  /// The reciprocal of such a divisor: the exponents' bits of the two add up to twice the bias.
  Value exactReciprocal(Value powerOfTwo) {
    Value pattern = b.create<arith::BitcastOp>(bits, powerOfTwo);
    Value one = integer(int64_t(2 * bias()) << mantissaBits());
    return b.create<arith::BitcastOp>(element, b.create<arith::SubIOp>(one, pattern));
  }

  /// Whether the divisor and all dividends lie in their ranges.
  Value isSafe(Value divisor, ArrayRef<Value> dividends) {
    auto [k, m] = safeRange(element);
    Value greatest = magnitude(dividends.front()), least = rankAboveZero(dividends.front());
    for (Value x : dividends.drop_front()) {
      greatest = b.create<arith::MaxNumFOp>(greatest, magnitude(x));
      least = b.create<arith::MinUIOp>(least, rankAboveZero(x));
    }
    Value isLow = compare(arith::CmpFPredicate::ULE, greatest, power(m));
    Value isHigh =
        b.create<arith::CmpIOp>(arith::CmpIPredicate::uge, least, rankAboveZero(power(-m)));
    Value areDividends = b.create<arith::AndIOp>(isLow, isHigh);
    Value isDivisor =
        b.create<arith::AndIOp>(compare(arith::CmpFPredicate::OGE, divisor, power(-k)),
                                compare(arith::CmpFPredicate::OLE, divisor, power(k)));
    return b.create<arith::AndIOp>(areDividends, isDivisor);
  }

  Value divide(Value x, const Divisor &divisor) {
    Value quotient = b.create<arith::MulFOp>(x, divisor.reciprocal);
    Value remainder = b.create<math::FmaOp>(quotient, divisor.d, b.create<arith::NegFOp>(x));
    return b.create<math::FmaOp>(remainder, divisor.negated, quotient);
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
  FloatType element;
  IntegerType bits;
};

/// Yields, from the beginning of a block on, the quotients of the dividends.
void yieldQuotients(ImplicitLocOpBuilder &b, Block *block, ArrayRef<Value> dividends,
                    function_ref<Value(Value)> divide) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(block);
  b.create<scf::YieldOp>(llvm::map_to_vector(dividends, divide));
}

/// The divisions in a turn of the loop below: enough that a thread does not wait for each by
/// itself.
constexpr size_t longDivisions = 4;

/// Fewer divisions than this need no loop. Threads would have to meet again behind a loop.
constexpr size_t leastLooped = 16;

/// Yields the quotients by a loop that takes the first ones off the front of a queue, and puts
/// theirs at its end.
void yieldLongQuotients(ImplicitLocOpBuilder &b, Block *block, ArrayRef<Value> dividends,
                        Value divisor) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(block);
  auto number = [&](size_t value) { return b.create<arith::ConstantIntOp>(value, 32); };
  const size_t count = dividends.size(), step = std::gcd(count, longDivisions);
  auto loop =
      b.create<scf::ForOp>(number(0), number(count / step), number(1), dividends,
                           [&](OpBuilder &inside, Location loc, Value, ValueRange queue) {
                             SmallVector<Value> next(queue.drop_front(step));
                             for (Value x : queue.take_front(step))
                               next.push_back(inside.create<arith::DivFOp>(loc, x, divisor));
                             inside.create<scf::YieldOp>(loc, next);
                           });
  b.create<scf::YieldOp>(loop.getResults());
}

ValueRange divideAll(ImplicitLocOpBuilder &b, ArrayRef<Value> dividends, const Divisor &divisor) {
  DivisionCode code(b, divisor.d.getType());
  SmallVector<Type> types(dividends.size(), divisor.d.getType());
  auto isSafe =
      b.create<scf::IfOp>(types, code.isSafe(divisor.d, dividends), /*withElseRegion=*/true);
  yieldQuotients(b, isSafe.thenBlock(), dividends,
                 [&](Value x) { return code.divide(x, divisor); });
  if (dividends.size() < leastLooped)
    yieldQuotients(b, isSafe.elseBlock(), dividends,
                   [&](Value x) { return b.create<arith::DivFOp>(x, divisor.d); });
  else
    yieldLongQuotients(b, isSafe.elseBlock(), dividends, divisor.d);
  return isSafe.getResults();
}

void lowerUniformDiv(GpuLowering &lowering, ImplicitLocOpBuilder &b, UniformDivOp op) {
  SmallVector<Value> dividends(lowering.fragmentsOf(op.getDividend()));
  Divisor divisor(b, lowering.scalarOf(op.getDivisor()), lowering.scalarOf(op.getReciprocal()));
  DivisionCode code(b, divisor.d.getType());
  SmallVector<Type> types(dividends.size(), divisor.d.getType());
  auto choice = b.create<scf::IfOp>(types, code.isPowerOfTwo(divisor.d), /*withElseRegion=*/true);
  Value exact;
  yieldQuotients(b, choice.thenBlock(), dividends, [&](Value x) {
    exact = exact ? exact : code.exactReciprocal(divisor.d);
    return b.create<arith::MulFOp>(x, exact);
  });
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.elseBlock());
  b.create<scf::YieldOp>(divideAll(b, dividends, divisor));
  lowering.setFragments(op, FragmentLowering::Fragments(choice.getResults()));
}

/// From so many elements on, a reciprocal and the tests of its range cost less than divisions.
constexpr size_t leastShared = 4;

/// Divides fragments that have a divisor in common by its reciprocal, and the others one by one.
void lowerDivision(GpuLowering &lowering, ImplicitLocOpBuilder &b, arith::DivFOp op) {
  SmallVector<Value> dividends(lowering.fragmentsOf(op.getLhs()));
  llvm::MapVector<Value, SmallVector<size_t>> elementsOf;
  for (auto [element, divisor] : llvm::enumerate(lowering.fragmentsOf(op.getRhs())))
    elementsOf[divisor].push_back(element);
  FragmentLowering::Fragments quotients(dividends.size());
  for (auto &[d, elements] : elementsOf) {
    if (elements.size() < leastShared) {
      for (size_t element : elements)
        quotients[element] = b.create<arith::DivFOp>(dividends[element], d);
      continue;
    }
    Divisor divisor(b, d, DivisionCode(b, d.getType()).inverse(d));
    auto own = llvm::map_to_vector(elements, [&](size_t element) { return dividends[element]; });
    for (auto [element, quotient] : llvm::zip_equal(elements, divideAll(b, own, divisor)))
      quotients[element] = quotient;
  }
  lowering.setFragments(op, std::move(quotients));
}

/// Divides where neither a test nor the long way is needed.
void lowerPlainDivision(GpuLowering &lowering, ImplicitLocOpBuilder &b, arith::DivFOp op) {
  DivisionCode code(b, getElementTypeOrSelf(op.getType()));
  FragmentLowering::Fragments quotients;
  for (auto [x, d] :
       llvm::zip_equal(lowering.fragmentsOf(op.getLhs()), lowering.fragmentsOf(op.getRhs())))
    quotients.push_back(code.divide(x, Divisor(b, d, code.approximateInverse(d))));
  lowering.setFragments(op, std::move(quotients));
}

LogicalResult lowerFloatDivision(GpuLowering &lowering, ImplicitLocOpBuilder &b, arith::DivFOp op) {
  Type element = getElementTypeOrSelf(op.getType());
  if (!isa<RankedTensorType>(op.getType()) || (!element.isF32() && !element.isF64()))
    return lowering.lowerElementwise(b, op);
  if (element.isF32() && op->hasAttr(EftDialect::plainQuotientName))
    lowerPlainDivision(lowering, b, op);
  else
    lowerDivision(lowering, b, op);
  return success();
}

} // namespace

void populateGpuDivisionLowerings(LoweringTable &table) {
  table.add(lowerUniformDiv);
  table.add(lowerFloatDivision);
}

} // namespace eft
