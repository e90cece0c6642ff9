// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-expand-integer-corners: gives divisions and shifts a result for all operands.
#include "compiler/analysis/AxisInfo.h"
#include "compiler/transforms/ApplyOnce.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/math/Number.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_EXPANDINTEGERCORNERS
#include "compiler/transforms/Passes.h.inc"

namespace {

std::optional<APInt> constantOf(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)))
    return std::nullopt;
  return constant;
}

template <typename Op>
constexpr bool isSigned = std::is_same_v<Op, arith::DivSIOp> || std::is_same_v<Op, arith::RemSIOp>;
template <typename Op>
constexpr bool isQuotient =
    std::is_same_v<Op, arith::DivSIOp> || std::is_same_v<Op, arith::DivUIOp>;

/// The results in the corner cases are:
///
///   x / 0 has all bits set,                x % 0 is x
///   the least number / -1 is itself,       the least number % -1 is 0
///
/// Division by 1 gives the second line, so 1 replaces the divisor there. In the first line 1
/// replaces the divisor too, and a select then picks the result. A maximum, not a select, replaces
/// a divisor of 0: LLVM may divide by each arm of a select, and treats a single zero in a vector
/// divisor as undefined behaviour for the whole vector.
template <typename Op> struct ExpandDivision : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isSignlessInteger())
      return rewriter.notifyMatchFailure(op, "not of integers");
    std::optional<APInt> divisor = constantOf(op.getRhs());
    if (divisor && !divisor->isZero() && !(isSigned<Op> && divisor->isAllOnes()))
      return rewriter.notifyMatchFailure(op, "the divisor is a constant without corners");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Number x(builder, op.getLhs()), d(builder, op.getRhs());
    Number isZero = d == 0;
    Number replaced(builder, builder.create<arith::MaxUIOp>(d, d.constant(1)));
    if (isSigned<Op>) {
      Number least = x.constant(APInt::getSignedMinValue(x.getWidth()).getZExtValue());
      replaced = select((x == least) & (d == -1), 1, replaced);
    }
    Number result(builder, builder.create<Op>(x, replaced));
    rewriter.replaceOp(
        op, Value(isQuotient<Op> ? select(isZero, -1, result) : select(isZero, x, result)));
    return success();
  }
};

/// An even divisor is never -1, so division by zero is its only corner case. The number with only
/// the highest bit set replaces the zero, because every power of two that divides the divisor also
/// divides this number, and the axis analysis relies on that. This pattern is for one uniform
/// divisor of a whole block; the replacement is then computed once.
template <typename Op> struct ExpandEvenDivision : OpRewritePattern<Op> {
  ExpandEvenDivision(MLIRContext *context, const DenseSet<Operation *> &even)
      : OpRewritePattern<Op>(context, /*benefit=*/2), even(even) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!even.contains(op))
      return rewriter.notifyMatchFailure(op, "not by one even number");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Number x(builder, op.getLhs()), d(builder, op.getRhs());
    Number isZero = d == 0;
    Number highest = isZero.extendUnsigned(d.getWidth()) << d.constant(d.getWidth() - 1);
    Number result(builder, builder.create<Op>(x, d | highest));
    rewriter.replaceOp(
        op, Value(isQuotient<Op> ? select(isZero, -1, result) : select(isZero, x, result)));
    return success();
  }

private:
  const DenseSet<Operation *> &even;
};

/// Adds to `even` the divisions of blocks whose divisor is the same at every index, known to be
/// even, and not a constant.
void addDivisionsByEven(func::FuncOp function, DenseSet<Operation *> &even) {
  SmallVector<Operation *> divisions;
  function.walk([&](Operation *op) {
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op) &&
        isBlock(op->getResult(0).getType()) && !constantOf(op->getOperand(1)))
      divisions.push_back(op);
  });
  if (divisions.empty())
    return;
  AxisInfos infos(function);
  for (Operation *op : divisions) {
    AxisInfo divisor = infos.of(op->getOperand(1));
    auto shape = cast<ShapedType>(op->getResult(0).getType()).getShape();
    const bool isUniform = llvm::all_of(llvm::enumerate(shape), [&](auto extent) {
      return divisor.constancy(extent.index()) >= extent.value();
    });
    if (isUniform && !divisor.getConstant() && divisor.divisibilityOfAll() > 1)
      even.insert(op);
  }
}

/// A shift by the width or more shifts all bits out. The count is unsigned.
template <typename Op> struct ExpandShift : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isSignlessInteger())
      return rewriter.notifyMatchFailure(op, "not of integers");
    unsigned width = getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth();
    std::optional<APInt> count = constantOf(op.getRhs());
    if (count && count->ult(width))
      return rewriter.notifyMatchFailure(op, "the count is a constant less than the width");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Number x(builder, op.getLhs()), shift(builder, op.getRhs());
    Number isInside = lessUnsigned(shift, shift.constant(width));
    if constexpr (std::is_same_v<Op, arith::ShRSIOp>) {
      // A shift by width - 1 already copies the sign to every bit, as every greater count does.
      Number bounded = select(isInside, shift, width - 1);
      rewriter.replaceOpWithNewOp<Op>(op, x, bounded);
      return success();
    }
    Number bounded = select(isInside, shift, 0);
    Number result(builder, builder.create<Op>(x, bounded));
    rewriter.replaceOp(op, Value(select(isInside, result, 0)));
    return success();
  }
};

struct ExpandIntegerCornersPass : impl::ExpandIntegerCornersBase<ExpandIntegerCornersPass> {
  void runOnOperation() override {
    DenseSet<Operation *> even;
    getOperation()->walk([&](func::FuncOp function) { addDivisionsByEven(function, even); });
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandEvenDivision<arith::DivSIOp>, ExpandEvenDivision<arith::DivUIOp>,
                 ExpandEvenDivision<arith::RemSIOp>, ExpandEvenDivision<arith::RemUIOp>>(
        &getContext(), even);
    populateExpandIntegerCornersPatterns(patterns);
    applyPatternsOnce(getOperation(), std::move(patterns));
  }
};

} // namespace

void populateExpandIntegerCornersPatterns(RewritePatternSet &patterns) {
  patterns
      .add<ExpandDivision<arith::DivSIOp>, ExpandDivision<arith::DivUIOp>,
           ExpandDivision<arith::RemSIOp>, ExpandDivision<arith::RemUIOp>,
           ExpandShift<arith::ShLIOp>, ExpandShift<arith::ShRSIOp>, ExpandShift<arith::ShRUIOp>>(
          patterns.getContext());
}

} // namespace eft
