// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folders and canonicalization patterns that follow from the meaning of one operation alone.
#include "compiler/ir/ElementMoves.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace eft;

namespace {

bool isSplatOf(Value mask, bool expected) {
  APInt value;
  return mask && matchPattern(mask, m_ConstantInt(&value)) && value.getBoolValue() == expected;
}

Value makeZero(PatternRewriter &rewriter, Location loc, Type type) {
  return rewriter.create<arith::ConstantOp>(loc, type, rewriter.getZeroAttr(type));
}

} // namespace

OpFoldResult ArangeOp::fold(FoldAdaptor) {
  if (getEnd() - getStart() != 1)
    return {};
  return DenseElementsAttr::get(cast<ShapedType>(getType()), APInt(32, getStart()));
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  if (!isa_and_present<IntegerAttr, FloatAttr>(adaptor.getSource()))
    return {};
  return SplatElementsAttr::get(cast<ShapedType>(getType()), adaptor.getSource());
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  return resplat(adaptor.getSource(), getType());
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  return resplat(adaptor.getSource(), getType());
}

OpFoldResult AddPtrOp::fold(FoldAdaptor) {
  return matchPattern(getOffset(), m_Zero()) ? OpFoldResult(getPointer()) : OpFoldResult();
}

/// Removes a mask that is true everywhere. Replaces a load whose mask is false everywhere by its
/// `other` value, or by zero.
LogicalResult LoadOp::canonicalize(LoadOp load, PatternRewriter &rewriter) {
  if (isSplatOf(load.getMask(), true)) {
    rewriter.modifyOpInPlace(load, [&] {
      load.getMaskMutable().clear();
      load.getOtherMutable().clear();
    });
    return success();
  }
  if (!isSplatOf(load.getMask(), false))
    return rewriter.notifyMatchFailure(load, "the mask is not constant");
  Value other = load.getOther();
  rewriter.replaceOp(load, other ? other : makeZero(rewriter, load.getLoc(), load.getType()));
  return success();
}

/// Removes a mask that is true everywhere, and a store whose mask is false everywhere.
LogicalResult StoreOp::canonicalize(StoreOp store, PatternRewriter &rewriter) {
  if (isSplatOf(store.getMask(), true)) {
    rewriter.modifyOpInPlace(store, [&] { store.getMaskMutable().clear(); });
    return success();
  }
  if (!isSplatOf(store.getMask(), false))
    return rewriter.notifyMatchFailure(store, "the mask is not constant");
  rewriter.eraseOp(store);
  return success();
}

namespace {
/// Replaces the reshaping of a splat by a splat of the new shape.
template <typename Op> struct ReshapeOfSplat : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto splat = op.getSource().template getDefiningOp<SplatOp>();
    if (!splat)
      return rewriter.notifyMatchFailure(op, "the source is not a splat");
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getSource());
    return success();
  }
};
} // namespace

void ExpandDimsOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ReshapeOfSplat<ExpandDimsOp>>(context);
}

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ReshapeOfSplat<BroadcastOp>>(context);
}
