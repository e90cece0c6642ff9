// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-uniform-comparison: compares integers with a threshold instead of floats with a scalar.
//
// Let x be an integer from 0 to 2^31 - 1, and f(x) = RN(RN(x) * c), where RN rounds to the nearest
// f32 and c is 2^-k or the float just below 2^-k. f is monotonic, so there is a threshold t such
// that f(x) > p exactly for x > t. t follows from p:
//
// - For c = 2^-k the product is exact. For c = 2^-k (1 - 2^-24), the float just below, the product
//   is the float just below RN(x) * 2^-k. To see this, let m be the mantissa of RN(x), where
//   2^23 <= m < 2^24. The product is m - m 2^-24 units. If m = 2^23, that is m - 1/2, which is the
//   float below m. Else it is between m - 1 and m - 1/2, and rounds to m - 1. And f(0) = 0.
// - So for p >= 0 the condition f(x) > p is RN(x) > q. Here q is p * 2^k if c = 2^-k, and the float
//   above p, times 2^k, otherwise. For p < 0 the condition holds for all x. For p >= f(2^31 - 1) it
//   holds for no x; f(2^31 - 1) is 2^(31-k), or the float below.
// - Let q = m 2^s, now with m as the mantissa of q. If s <= 0, then q < 2^24. There RN(x) = x, so t
//   is the integral part of q. Otherwise, some integers above q are rounded to q: those below the
//   middle (2m + 1) 2^(s-1) between q and the next float, and the middle itself if m is even. So t
//   is the middle, less 1 if m is odd.
// - One formula covers both cases of s: t = (64 (2m + 1) - m % 2) >> (7 - s). q < 2^31, so s <= 7.
//   For s >= 1 the shift keeps the middle, and turns the subtracted m % 2 into 1 if m is odd. For
//   s <= 0 the sum is 128 m + (64 - m % 2); the second term is less than 128, and the shift drops
//   it.
//
// f(x) >= p is f(x) > p', where p' is the float below p. If p is denormal, q is below 1, and the
// shift count is more than 31. It is limited to 31, which gives 0 as well: the shifted number is
// less than 2^31.
#include "compiler/ir/ElementMoves.h"
#include "compiler/transforms/ApplyOnce.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/UniformScalar.h"
#include "compiler/transforms/math/Number.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_UNIFORMCOMPARISON
#include "compiler/transforms/Passes.h.inc"

