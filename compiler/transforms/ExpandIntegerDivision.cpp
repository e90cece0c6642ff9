// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-expand-integer-division: divides vectors of integers by floating point.
//
// A CPU has vector instructions that divide floats, but it divides integers one element at a time.
// So the quotient is computed as the product of two floats, the dividend and the reciprocal of the
// divisor, truncated to an integer. The reciprocal is an operation of its own: where the divisor is
// the same at every index, so is the reciprocal, and eft-hoist-uniform computes it once as a
// scalar. The proofs below are about magnitudes, because rounding and truncation are symmetric
// about zero.
//
// **Up to 32 bits.** Let x and d > 0 have w bits. They are converted to f32 (precision p = 24) if w
// ≤ 16, and to f64 (p = 53) if w = 32; both conversions are exact. Each operation on floats has a
// relative rounding error of at most u = 2^-p. The estimate
//
//     e = x · r,   r = 1/d · (1 + ε),
//
// is rounded three times, so e = x/d · (1 + δ) with |δ − ε| < 4u. If ε ≥ 4u, then 0 ≤ δ < 2ε. So e
// ≥ x/d, and ⌊e⌋ is not too small. Could ⌊e⌋ be too large? Then e would reach an integer n > x/d.
// Because x ≤ n·d − 1, n / (x/d) ≥ (x + 1) / x > 1 + 2^-w. If 2ε ≤ 2^-w, then 1 + 2^-w is more than
// 1 + δ, so e does not reach n. So ⌊e⌋ is the quotient for ε = 2^-20 in f32 and ε = 2^-40 in f64.
//
// **64 bits.** f64 does not hold x and d exactly, and x/d may have more bits than the estimate. The
// estimate is made too small on purpose: r = 1/d · (1 − ε) with ε = 2^-50. Five roundings do not
// raise it above x/d:
//
//     x/d · (1 − 2^-49) < e ≤ x/d.
//
// e/2 fits into a signed integer, so the first part of the quotient is q = 2⌊e/2⌋ > e − 2. What is
// left of the dividend, x − q·d, is not negative, and divided by d it is less than 2^64 · 2^-49 +
// 2. The second part of the quotient is the estimate of (x − q·d) / d, truncated. It is too small
// by less than 2^-49 · (2^15 + 2) + 1 < 2. So the sum of both parts is the quotient or one less,
// and a last comparison decides whether d is subtracted once more.
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
  // Integers of less than 32 bits are truncated from i32, because every target has the conversion
  // to i32.
  Number whole = isSigned || isInF32 ? estimate.toSigned(32) : estimate.toUnsigned(32);
  Number quotient = x.getWidth() < 32 ? whole.truncate(x.getWidth()) : whole;
  return {quotient, x - quotient * d};
}

/// Divides unsigned integers of 64 bits.
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

/// True if the operation is lowered to vectors: its result is a block, or it is in the combiner of
/// a reduction or scan.
bool isOnVectors(Operation *op) {
  return isBlock(op->getResult(0).getType()) || op->getParentOfType<ReduceOp>() ||
         op->getParentOfType<ScanOp>();
}

/// True if LLVM divides vectors by this divisor without a division: a constant of up to 32 bits,
/// for which it takes the upper half of a product, or a power of two, for which it shifts.
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
