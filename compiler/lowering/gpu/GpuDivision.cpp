// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Correctly rounded division, without a branch for each element. By a divisor that several elements
// share, it costs a multiplication and two FMAs for each element. Such a divisor is uniform, or it
// belongs to a row of which a thread has several elements.
//
// RN(a) is a, rounded to nearest. With r = RN(1/d), q = RN(x·r), the remainder e = x − q·d is exact
// in an FMA, and RN(q + e·r) is the correctly rounded quotient, as long as nothing overflows or
// loses bits to the denormals. The proof is in Brisebarre, Muller, Raina, "Accelerating correctly
// rounded floating-point division when the divisor is known in advance", IEEE Transactions on
// Computers 53(8), 2004.
//
// Nothing overflows or loses bits if |d| is in [2^-k, 2^k], and x is zero or |x| is in [2^-m, 2^m],
// for the k and m below. Then r, q and the result are normal. The remainder e is a multiple of
// ulp(q)·ulp(d) ≥ 2^(-m-k-2p), where p is the precision in bits, so e is representable. If x is
// NaN, the result is NaN.
//
// The remainder is computed as q·d − x, and negated in the second FMA, so that a zero keeps its
// sign: x = −0 gives q = −0, q·d − x = −0 + 0 = +0, and (+0)·(−r) + q = −0. If d is negative, a
// zero would become +0, so the result gets the sign of q.
//
// If all x of a thread are positive, their bits, as unsigned numbers, have the same order. Then the
// least and the greatest of these numbers decide whether all x are in the range: one instruction
// for each x, as GPUs have minima of three integers. Where the attribute `eft.nonnegative_dividend`
// says that no x is below zero, this is tested first. For threads with an x that is zero, the
// longer test follows, which allows zeros.
//
// If any d or x of a thread is outside its range, the thread divides all of its elements by
// ordinary divisions. If it has many elements, a loop divides a few at a time, because the code of
// an ordinary division is long and seldom runs.
//
// For f32, RN(1/d) is the hardware's approximation of the reciprocal, refined by one Newton step,
// as in CUDA's `rcp.rn`. This was tested on an H200 for every d in the range.
//
// If the elements of a thread have different divisors, each needs its own reciprocal: three
// instructions more. A divisor that only counts, as the weights in Welford's algorithm do, is
// usually the same for all elements of a thread. So the thread compares its divisors first.
//
// The attribute `eft.plain_quotient` marks divisions in which no bits are lost. For f32 they need
// no test. If the dividend is 1, the reciprocal is the quotient.
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

  /// The correctly rounded reciprocal of a divisor in the range of `safeRange`.
  Value inverseInRange(Value divisor) {
    Value one = b.create<arith::ConstantOp>(b.getFloatAttr(element, 1.0));
    if (!element.isF32())
      return b.create<arith::DivFOp>(one, divisor);
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

  /// True if the numbers are the same. Two zeros of different signs are not.
  Value haveSameBits(Value x, Value y) {
    return b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, pattern(x), pattern(y));
  }

  /// True if the divisor is positive and in its range.
  Value isSafeDivisor(Value divisor) {
    const int k = safeRange(element).divisor;
    return b.create<arith::AndIOp>(compare(arith::CmpFPredicate::OGE, divisor, power(-k)),
                                   compare(arith::CmpFPredicate::OLE, divisor, power(k)));
  }

  /// True if the magnitudes of all divisors are in their range. As unsigned numbers, the
  /// differences of their bits and those of the least magnitude are then at most as large as the
  /// range.
  Value areSafeDivisors(ArrayRef<Value> divisors) {
    const int k = safeRange(element).divisor;
    Value least = withoutSign(power(-k)), greatest;
    for (Value d : divisors) {
      Value above = b.create<arith::SubIOp>(withoutSign(d), least);
      greatest = greatest ? b.create<arith::MaxUIOp>(greatest, above) : above;
    }
    Value range = b.create<arith::SubIOp>(withoutSign(power(k)), least);
    return b.create<arith::CmpIOp>(arith::CmpIPredicate::ule, greatest, range);
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

  /// The same, for a divisor that may be negative.
  Value divideSigned(Value x, const Divisor &divisor) {
    // On integers, the choice of bits is one instruction.
    const int64_t sign = int64_t(1) << (bits.getWidth() - 1);
    Value quotient = pattern(divide(x, divisor));
    Value product = pattern(b.create<arith::MulFOp>(x, divisor.reciprocal));
    Value mended = b.create<arith::OrIOp>(b.create<arith::AndIOp>(product, integer(sign)),
                                          b.create<arith::AndIOp>(quotient, integer(sign - 1)));
    return b.create<arith::BitcastOp>(element, mended);
  }

private:
  /// An unsigned number that grows with |x| for x ≠ 0, and is the largest for x = 0: the bits of x
  /// without the sign, minus 1.
  Value rankAboveZero(Value x) { return b.create<arith::SubIOp>(withoutSign(x), integer(1)); }
  /// The bits of x, shifted left to drop the sign.
  Value withoutSign(Value x) { return b.create<arith::AddIOp>(pattern(x), pattern(x)); }
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
/// them. The loop carries a queue of the dividends: each iteration removes the first, divides them,
/// and appends their quotients at the end. If there are several divisors, it carries a queue of
/// them too, and appends each divisor at the end again.
void yieldLongQuotients(ImplicitLocOpBuilder &b, Block *block, ArrayRef<Value> dividends,
                        ArrayRef<Value> divisors) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(block);
  auto number = [&](size_t value) { return b.create<arith::ConstantIntOp>(value, 32); };
  const size_t count = dividends.size(), step = std::gcd(count, longDivisions);
  const bool isOne = llvm::all_equal(divisors);
  SmallVector<Value> queues(dividends);
  if (!isOne)
    llvm::append_range(queues, divisors);
  auto loop = b.create<scf::ForOp>(number(0), number(count / step), number(1), queues,
                                   [&](OpBuilder &inside, Location loc, Value, ValueRange queues) {
                                     ValueRange own = queues.take_front(count),
                                                others = queues.drop_front(count);
                                     SmallVector<Value> next(own.drop_front(step));
                                     for (size_t i = 0; i < step; ++i)
                                       next.push_back(inside.create<arith::DivFOp>(
                                           loc, own[i], isOne ? divisors.front() : others[i]));
                                     if (!isOne) {
                                       llvm::append_range(next, others.drop_front(step));
                                       llvm::append_range(next, others.take_front(step));
                                     }
                                     inside.create<scf::YieldOp>(loc, next);
                                   });
  b.create<scf::YieldOp>(loop.getResults().take_front(count));
}