namespace {

//===--- The threshold ------------------------------------------------------------------------===//

/// The factor c of the comment at the top of this file: 2^-k, or the float just below.
struct Scale {
  int k = 0;
  bool isBelow = false; // c is the float just below 2^-k
};

std::optional<Scale> scaleOf(const APFloat &factor) {
  constexpr int maxK = 124; // so that all products but 0 are normal numbers
  const uint64_t bits = factor.bitcastToAPInt().getZExtValue();
  const bool isBelow = (bits & 0x7fffff) == 0x7fffff;
  const uint64_t power = bits + isBelow;
  const Scale scale = {127 - int(power >> 23), isBelow};
  if ((power & 0x7fffff) != 0 || scale.k < 0 || scale.k > maxK)
    return std::nullopt;
  return scale;
}

/// A comparison of f(x) with p, expressed as f(x) > p or f(x) >= p, perhaps negated.
struct Order {
  bool isStrict;  // the comparison is f(x) > p, not f(x) >= p
  bool isNegated; // the predicate is true where that comparison is false
  bool ofNan;     // the result of f(x) > p or f(x) >= p if p is NaN
};

/// The order of a predicate whose left operand is f(x), or nothing for a predicate that no order
/// expresses, such as equality.
std::optional<Order> orderOf(arith::CmpFPredicate predicate) {
  using enum arith::CmpFPredicate;
  switch (predicate) {
  case OGT:
    return Order{true, false, false};
  case OGE:
    return Order{false, false, false};
  case UGT:
    return Order{true, false, true};
  case UGE:
    return Order{false, false, true};
  case OLT:
    return Order{false, true, true};
  case OLE:
    return Order{true, true, true};
  case ULT:
    return Order{false, true, false};
  case ULE:
    return Order{true, true, false};
  default:
    return std::nullopt;
  }
}

/// The predicate that gives the same result when the operands are exchanged.
arith::CmpFPredicate exchanged(arith::CmpFPredicate predicate) {
  using enum arith::CmpFPredicate;
  switch (predicate) {
  case OGT:
    return OLT;
  case OGE:
    return OLE;
  case OLT:
    return OGT;
  case OLE:
    return OGE;
  case UGT:
    return ULT;
  case UGE:
    return ULE;
  case ULT:
    return UGT;
  case ULE:
    return UGE;
  default:
    return predicate;
  }
}

Number compare(arith::CmpFPredicate predicate, Number a, Number b) {
  ImplicitLocOpBuilder &builder = a.getBuilder();
  return {builder, builder.create<arith::CmpFOp>(predicate, a, b)};
}

/// The threshold t of the comment at the top of this file. It is -1 if the condition holds for all
/// integers, and the greatest i32 if it holds for none.
Number threshold(Number p, Scale scale, Order order) {
  using enum arith::CmpFPredicate;
  const uint32_t greatestBits = (uint32_t(158 - scale.k) << 23) - scale.isBelow;
  // For p >= 0, the float above or below p is the one whose bits are greater or less by 1.
  Number bits = p.bits() + (int(scale.isBelow) - int(!order.isStrict));
  Number mantissa = (bits & 0x7fffff) | 0x800000;
  Number count = 157 - scale.k - (bits >> 23);
  count = select(lessUnsigned(count, count.constant(31)), count, 31);
  Number between = (mantissa * 128 + (64 - (bits & 1))) >> count;

  Number zero = p.constant(0.0);
  Number greatest = bits.constant(greatestBits).bitsAs(Float32Type::get(p.getType().getContext()));
  Number isNone = order.isStrict ? compare(order.ofNan ? OGE : UGE, p, greatest)
                                 : compare(order.ofNan ? OGT : UGT, p, greatest);
  Number isAll = order.isStrict ? compare(order.ofNan ? ULT : OLT, p, zero)
                                : compare(order.ofNan ? ULE : OLE, p, zero);
  return select(isAll, -1, select(isNone, std::numeric_limits<int32_t>::max(), between));
}

//===--- Patterns -----------------------------------------------------------------------------===//

bool areAllBitsSet(Value value) {
  APInt constant;
  return matchPattern(value, m_ConstantInt(&constant)) && constant.isAllOnes();
}

/// The word w of `w < 0 ? ~w : w`, or null.
Value foldedWord(Value value) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  if (!select)
    return {};
  Value word = select.getFalseValue();
  auto isNegative = select.getCondition().getDefiningOp<arith::CmpIOp>();
  auto inverse = select.getTrueValue().getDefiningOp<arith::XOrIOp>();
  const bool isFolded =
      isNegative && inverse && isNegative.getPredicate() == arith::CmpIPredicate::slt &&
      isNegative.getLhs() == word && matchPattern(isNegative.getRhs(), m_Zero()) &&
      inverse.getLhs() == word && areAllBitsSet(inverse.getRhs());
  return isFolded ? word : Value();
}

bool isNotNegative(Value value) {
  if (foldedWord(value) || value.getDefiningOp<arith::ExtUIOp>())
    return true;
  APInt constant;
  if (auto shift = value.getDefiningOp<arith::ShRUIOp>())
    return matchPattern(shift.getRhs(), m_ConstantInt(&constant)) && !constant.isZero();
  auto masked = value.getDefiningOp<arith::AndIOp>();
  return masked && matchPattern(masked.getRhs(), m_ConstantInt(&constant)) &&
         constant.isNonNegative();
}

/// The integers from which a block of floats is converted, and the factor that scales the floats.
struct ScaledIntegers {
  Value integers;
  Scale scale;
};

std::optional<ScaledIntegers> scaledIntegers(Value floats) {
  ScaledIntegers found;
  if (!floats.hasOneUse())
    return std::nullopt;
  if (auto product = floats.getDefiningOp<arith::MulFOp>()) {
    DenseElementsAttr factors;
    if (!matchPattern(product.getRhs(), m_Constant(&factors)) || !factors.isSplat())
      return std::nullopt;
    std::optional<Scale> scale = scaleOf(factors.getSplatValue<APFloat>());
    if (!scale || !product.getLhs().hasOneUse())
      return std::nullopt;
    found.scale = *scale;
    floats = product.getLhs();
  }
  Operation *conversion = floats.getDefiningOp();
  if (!isa_and_present<arith::SIToFPOp, arith::UIToFPOp>(conversion))
    return std::nullopt;
  found.integers = conversion->getOperand(0);
  if (!getElementTypeOrSelf(found.integers).isInteger(32) || !isNotNegative(found.integers))
    return std::nullopt;
  return found;
}

