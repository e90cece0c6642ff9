// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-uniform-comparison: compares integers with a threshold instead of floats with a number.
//
// Let x be an integer from 0 to 2^31 - 1, and f(x) = RN(RN(x) * c), where c is 2^-k, or the float
// just below it. f grows with x, so f(x) > p holds for all x above some threshold t and for no
// others. This is how t follows from p:
//
// - For c = 2^-k the product is exact. For the float just below it, c = 2^-k (1 - 2^-24), the
//   product is the float just below RN(x) * 2^-k: with a mantissa m of RN(x), 2^23 <= m < 2^24, it
//   is m - m 2^-24 units, which for m = 2^23 is half a unit less than m, the float below; and else
//   lies between m - 1 and m - 1/2, so it is rounded to m - 1. And f(0) = 0.
// - So for p >= 0 the condition is RN(x) > q, where q is p * 2^k, or the float above p, times 2^k.
//   For p < 0 it holds for all x; for p >= f(2^31 - 1) = 2^(31-k), or the float below, for none.
// - Let q = m 2^s. If s <= 0, then q < 2^24, where RN(x) = x: t is the integral part of q. Else the
//   integers above q that are rounded to q are those below the middle (2m + 1) 2^(s-1), and the
//   middle itself if m is even. So t is the middle, less 1 if m is odd.
// - Both are (64 (2m + 1) - m % 2) >> (7 - s). As q < 2^31, s <= 7. For s >= 1 the shift leaves the
//   middle as it is and makes a whole 1 of what is subtracted. For s <= 0 it drops 64 - m % 2 from
//   128 m + 64 - m % 2, of which all bits but those of m are below.
//
// f(x) >= p is f(x) > p', where p' is the float below p. A denormal p has a q below 1, and gets a
// shift of more than 31 bits, which counts as one of 31: the shifted number is less than 2^31.
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

/// c of the head of this file.
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

/// A comparison with p as "greater than", or "not greater than".
struct Order {
  bool isStrict;  // f(x) > p rather than f(x) >= p
  bool isNegated; // the predicate is true where that comparison is false
  bool ofNan;     // the comparison's result, before it is negated, if p is NaN
};

/// The order of a predicate whose left operand is f(x), or none if it asks for equality.
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

/// The predicate for exchanged operands.
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

/// t of the head of this file: -1 if the condition holds for all integers.
Number threshold(Number p, Scale scale, Order order) {
  using enum arith::CmpFPredicate;
  const uint32_t greatestBits = (uint32_t(158 - scale.k) << 23) - scale.isBelow;
  // The float next to p is the one with the next bits.
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

/// The integers of which a block of floats is made, and the factor by which they are scaled.
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

/// Compares the integers that a block of floats is made of.
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

/// Compares a word w instead of `w < 0 ? ~w : w`. That is greater than t if w > t or w < ~t. If t
/// is negative, it always is, and one of w > t and w < ~t is true as well.
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

/// The operation that moves the elements of a block which nothing else uses, or null. It makes its
/// result in any layout.
ElementMoveOpInterface soleMove(Value block) {
  return block.hasOneUse() ? freeMove(block) : ElementMoveOpInterface();
}

/// Compares floats with one number before they are moved.
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
