// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Correctly rounded division by a divisor that several elements share, for the cost of a
// multiplication and two FMAs for each element. The divisor is uniform, or it belongs to a row of
// which a thread has several elements.
//
// RN(a) is a, rounded to nearest. With r = RN(1/d), q = RN(x·r), the remainder e = x − q·d is exact
// in an FMA, and RN(q + e·r) is the correctly rounded quotient, as long as nothing overflows or
// loses bits to the denormals. The proof is in Brisebarre, Muller, Raina, "Accelerating correctly
// rounded floating-point division when the divisor is known in advance", IEEE Transactions on
// Computers 53(8), 2004.
//
// Nothing overflows or loses bits if d is in [2^-k, 2^k], and x is zero or |x| is in [2^-m, 2^m],
// for the k and m below. Then r, q and the result are normal. The remainder e is a multiple of
// ulp(q)·ulp(d) ≥ 2^(-m-k-2p), where p is the precision in bits, so e is representable. If x is
// NaN, the result is NaN.
//
// The remainder is computed as q·d − x, and negated in the second FMA, so that a zero keeps its
// sign: x = −0 gives q = −0, q·d − x = −0 + 0 = +0, and (+0)·(−r) + q = −0.
//
// If all x of a thread are positive, their bits, as unsigned numbers, have the same order. Then the
// least and the greatest of these numbers decide whether all x are in the range: one instruction
// for each x, as GPUs have minima of three integers. Where the attribute `eft.nonnegative_dividend`
// says that no x is below zero, this is tested first. For threads with an x that is zero, the
// longer test follows, which allows zeros.
//
// If d or any x of a thread is outside its range, the thread divides all of its elements by
// ordinary divisions. If it has many elements, a loop divides a few at a time, because the code of
// an ordinary division is long and seldom runs.
//
// The attribute `eft.plain_quotient` marks divisions in which no bits are lost. For f32 they need
// no test. They use the hardware's approximation of the reciprocal, refined by one Newton step, as
// CUDA's `div.rn` does for numbers that pass its test. The refined reciprocal is correctly rounded,
// as that of CUDA's `rcp.rn` is, so it is the quotient if the dividend is 1. This was tested on an
// H200 with the divisors of `sigmoid` for every operand, and with those of `tanh`.
//
// If a uniform d is a power of two, r is exact, and RN(x·r) is the correctly rounded quotient for
// every x, also for infinite and denormal x. As d is the same for all threads, all threads take the
// same branch.
#include "compiler/lowering/gpu/GpuLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

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

/// A divisor d, its reciprocal RN(1 / d), and the negative of the reciprocal.
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

  /// The correctly rounded reciprocal of an f32 in the range of `safeRange`.
  Value plainInverse(Value divisor) {
    Value one = b.create<arith::ConstantOp>(b.getFloatAttr(element, 1.0));
    Value near = b.create<NVVM::RcpApproxFtzF32Op>(element, divisor);
    Value rest = b.create<math::FmaOp>(b.create<arith::NegFOp>(divisor), near, one);
    return b.create<math::FmaOp>(near, rest, near);
  }

  /// True if the divisor is a positive power of two whose reciprocal is a normal number, too: its
  /// sign and mantissa are zero, and its exponent field is at least 1 and at most 2·bias − 1. After
  /// a rotation that moves the exponent field to the lowest bits, one comparison tests all of this.
  Value isPowerOfTwo(Value divisor) {
    const int64_t twiceBias = 2 * bias();
    Value own = pattern(divisor);
    Value high = b.create<arith::ShLIOp>(own, integer(bits.getWidth() - mantissaBits()));
    Value rotated =
        b.create<arith::OrIOp>(high, b.create<arith::ShRUIOp>(own, integer(mantissaBits())));
    Value less = b.create<arith::SubIOp>(rotated, integer(1));
    return b.create<arith::CmpIOp>(arith::CmpIPredicate::ult, less, integer(twiceBias - 1));
  }

  /// The reciprocal of a divisor for which `isPowerOfTwo` holds: the exponent fields of the two add
  /// up to twice the bias.
  Value exactReciprocal(Value powerOfTwo) {
    Value one = integer(int64_t(2 * bias()) << mantissaBits());
    return b.create<arith::BitcastOp>(element, b.create<arith::SubIOp>(one, pattern(powerOfTwo)));
  }

  /// True if the divisor is in its range.
  Value isSafeDivisor(Value divisor) {
    const int k = safeRange(element).divisor;
    return b.create<arith::AndIOp>(compare(arith::CmpFPredicate::OGE, divisor, power(-k)),
                                   compare(arith::CmpFPredicate::OLE, divisor, power(k)));
  }

  /// True if all dividends are in their range or zero.
  Value areSafe(ArrayRef<Value> dividends) {
    const int m = safeRange(element).dividend;
    Value greatest = magnitude(dividends.front()), least = rankAboveZero(dividends.front());
    for (Value x : dividends.drop_front()) {
      greatest = b.create<arith::MaxNumFOp>(greatest, magnitude(x));
      least = b.create<arith::MinUIOp>(least, rankAboveZero(x));
    }
    Value isLow = compare(arith::CmpFPredicate::ULE, greatest, power(m));
    Value isHigh =
        b.create<arith::CmpIOp>(arith::CmpIPredicate::uge, least, rankAboveZero(power(-m)));
    return b.create<arith::AndIOp>(isLow, isHigh);
  }

  /// True if all dividends are positive and in their range.
  Value arePositiveAndSafe(ArrayRef<Value> dividends) {
    const int m = safeRange(element).dividend;
    Value least = pattern(dividends.front()), greatest = least;
    for (Value x : dividends.drop_front()) {
      least = b.create<arith::MinUIOp>(least, pattern(x));
      greatest = b.create<arith::MaxUIOp>(greatest, pattern(x));
    }
    return b.create<arith::AndIOp>(
        b.create<arith::CmpIOp>(arith::CmpIPredicate::uge, least, pattern(power(-m))),
        b.create<arith::CmpIOp>(arith::CmpIPredicate::ule, greatest, pattern(power(m))));
  }

  Value divide(Value x, const Divisor &divisor) {
    Value quotient = b.create<arith::MulFOp>(x, divisor.reciprocal);
    Value remainder = b.create<math::FmaOp>(quotient, divisor.d, b.create<arith::NegFOp>(x));
    return b.create<math::FmaOp>(remainder, divisor.negated, quotient);
  }

