// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-reduce-assertions: replaces assertions about blocks by assertions about scalars.
#include "compiler/transforms/ApplyOnce.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_REDUCEASSERTIONS
#include "compiler/transforms/Passes.h.inc"

namespace {

/// A block (or a scalar) with one axis less: whether all elements along the last axis are true.
Value allAlongLastAxis(OpBuilder &builder, Location loc, Value condition) {
  auto type = cast<RankedTensorType>(condition.getType());
  Type i1 = type.getElementType();
  ArrayRef<int64_t> rest = type.getShape().drop_back();
  Type result = rest.empty() ? i1 : Type(RankedTensorType::get(rest, i1));
  auto reduce = builder.create<ReduceOp>(loc, TypeRange(result), ValueRange(condition),
                                         /*axis=*/type.getRank() - 1, /*order_free=*/true,
                                         /*steps=*/IntegerAttr(), /*tree=*/DenseI32ArrayAttr());
  OpBuilder::InsertionGuard guard(builder);
  Block *combine = builder.createBlock(&reduce.getCombine(), {}, {i1, i1}, {loc, loc});
  Value both = builder.create<arith::AndIOp>(loc, combine->getArgument(0), combine->getArgument(1));
  builder.create<YieldOp>(loc, both);
  return reduce.getResult(0);
}

struct ReduceAssertion : OpRewritePattern<AssertOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AssertOp assertion, PatternRewriter &rewriter) const override {
    Value condition = assertion.getCondition();
    if (!isBlock(condition.getType()))
      return rewriter.notifyMatchFailure(assertion, "is about a number already");
    while (isBlock(condition.getType()))
      condition = allAlongLastAxis(rewriter, assertion.getLoc(), condition);
    rewriter.modifyOpInPlace(assertion, [&] { assertion.getConditionMutable().assign(condition); });
    return success();
  }
};

struct ReduceAssertionsPass : impl::ReduceAssertionsBase<ReduceAssertionsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateReduceAssertionsPatterns(patterns);
    applyPatternsOnce(getOperation(), std::move(patterns));
  }
};

} // namespace

void populateReduceAssertionsPatterns(RewritePatternSet &patterns) {
  patterns.add<ReduceAssertion>(patterns.getContext());
}

} // namespace eft
