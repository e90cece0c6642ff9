// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exponentials and sigmoids of f32 by a GPU's approximations of 2^x and 1 / x, for
// operations that allow approximation.
#include "compiler/analysis/Signs.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/math/ExpandFunction.h"

using namespace mlir;

namespace eft {

namespace {

Number approximateExp2(Number x) {
  return {x.getBuilder(), x.getBuilder().create<math::Exp2Op>(x, arith::FastMathFlags::afn)};
}

/// Let t be x / ln 2, rounded, and l = x - t · ln 2. Then e^x = 2^t · e^l, and l is so small that
/// e^l is 1 + l. At the lower bound of x, 2^t is 0. At the upper bound 2^t is infinite; l is
/// positive there, so the final multiply-add keeps the infinity.
Number approximateExp(Number x) {
  constexpr double perLn2 = 0x1.715476p+0, ln2High = 0x1.62e43p-1, ln2Low = -0x1.05c61p-29;
  constexpr double least = -104.0, greatest = 0x1.62e43p+6;
  x = isNonPositive(x) ? atLeast(x, least) : clamp(x, least, greatest);
  Number t = x * perLn2;
  Number l = fma(t, -ln2Low, fma(t, -ln2High, x));
  Number power = approximateExp2(t);
  return fma(power, l, power);
}

/// 1 / x by the instruction for it, to which eft-lower-to-llvm converts this division.
Number approximateReciprocal(Number x) {
  return {x.getBuilder(),
          x.getBuilder().create<arith::DivFOp>(x.constant(1.0), x, arith::FastMathFlags::afn)};
}

/// 1 / (1 + e^-x). The result is 0 if e^-x is infinite.
Number approximateSigmoid(Number x) { return approximateReciprocal(approximateExp(-x) + 1.0); }

template <typename Function> bool mayApproximate(Function op) {
  return bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn);
}

bool mayApproximate(SigmoidOp op) { return op.getApproximate(); }

/// Replaces a function of f32 or narrower that may be approximated.
template <typename Function>
struct ApproximateFunction : ExpandFunction<Function, Number (*)(Number)> {
  using Base = ExpandFunction<Function, Number (*)(Number)>;

  ApproximateFunction(MLIRContext *context, Number (*approximate)(Number))
      : Base(context, approximate, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(Function op, PatternRewriter &rewriter) const override {
    if (!mayApproximate(op))
      return rewriter.notifyMatchFailure(op, "may not be approximated");
    if (getElementTypeOrSelf(op.getType()).isF64())
      return rewriter.notifyMatchFailure(op, "hardware has no approximation of f64");
    return Base::matchAndRewrite(op, rewriter);
  }
};

} // namespace

void populateApproximateExponentialPatterns(RewritePatternSet &patterns) {
  patterns.add<ApproximateFunction<math::ExpOp>>(patterns.getContext(), approximateExp);
  patterns.add<ApproximateFunction<math::Exp2Op>>(patterns.getContext(), approximateExp2);
  patterns.add<ApproximateFunction<SigmoidOp>>(patterns.getContext(), approximateSigmoid);
}

} // namespace eft
