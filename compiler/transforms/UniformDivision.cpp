// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-uniform-division: computes the reciprocal of a uniform divisor once. The lowering corrects
// the quotient; compiler/lowering/gpu has the algorithm.
#include "compiler/transforms/ApplyOnce.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/UniformScalar.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_UNIFORMDIVISION
#include "compiler/transforms/Passes.h.inc"

namespace {

struct DivideByUniform : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::DivFOp division, PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(division.getType());
    if (!isBlock(division.getType()) || (!element.isF32() && !element.isF64()))
      return rewriter.notifyMatchFailure(division, "not a block of f32 or f64");
    Value divisor = uniformScalar(division.getRhs(), rewriter);
    if (!divisor)
      return rewriter.notifyMatchFailure(division, "the divisor differs between indices");
    Value one =
        rewriter.create<arith::ConstantOp>(division.getLoc(), rewriter.getFloatAttr(element, 1.0));
    Value reciprocal = rewriter.create<arith::DivFOp>(division.getLoc(), one, divisor);
    auto uniform = rewriter.create<UniformDivOp>(division.getLoc(), division.getType(),
                                                 division.getLhs(), divisor, reciprocal);
    if (Attribute flag = division->getAttr(EftDialect::nonNegativeDividendName))
      uniform->setAttr(EftDialect::nonNegativeDividendName, flag);
    rewriter.replaceOp(division, uniform);
    return success();
  }
};

struct UniformDivisionPass : impl::UniformDivisionBase<UniformDivisionPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateUniformDivisionPatterns(patterns);
    applyPatternsToTheEnd(getOperation(), std::move(patterns));
  }
};

} // namespace

void populateUniformDivisionPatterns(RewritePatternSet &patterns) {
  patterns.add<DivideByUniform>(patterns.getContext());
}

} // namespace eft
