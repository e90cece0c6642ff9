// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-fuse-multiply-add: fuses a * b + c into one operation with one rounding. The language defines
// which operations fuse. So this pass fuses for both targets, and LLVM's own contraction is off.
#include "compiler/transforms/ApplyOnce.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/math/Number.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_FUSEMULTIPLYADD
#include "compiler/transforms/Passes.h.inc"

namespace {

/// The multiplication that computes `value`, if the product has no other use; else null.
arith::MulFOp soleProduct(Value value) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  return product && product->hasOneUse() ? product : arith::MulFOp();
}

/// The matrix product that computes `value`, if its accumulator is zero, it has no other use, and
/// it is in the basic block of `sum`; else null. A product before a loop thus stays outside of the
/// loop.
DotOp soleDot(Value value, Operation *sum) {
  auto dot = value.getDefiningOp<DotOp>();
  if (!dot || !dot->hasOneUse() || dot->getBlock() != sum->getBlock())
    return {};
  bool isAlone =
      matchPattern(dot.getAcc(), m_AnyZeroFloat()) || matchPattern(dot.getAcc(), m_Zero());
  return isAlone ? dot : DotOp();
}

/// Fuses an addition, or a subtraction, with the product that is one of its operands.
template <typename Sum> struct FuseProduct : OpRewritePattern<Sum> {
  using OpRewritePattern<Sum>::OpRewritePattern;

  LogicalResult matchAndRewrite(Sum sum, PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(sum.getType());
    if (!element.isF32() && !element.isF64())
      return rewriter.notifyMatchFailure(sum, "not f32 or f64");
    if (isa<arith::AddFOp>(sum) && (soleDot(sum.getLhs(), sum) || soleDot(sum.getRhs(), sum)))
      return rewriter.notifyMatchFailure(sum, "a matrix product begins with the other operand");
    arith::MulFOp left = soleProduct(sum.getLhs());
    arith::MulFOp product = left ? left : soleProduct(sum.getRhs());
    if (!product)
      return rewriter.notifyMatchFailure(sum, "no operand is a product that is used only here");

    constexpr bool subtracts = std::is_same_v<Sum, arith::SubFOp>;
    ImplicitLocOpBuilder builder(sum.getLoc(), rewriter);
    Number a(builder, product.getLhs()), b(builder, product.getRhs());
    Number c(builder, left ? sum.getRhs() : sum.getLhs());
    if (subtracts && left)
      c = -c;
    if (subtracts && !left)
      a = -a;
    rewriter.replaceOp(sum, Value(fma(a, b, c)));
    rewriter.eraseOp(product);
    return success();
  }
};

/// Makes the other operand of the sum the accumulator of the matrix product.
template <typename Sum> struct FuseDot : OpRewritePattern<Sum> {
  using OpRewritePattern<Sum>::OpRewritePattern;

  LogicalResult matchAndRewrite(Sum sum, PatternRewriter &rewriter) const override {
    DotOp left = soleDot(sum.getLhs(), sum);
    DotOp dot = left ? left : soleDot(sum.getRhs(), sum);
    if (!dot)
      return rewriter.notifyMatchFailure(sum, "no operand is a matrix product used only here");
    Value acc = left ? sum.getRhs() : sum.getLhs();
    rewriter.replaceOpWithNewOp<DotOp>(sum, dot.getType(), dot.getA(), dot.getB(), acc,
                                       dot.getPrecision(), dot.getFormatOfAAttr(),
                                       dot.getFormatOfBAttr());
    rewriter.eraseOp(dot);
    return success();
  }
};

struct FuseMultiplyAddPass : impl::FuseMultiplyAddBase<FuseMultiplyAddPass> {
  void runOnOperation() override {
    eraseDeadOperations();
    RewritePatternSet patterns(&getContext());
    populateFuseMultiplyAddPatterns(patterns);
    applyPatternsOnce(getOperation(), std::move(patterns));
  }

private:
  /// Visits users before the operations that they use, so that one walk is enough.
  void eraseDeadOperations() {
    getOperation()->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
      if (isOpTriviallyDead(op))
        op->erase();
    });
  }
};

} // namespace

void populateFuseMultiplyAddPatterns(RewritePatternSet &patterns) {
  patterns.add<FuseProduct<arith::AddFOp>, FuseProduct<arith::SubFOp>, FuseDot<arith::AddFOp>,
               FuseDot<arith::AddIOp>>(patterns.getContext());
}

} // namespace eft
