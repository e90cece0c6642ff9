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

/// a < b ? a : b for the minimum, a > b ? a : b for the maximum. A CPU has an instruction for each.
/// The result is b if the two are equal or one is NaN.
Number choose(Number a, Number b, bool isMinimum) {
  return select(isMinimum ? a < b : a > b, a, b);
}

/// True if `choose` gives the right result with `value` as its second operand: `value` is a
/// constant that is not NaN, and not the zero that loses to the other zero (+0 in a minimum, -0 in
/// a maximum).
bool isSafeSecond(Value value, bool isMinimum) {
  APFloat constant(0.0);
  if (!matchPattern(value, m_ConstantFloat(&constant)) || constant.isNaN())
    return false;
  return !constant.isZero() || constant.isNegative() == isMinimum;
}

/// The minimum or maximum if one operand is a constant that `choose` may have in second place.
std::optional<Number> expandWithConstant(Number a, Number b, bool isMinimum) {
  if (isSafeSecond(b, isMinimum))
    return choose(a, b, isMinimum);
  if (isSafeSecond(a, isMinimum))
    return choose(b, a, isMinimum);
  return std::nullopt;
}

Number expandMinMax(Number a, Number b, bool isMinimum) {
  // For two zeros `choose` returns its second operand. So a is second if its sign is the winning
  // one (negative for a minimum, positive for a maximum), and first otherwise. For all other
  // numbers the order does not matter.
  Number isNegative = a.bits() < 0;
  Number first = isMinimum ? select(isNegative, b, a) : select(isNegative, a, b);
  Number second = isMinimum ? select(isNegative, a, b) : select(isNegative, b, a);
  // `choose` returns its second operand if the first is NaN, so only a NaN in second place is
  // replaced.
  second = select(isNan(second), first, second);
  return choose(first, second, isMinimum);
}

template <typename Op> struct ExpandOp : OpRewritePattern<Op> {
  ExpandOp(MLIRContext *context, bool onlyConstants)
      : OpRewritePattern<Op>(context), onlyConstants(onlyConstants) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF32() && !element.isF64())
      return rewriter.notifyMatchFailure(op, "not f32 or f64");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    constexpr bool isMinimum = std::is_same_v<Op, MinNumOp>;
    Number a(builder, op.getA()), b(builder, op.getB());
    std::optional<Number> result = expandWithConstant(a, b, isMinimum);
    if (!result && onlyConstants)
      return rewriter.notifyMatchFailure(op, "no constant operand");
    rewriter.replaceOp(op, Value(result ? *result : expandMinMax(a, b, isMinimum)));
    return success();
  }

  const bool onlyConstants;
};

struct ExpandMinMaxPass : impl::ExpandMinMaxBase<ExpandMinMaxPass> {
  using ExpandMinMaxBase::ExpandMinMaxBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateExpandMinMaxPatterns(patterns, onlyConstants);
    applyPatternsOnce(getOperation(), std::move(patterns));
  }
};

} // namespace

void populateExpandMinMaxPatterns(RewritePatternSet &patterns, bool onlyConstants) {
  patterns.add<ExpandOp<MinNumOp>, ExpandOp<MaxNumOp>>(patterns.getContext(), onlyConstants);
}

} // namespace eft