private:
  /// An unsigned number that grows with |x| for x ≠ 0, and is the largest for x = 0: the bits of x,
  /// shifted left to drop the sign, minus 1.
  Value rankAboveZero(Value x) {
    Value twice = b.create<arith::AddIOp>(pattern(x), pattern(x));
    return b.create<arith::SubIOp>(twice, integer(1));
  }
  Value pattern(Value x) { return b.create<arith::BitcastOp>(bits, x); }
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

/// Emits code at the beginning of a basic block that computes the quotients of the dividends and
/// yields them.
void yieldQuotients(ImplicitLocOpBuilder &b, Block *block, ArrayRef<Value> dividends,
                    function_ref<Value(Value)> divide) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(block);
  b.create<scf::YieldOp>(llvm::map_to_vector(dividends, divide));
}

/// The number of divisions in an iteration of the loop below: enough to overlap their latencies.
constexpr size_t longDivisions = 4;

/// The least number of divisions for which a loop is used. Threads must reconverge after a loop,
/// which costs time.
constexpr size_t leastLooped = 16;

/// Emits code at the beginning of a basic block: a loop that computes the quotients, and a yield of
/// them. The loop carries a queue: each iteration removes the first elements, divides them, and
/// appends their quotients at the end.
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

/// True if all dividends are in their range or zero. `areNonNegative` states that no dividend is
/// below zero.
Value areSafe(ImplicitLocOpBuilder &b, DivisionCode &code, ArrayRef<Value> dividends,
              bool areNonNegative) {
  if (!areNonNegative)
    return code.areSafe(dividends);
  auto test = b.create<scf::IfOp>(b.getI1Type(), code.arePositiveAndSafe(dividends),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(test.thenBlock());
  b.create<scf::YieldOp>(b.create<arith::ConstantIntOp>(true, 1).getResult());
  b.setInsertionPointToStart(test.elseBlock());
  b.create<scf::YieldOp>(code.areSafe(dividends));
  return test.getResult(0);
}

ValueRange divideAll(ImplicitLocOpBuilder &b, ArrayRef<Value> dividends, const Divisor &divisor,
                     bool areNonNegative) {
  DivisionCode code(b, divisor.d.getType());
  SmallVector<Type> types(dividends.size(), divisor.d.getType());
  Value condition = b.create<arith::AndIOp>(areSafe(b, code, dividends, areNonNegative),
                                            code.isSafeDivisor(divisor.d));
  auto isSafe = b.create<scf::IfOp>(types, condition, /*withElseRegion=*/true);
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
  b.create<scf::YieldOp>(
      divideAll(b, dividends, divisor, op->hasAttr(EftDialect::nonNegativeDividendName)));
  lowering.setFragments(op, FragmentLowering::Fragments(choice.getResults()));
}

/// The least number of elements with a common divisor for which a reciprocal and the test of the
/// ranges cost less than divisions.
constexpr size_t leastShared = 4;

/// Divides fragments that share a divisor with the help of its reciprocal, and the other fragments
/// one by one.
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
    ValueRange shared =
        divideAll(b, own, divisor, op->hasAttr(EftDialect::nonNegativeDividendName));
    for (auto [element, quotient] : llvm::zip_equal(elements, shared))
      quotients[element] = quotient;
  }
  lowering.setFragments(op, std::move(quotients));
}

/// Divides without a test of the ranges: the division has `eft.plain_quotient`.
void lowerPlainDivision(GpuLowering &lowering, ImplicitLocOpBuilder &b, arith::DivFOp op) {
  DivisionCode code(b, getElementTypeOrSelf(op.getType()));
  FragmentLowering::Fragments quotients;
  for (auto [x, d] :
       llvm::zip_equal(lowering.fragmentsOf(op.getLhs()), lowering.fragmentsOf(op.getRhs()))) {
    Value reciprocal = code.plainInverse(d);
    quotients.push_back(matchPattern(x, m_OneFloat()) ? reciprocal
                                                      : code.divide(x, Divisor(b, d, reciprocal)));
  }
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
