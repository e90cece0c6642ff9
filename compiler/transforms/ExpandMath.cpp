// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-expand-math: elementary functions as arith ops and fused multiply-adds. The functions
// themselves are in compiler/transforms/math.
#include "compiler/transforms/ApplyOnce.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/math/MathFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_EXPANDMATH
#include "compiler/transforms/Passes.h.inc"

namespace {

/// Replaces `Function`, a math op of one operand, by what `expand` builds for f32 and f64. The
/// narrower formats go through f32: its error is so small that the final rounding is all that
/// counts.
template <typename Function, Number (*expand)(Number)>
struct ExpandFunction : OpRewritePattern<Function> {
  using OpRewritePattern<Function>::OpRewritePattern;

  LogicalResult matchAndRewrite(Function op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Number x(builder, op.getOperand());
    auto type = cast<FloatType>(x.getElementType());
    if (type.isF32() || type.isF64()) {
      rewriter.replaceOp(op, Value(expand(x)));
      return success();
    }
    if (!type.isF16() && !type.isBF16())
      return rewriter.notifyMatchFailure(op, "not f16, bf16, f32 or f64");
    Number result = expand(x.extendFloat(builder.getF32Type()));
    rewriter.replaceOp(op, Value(result.truncateFloat(type)));
    return success();
  }
};

struct ExpandMathPass : impl::ExpandMathBase<ExpandMathPass> {
  void runOnOperation() override {
    // The greedy driver would fold functions of constants, with the libm of this machine.
    RewritePatternSet patterns(&getContext());
    populateExpandMathPatterns(patterns);
    applyPatternsOnce(getOperation(), std::move(patterns));
  }
};

} // namespace

void populateExpandMathPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandFunction<math::ExpOp, expandExp>, ExpandFunction<math::LogOp, expandLog>>(
      patterns.getContext());
}

} // namespace eft