/// Emits code at the beginning of a basic block that divides by ordinary divisions, and yields the
/// quotients.
void yieldOrdinaryQuotients(ImplicitLocOpBuilder &b, Block *block, ArrayRef<Value> dividends,
                            ArrayRef<Value> divisors) {
  if (dividends.size() >= leastLooped)
    return yieldLongQuotients(b, block, dividends, divisors);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(block);
  SmallVector<Value> quotients;
  for (auto [x, d] : llvm::zip_equal(dividends, divisors))
    quotients.push_back(b.create<arith::DivFOp>(x, d));
  b.create<scf::YieldOp>(quotients);
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

/// Divides all dividends by one divisor, whose reciprocal is RN(1 / d), or is null.
ValueRange divideAll(ImplicitLocOpBuilder &b, ArrayRef<Value> dividends, Value d, Value reciprocal,
                     bool areNonNegative) {
  DivisionCode code(b, d.getType());
  SmallVector<Type> types(dividends.size(), d.getType());
  Value condition =
      b.create<arith::AndIOp>(areSafe(b, code, dividends, areNonNegative), code.isSafeDivisor(d));
  auto isSafe = b.create<scf::IfOp>(types, condition, /*withElseRegion=*/true);
  std::optional<Divisor> divisor;
  yieldQuotients(b, isSafe.thenBlock(), dividends, [&](Value x) {
    if (!divisor)
      divisor.emplace(b, d, reciprocal ? reciprocal : code.inverseInRange(d));
    return code.divide(x, *divisor);
  });
  yieldOrdinaryQuotients(b, isSafe.elseBlock(), dividends, SmallVector<Value>(dividends.size(), d));
  return isSafe.getResults();
}

/// The signs of a division's operands, as far as its attributes state them.
struct Signs {
  explicit Signs(Operation *division)
      : dividends(division->hasAttr(EftDialect::nonNegativeDividendName)),
        divisors(division->hasAttr(EftDialect::nonNegativeDivisorName)) {}
  bool dividends, divisors; ///< whether these are known to be at least 0
};

/// Divides each dividend by its own divisor.
ValueRange divideEach(ImplicitLocOpBuilder &b, ArrayRef<Value> dividends, ArrayRef<Value> divisors,
                      Signs areNonNegative) {
  Type type = divisors.front().getType();
  DivisionCode code(b, type);
  Value condition = b.create<arith::AndIOp>(areSafe(b, code, dividends, areNonNegative.dividends),
                                            code.areSafeDivisors(divisors));
  auto isSafe = b.create<scf::IfOp>(SmallVector<Type>(dividends.size(), type), condition,
                                    /*withElseRegion=*/true);
  const auto *next = divisors.begin();
  yieldQuotients(b, isSafe.thenBlock(), dividends, [&](Value x) {
    Value d = *next++;
    Divisor divisor(b, d, code.inverseInRange(d));
    return areNonNegative.divisors ? code.divide(x, divisor) : code.divideSigned(x, divisor);
  });
  yieldOrdinaryQuotients(b, isSafe.elseBlock(), dividends, divisors);
  return isSafe.getResults();
}

/// Divides each dividend by its own divisor. The divisors are expected to be the same.
ValueRange divideByLikelyEqual(ImplicitLocOpBuilder &b, ArrayRef<Value> dividends,
                               ArrayRef<Value> divisors, Signs areNonNegative) {
  Value d = divisors.front(), areEqual;
  DivisionCode code(b, d.getType());
  for (Value other : divisors.drop_front()) {
    Value isEqual = code.haveSameBits(other, d);
    areEqual = areEqual ? b.create<arith::AndIOp>(areEqual, isEqual) : isEqual;
  }
  auto choice = b.create<scf::IfOp>(SmallVector<Type>(dividends.size(), d.getType()), areEqual,
                                    /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  b.create<scf::YieldOp>(
      divideAll(b, dividends, d, /*reciprocal=*/nullptr, areNonNegative.dividends));
  b.setInsertionPointToStart(choice.elseBlock());
  b.create<scf::YieldOp>(divideEach(b, dividends, divisors, areNonNegative));
  return choice.getResults();
}

void lowerUniformDiv(GpuLowering &lowering, ImplicitLocOpBuilder &b, UniformDivOp op) {
  SmallVector<Value> dividends(lowering.fragmentsOf(op.getDividend()));
  Value divisor = lowering.scalarOf(op.getDivisor());
  DivisionCode code(b, divisor.getType());
  SmallVector<Type> types(dividends.size(), divisor.getType());
  auto choice = b.create<scf::IfOp>(types, code.isPowerOfTwo(divisor), /*withElseRegion=*/true);
  Value exact;
  yieldQuotients(b, choice.thenBlock(), dividends, [&](Value x) {
    exact = exact ? exact : code.exactReciprocal(divisor);
    return b.create<arith::MulFOp>(x, exact);
  });
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.elseBlock());
  b.create<scf::YieldOp>(
      divideAll(b, dividends, divisor, lowering.scalarOf(op.getReciprocal()), Signs(op).dividends));
  lowering.setFragments(op, FragmentLowering::Fragments(choice.getResults()));
}

/// The least number of elements for which reciprocals and one test of the ranges cost less than
/// divisions.
constexpr size_t leastTogether = 4;

/// Divides fragments with the help of their divisors' reciprocals, and one by one those that are
/// too few.
void lowerDivision(GpuLowering &lowering, ImplicitLocOpBuilder &b, arith::DivFOp op) {
  ArrayRef<Value> dividends = lowering.fragmentsOf(op.getLhs());
  ArrayRef<Value> divisors = lowering.fragmentsOf(op.getRhs());
  FragmentLowering::Fragments quotients(dividends.size());
  const Signs areNonNegative(op);
  const bool isF32 = getElementTypeOrSelf(op.getType()).isF32();
  auto divide = [&](ArrayRef<size_t> elements, auto together) {
    auto x = llvm::map_to_vector(elements, [&](size_t element) { return dividends[element]; });
    auto d = llvm::map_to_vector(elements, [&](size_t element) { return divisors[element]; });
    for (auto [element, quotient] : llvm::zip_equal(elements, together(x, d)))
      quotients[element] = quotient;
  };
  llvm::MapVector<Value, SmallVector<size_t>> elementsOf;
  for (auto [element, divisor] : llvm::enumerate(divisors))
    elementsOf[divisor].push_back(element);
  SmallVector<size_t> others;
  for (auto &[d, elements] : elementsOf) {
    if (elements.size() < leastTogether)
      llvm::append_range(others, elements);
    else
      divide(elements, [&](ArrayRef<Value> x, ArrayRef<Value> d) {
        return divideAll(b, x, d.front(), /*reciprocal=*/nullptr, areNonNegative.dividends);
      });
  }
  if (isF32 && others.size() >= leastTogether) {
    divide(others, [&](ArrayRef<Value> x, ArrayRef<Value> d) {
      return op->hasAttr(EftDialect::countingDivisorName)
                 ? divideByLikelyEqual(b, x, d, areNonNegative)
                 : divideEach(b, x, d, areNonNegative);
    });
  } else {
    for (size_t element : others)
      quotients[element] = b.create<arith::DivFOp>(dividends[element], divisors[element]);
  }
  lowering.setFragments(op, std::move(quotients));
}

/// Divides without a test of the ranges: the division has `eft.plain_quotient`.
void lowerPlainDivision(GpuLowering &lowering, ImplicitLocOpBuilder &b, arith::DivFOp op) {
  DivisionCode code(b, getElementTypeOrSelf(op.getType()));
  FragmentLowering::Fragments quotients;
  for (auto [x, d] :
       llvm::zip_equal(lowering.fragmentsOf(op.getLhs()), lowering.fragmentsOf(op.getRhs()))) {
    Value reciprocal = code.inverseInRange(d);
    quotients.push_back(matchPattern(x, m_OneFloat()) ? reciprocal
                                                      : code.divide(x, Divisor(b, d, reciprocal)));
  }
  lowering.setFragments(op, std::move(quotients));
}

LogicalResult lowerFloatDivision(GpuLowering &lowering, ImplicitLocOpBuilder &b, arith::DivFOp op) {
  Type element = getElementTypeOrSelf(op.getType());
  const bool isApproximate = bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn);
  if (!isa<RankedTensorType>(op.getType()) || (!element.isF32() && !element.isF64()) ||
      isApproximate)
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
