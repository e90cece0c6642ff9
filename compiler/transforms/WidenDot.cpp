// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-widen-dot: converts the factors of matrix products to the type of the accumulator, for
// targets that have no other products.
#include "compiler/transforms/ApplyOnce.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_WIDENDOT
#include "compiler/transforms/Passes.h.inc"

namespace {

struct WidenFactors : OpRewritePattern<DotOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotOp dot, PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(dot.getType());
    auto widened = [&](Value factor, std::optional<Float8> format) -> Value {
      Type type = withElementType(factor.getType(), element);
      if (type == factor.getType())
        return factor;
      // Converts next to the operation that makes the factor, so that no code for the other factor
      // comes between the two.
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointAfterValue(factor);
      if (format)
        return rewriter.create<ExtendFloat8Op>(dot.getLoc(), type, factor, *format);
      if (isa<FloatType>(element))
        return rewriter.create<arith::ExtFOp>(dot.getLoc(), type, factor);
      return rewriter.create<arith::ExtSIOp>(dot.getLoc(), type, factor);
    };
    Value a = widened(dot.getA(), dot.getFormatOfA());
    Value b = widened(dot.getB(), dot.getFormatOfB());
    rewriter.replaceOpWithNewOp<DotOp>(dot, dot.getType(), a, b, dot.getAcc(), Precision::Ieee,
                                       Float8Attr(), Float8Attr());
    return success();
  }
};

struct WidenDotPass : impl::WidenDotBase<WidenDotPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateWidenDotPatterns(patterns);
    applyPatternsOnce(getOperation(), std::move(patterns));
  }
};

} // namespace

void populateWidenDotPatterns(RewritePatternSet &patterns) {
  patterns.add<WidenFactors>(patterns.getContext());
}

} // namespace eft