/// Replaces the comparison of scaled integers with a uniform value by a comparison of the integers
/// with a threshold.
struct CompareIntegers : OpRewritePattern<arith::CmpFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpFOp comparison,
                                PatternRewriter &rewriter) const override {
    Value floats = comparison.getLhs(), uniform = comparison.getRhs();
    arith::CmpFPredicate predicate = comparison.getPredicate();
    if (isUniform(floats)) {
      std::swap(floats, uniform);
      predicate = exchanged(predicate);
    }
    if (!isBlock(floats.getType()) || !getElementTypeOrSelf(floats).isF32() || !isUniform(uniform))
      return rewriter.notifyMatchFailure(comparison, "not of f32 with one number");
    std::optional<Order> order = orderOf(predicate);
    std::optional<ScaledIntegers> source = scaledIntegers(floats);
    if (!order || !source)
      return rewriter.notifyMatchFailure(comparison, "the floats don't grow with integers");
    ImplicitLocOpBuilder builder(comparison.getLoc(), rewriter);
    Number p(builder, uniformScalar(uniform, builder));
    Value bound =
        builder.create<SplatOp>(source->integers.getType(), threshold(p, source->scale, *order));
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(
        comparison, order->isNegated ? arith::CmpIPredicate::sle : arith::CmpIPredicate::sgt,
        source->integers, bound);
    return success();
  }
};

/// Compares w instead of the folded word u = `w < 0 ? ~w : w`, which is never negative. u > t
/// exactly if w > t or w < ~t. This also holds for negative t: u is always greater than t, and
/// every w is above t or below ~t.
struct CompareUnfolded : OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp comparison,
                                PatternRewriter &rewriter) const override {
    using enum arith::CmpIPredicate;
    const bool isGreater = comparison.getPredicate() == sgt;
    Value word = foldedWord(comparison.getLhs());
    if (!word || !isUniform(comparison.getRhs()) ||
        (!isGreater && comparison.getPredicate() != sle))
      return rewriter.notifyMatchFailure(comparison, "no folded word is compared with one number");
    ImplicitLocOpBuilder b(comparison.getLoc(), rewriter);
    Value upper = comparison.getRhs();
    Number bound(b, uniformScalar(upper, b));
    Value lower = b.create<SplatOp>(word.getType(), bound ^ -1);
    Value above = b.create<arith::CmpIOp>(isGreater ? sgt : sle, word, upper);
    Value below = b.create<arith::CmpIOp>(isGreater ? slt : sge, word, lower);
    if (isGreater)
      rewriter.replaceOpWithNewOp<arith::OrIOp>(comparison, above, below);
    else
      rewriter.replaceOpWithNewOp<arith::AndIOp>(comparison, above, below);
    return success();
  }
};

/// The element move that computes `block`, if the block has no other use and the move can make its
/// result in any layout; else null.
ElementMoveOpInterface soleMove(Value block) {
  return block.hasOneUse() ? freeMove(block) : ElementMoveOpInterface();
}

/// Compares the source of an element move with a uniform value, and moves the booleans.
struct CompareBeforeMove : OpRewritePattern<arith::CmpFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpFOp comparison,
                                PatternRewriter &rewriter) const override {
    const bool isLeft = isUniform(comparison.getRhs());
    Value moved = isLeft ? comparison.getLhs() : comparison.getRhs();
    Value uniform = isLeft ? comparison.getRhs() : comparison.getLhs();
    ElementMoveOpInterface move = soleMove(moved);
    if (!move || !isUniform(uniform))
      return rewriter.notifyMatchFailure(comparison, "nothing is moved, or both are blocks");
    ImplicitLocOpBuilder b(comparison.getLoc(), rewriter);
    Value number = uniformScalar(uniform, b);
    IRMapping compared;
    for (Value source : move->getOperands()) {
      if (compared.contains(source))
        continue;
      Value other = b.create<SplatOp>(source.getType(), number);
      compared.map(source,
                   b.create<arith::CmpFOp>(comparison.getPredicate(), isLeft ? source : other,
                                           isLeft ? other : source));
    }
    Operation *after = b.clone(*move, compared);
    after->getResult(0).setType(comparison.getType());
    rewriter.replaceOp(comparison, after);
    return success();
  }
};

struct UniformComparisonPass : impl::UniformComparisonBase<UniformComparisonPass> {
  using UniformComparisonBase::UniformComparisonBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateUniformComparisonPatterns(patterns, unfoldWords);
    applyPatternsToTheEnd(getOperation(), std::move(patterns));
  }
};

} // namespace

void populateUniformComparisonPatterns(RewritePatternSet &patterns, bool unfoldWords) {
  patterns.add<CompareIntegers, CompareBeforeMove>(patterns.getContext());
  if (unfoldWords)
    patterns.add<CompareUnfolded>(patterns.getContext());
}

} // namespace eft
