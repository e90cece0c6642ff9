// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-expand-integer-division: quotients and remainders of integers in vectors, by floats.
//
// A CPU divides vectors of floats, but integers only one after the other. So a quotient is cut off
// from a product of floats, the dividend's with the divisor's reciprocal. The reciprocal is
// computed apart: where the divisor is the same at every index, it is the same too, and
// eft-hoist-uniform takes it out of the block. All of this is about magnitudes: floats are rounded,
// and cut off, alike on both sides of zero.
//
// **Up to 32 bits.** Let x and d > 0 have w bits, and let them be floats with a rounding error of
// at most u = 2^-p each time: f32, p = 24, for w ≤ 16, and f64, p = 53, for w = 32. Both are exact.
// The estimate
//
//     e = x · r,   r = 1/d · (1 + ε),
//
// is rounded three times, so e = x/d · (1 + δ) with |δ − ε| < 4u, and if ε ≥ 4u, 0 ≤ δ < 2ε. Thus
// the estimate does not miss an integer that x/d reaches. Nor does it reach one, n, that x/d does
// not: x ≤ n·d − 1 then, and n / (x/d) ≥ (x + 1) / x > 1 + 2^-w, which is more than 1 + δ if
// 2ε ≤ 2^-w. So ⌊e⌋ is the quotient for ε = 2^-20 and 2^-40.
//
// **64 bits.** Now f64 does not hold x and d, and x/d has more bits than the estimate. It is made
// too small, r = 1/d · (1 − ε) with ε = 2^-50: of five roundings none takes it above x/d, and
//
//     x/d · (1 − 2^-49) < e ≤ x/d.
//
// Half of it fits into a signed integer; so the first part of the quotient, q = 2⌊e/2⌋, is greater
// than e − 2, and x − q·d, which is not negative, divided by d is less than 2^64 · 2^-49 + 2. The
// second part is the estimate for what is left. It is less than that quotient by less than
// 2^-49 · (2^15 + 2) + 1 < 2, so that at last d is taken off once or not at all.
#include "compiler/transforms/ApplyOnce.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/math/Number.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_EXPANDINTEGERDIVISION
#include "compiler/transforms/Passes.h.inc"

namespace {

struct Division {
  Number quotient, remainder;
};

Division divideNarrow(Number x, Number d, bool isSigned) {
  ImplicitLocOpBuilder &b = x.getBuilder();
  const bool isInF32 = x.getWidth() <= 16;
  FloatType type = isInF32 ? b.getF32Type() : b.getF64Type();
  auto toFloat = [&](Number integer) {
    return isSigned ? integer.signedToFloat(type) : integer.unsignedToFloat(type);
  };
  Number reciprocal = 1.0 / toFloat(d) * (isInF32 ? 1 + 0x1p-20 : 1 + 0x1p-40);
  Number estimate = toFloat(x) * reciprocal;
  // Narrower integers are made from i32, which every target converts to.
  Number whole = isSigned || isInF32 ? estimate.toSigned(32) : estimate.toUnsigned(32);
  Number quotient = x.getWidth() < 32 ? whole.truncate(x.getWidth()) : whole;
  return {quotient, x - quotient * d};
}

/// Of integers of 64 bits without sign.
Division divideWide(Number x, Number d) {
  FloatType f64 = x.getBuilder().getF64Type();
  Number reciprocal = 1.0 / d.unsignedToFloat(f64) * (1 - 0x1p-50);
  Number half = reciprocal * 0.5;
  Number first = (x.unsignedToFloat(f64) * half).toSigned(64) << 1;
  Number left = x - first * d;
  Number second = (left.unsignedToFloat(f64) * reciprocal).toSigned(64);
  left = left - second * d;
  Number quotient = first + second, isDone = lessUnsigned(left, d);
  return {select(isDone, quotient, quotient + 1), select(isDone, left, left - d)};
}

Division divideWideSigned(Number x, Number d) {
  auto negatedIf = [](Number condition, Number number) {
    return select(condition, number.constant(0) - number, number);
  };
  Number isNegative = x < 0;
  Division sizes = divideWide(negatedIf(isNegative, x), negatedIf(d < 0, d));
  return {negatedIf((x ^ d) < 0, sizes.quotient), negatedIf(isNegative, sizes.remainder)};
}

/// Whether the operation will be done on vectors: on a block, or in a function that combines them.
bool isOnVectors(Operation *op) {
  return isBlock(op->getResult(0).getType()) || op->getParentOfType<ReduceOp>() ||
         op->getParentOfType<ScanOp>();
}

/// Whether LLVM has a sequence for vectors: shifts, or products of which it takes the upper half.
bool isForLLVM(Value divisor) {
  APInt constant;
  return matchPattern(divisor, m_ConstantInt(&constant)) &&
         (constant.getBitWidth() <= 32 || constant.abs().isPowerOf2());
}

template <typename Op> struct ExpandDivision : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    constexpr bool isSigned =
        std::is_same_v<Op, arith::DivSIOp> || std::is_same_v<Op, arith::RemSIOp>;
    constexpr bool isQuotient =
        std::is_same_v<Op, arith::DivSIOp> || std::is_same_v<Op, arith::DivUIOp>;
    Type element = getElementTypeOrSelf(op.getType());
    if (!isOnVectors(op) || isForLLVM(op.getRhs()))
      return rewriter.notifyMatchFailure(op, "a scalar, or by a constant that LLVM divides by");
    if (!element.isSignlessInteger() ||
        (element.getIntOrFloatBitWidth() > 32 && !element.isInteger(64)))
      return rewriter.notifyMatchFailure(op, "neither of 64 nor of up to 32 bits");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Number x(builder, op.getLhs()), d(builder, op.getRhs());
    Division division = !element.isInteger(64) ? divideNarrow(x, d, isSigned)
                        : isSigned             ? divideWideSigned(x, d)
                                               : divideWide(x, d);
    rewriter.replaceOp(op, Value(isQuotient ? division.quotient : division.remainder));
    return success();
  }
};

struct ExpandIntegerDivisionPass : impl::ExpandIntegerDivisionBase<ExpandIntegerDivisionPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateExpandIntegerDivisionPatterns(patterns);
    applyPatternsOnce(getOperation(), std::move(patterns));
  }
};

} // namespace

void populateExpandIntegerDivisionPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandDivision<arith::DivSIOp>, ExpandDivision<arith::DivUIOp>,
               ExpandDivision<arith::RemSIOp>, ExpandDivision<arith::RemUIOp>>(
      patterns.getContext());
}

} // namespace eft
