// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-expand-min-max: eft.min_num and eft.max_num for a CPU, with -0 less than +0.
#include "compiler/transforms/ApplyOnce.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/math/Number.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_EXPANDMINMAX
#include "compiler/transforms/Passes.h.inc"

namespace {

/// The choice between two numbers: a < b ? a : b, or a > b ? a : b. These are the instructions
/// of a CPU: the second operand is the result if the two are equal or one is NaN.
Number choose(Number a, Number b, bool isMinimum) {
  return select(isMinimum ? a < b : a > b, a, b);
}

/// True if `value` is a constant that can be the second operand of `choose` as it is. It is no NaN,
/// and no zero that has to give way to the other zero.
bool isSafeSecond(Value value, bool isMinimum) {
  APFloat constant(0.0);
  if (!matchPattern(value, m_ConstantFloat(&constant)) || constant.isNaN())
    return false;
  return !constant.isZero() || constant.isNegative() == isMinimum;
}

Number expandMinMax(Number a, Number b, bool isMinimum) {
  if (isSafeSecond(b, isMinimum))
    return choose(a, b, isMinimum);
  if (isSafeSecond(a, isMinimum))
    return choose(b, a, isMinimum);
  // Of two zeros the second operand is the result, so it must be the one with the right sign, if a
  // has it; else the order does not matter.
  Number isNegative = a.bits() < 0;
  Number first = isMinimum ? select(isNegative, b, a) : select(isNegative, a, b);
  Number second = isMinimum ? select(isNegative, a, b) : select(isNegative, b, a);
  // A NaN in the first place loses already.
  second = select(isNan(second), first, second);
  return choose(first, second, isMinimum);
}

template <typename Op> struct ExpandOp : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF32() && !element.isF64())
      return rewriter.notifyMatchFailure(op, "not f32 or f64");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    constexpr bool isMinimum = std::is_same_v<Op, MinNumOp>;
    Number result = expandMinMax(Number(builder, op.getA()), Number(builder, op.getB()), isMinimum);
    rewriter.replaceOp(op, Value(result));
    return success();
  }
};

struct ExpandMinMaxPass : impl::ExpandMinMaxBase<ExpandMinMaxPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateExpandMinMaxPatterns(patterns);
    applyPatternsOnce(getOperation(), std::move(patterns));
  }
};

} // namespace

void populateExpandMinMaxPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandOp<MinNumOp>, ExpandOp<MaxNumOp>>(patterns.getContext());
}

} // namespace eft
