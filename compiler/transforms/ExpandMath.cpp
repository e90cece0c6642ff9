// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-expand-math: elementary functions as arith ops and fused multiply-adds. The functions
// themselves are in compiler/transforms/math.
#include "compiler/ir/EftDialect.h"
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

/// Replaces `Function`, an op on floats of one type, by what `expand` builds for f32 and f64. The
/// narrower formats go through f32: its error is so small that the final rounding is all that
/// counts.
template <typename Function, typename Expansion>
struct ExpandFunction : OpRewritePattern<Function> {
  ExpandFunction(MLIRContext *context, Expansion expand, PatternBenefit benefit = 1)
      : OpRewritePattern<Function>(context, benefit), expand(expand) {}

  LogicalResult matchAndRewrite(Function op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    auto type = cast<FloatType>(getElementTypeOrSelf(op.getType()));
    const bool isNarrow = type.isF16() || type.isBF16();
    if (!isNarrow && !type.isF32() && !type.isF64())
      return rewriter.notifyMatchFailure(op, "not f16, bf16, f32 or f64");
    SmallVector<Number> operands;
    for (Value operand : op->getOperands()) {
      Number x(builder, operand);
      operands.push_back(isNarrow ? x.extendFloat(builder.getF32Type()) : x);
    }
    Number result = call(operands);
    rewriter.replaceOp(op, Value(isNarrow ? result.truncateFloat(type) : result));
    return success();
  }

private:
  Number call(ArrayRef<Number> operands) const {
    if constexpr (std::is_invocable_v<Expansion, Number>)
      return expand(operands[0]);
    else
      return expand(operands[0], operands[1]);
  }

  Expansion expand;
};

template <typename Function, typename Expansion>
void add(RewritePatternSet &patterns, Expansion expand) {
  patterns.add<ExpandFunction<Function, Expansion>>(patterns.getContext(), expand);
}

/// Replaces an exponential that may be approximated, of f32 or narrower, by the hardware's.
template <typename Function>
struct ApproximateFunction : ExpandFunction<Function, Number (*)(Number)> {
  using Base = ExpandFunction<Function, Number (*)(Number)>;

  ApproximateFunction(MLIRContext *context, Number (*approximate)(Number))
      : Base(context, approximate, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(Function op, PatternRewriter &rewriter) const override {
    if (!bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn))
      return rewriter.notifyMatchFailure(op, "may not be approximated");
    if (getElementTypeOrSelf(op.getType()).isF64())
      return rewriter.notifyMatchFailure(op, "hardware has no approximation of f64");
    return Base::matchAndRewrite(op, rewriter);
  }
};

struct ExpandMathPass : impl::ExpandMathBase<ExpandMathPass> {
  using ExpandMathBase::ExpandMathBase;

  void runOnOperation() override {
    // The greedy driver would fold functions of constants, with the libm of this machine.
    RewritePatternSet patterns(&getContext());
    populateExpandMathPatterns(patterns);
    if (approximatesExponentials)
      populateApproximateExponentialPatterns(patterns);
    applyPatternsOnce(getOperation(), std::move(patterns));
  }
};

} // namespace

void populateExpandMathPatterns(RewritePatternSet &patterns) {
  add<math::ExpOp>(patterns, expandExp);
  add<math::Exp2Op>(patterns, expandExp2);
  add<Exp10Op>(patterns, expandExp10);
  add<math::ExpM1Op>(patterns, expandExpm1);
  add<SigmoidOp>(patterns, expandSigmoid);
  add<math::LogOp>(patterns, expandLog);
  add<math::Log2Op>(patterns, expandLog2);
  add<math::Log10Op>(patterns, expandLog10);
  add<math::Log1pOp>(patterns, expandLog1p);
  add<math::SinOp>(patterns, expandSin);
  add<math::CosOp>(patterns, expandCos);
  add<math::TanOp>(patterns, expandTan);
  add<math::AsinOp>(patterns, expandAsin);
  add<math::AcosOp>(patterns, expandAcos);
  add<math::AtanOp>(patterns, expandAtan);
  add<math::Atan2Op>(patterns, expandAtan2);
  add<math::SinhOp>(patterns, expandSinh);
  add<math::CoshOp>(patterns, expandCosh);
  add<math::TanhOp>(patterns, expandTanh);
  add<math::AsinhOp>(patterns, expandAsinh);
  add<math::AcoshOp>(patterns, expandAcosh);
  add<math::AtanhOp>(patterns, expandAtanh);
  add<math::ErfOp>(patterns, expandErf);
  add<ErfcOp>(patterns, expandErfc);
  add<math::PowFOp>(patterns, expandPow);
  add<math::RsqrtOp>(patterns, expandRsqrt);
  add<math::CbrtOp>(patterns, expandCbrt);
  add<HypotOp>(patterns, expandHypot);
  add<math::RoundOp>(patterns, expandRound);
}

void populateApproximateExponentialPatterns(RewritePatternSet &patterns) {
  patterns.add<ApproximateFunction<math::ExpOp>>(patterns.getContext(), approximateExp);
  patterns.add<ApproximateFunction<math::Exp2Op>>(patterns.getContext(), approximateExp2);
}

} // namespace eft
