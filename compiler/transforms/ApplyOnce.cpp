// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two drivers for patterns: one walk over the ops, or repetition until nothing changes.
#include "compiler/transforms/ApplyOnce.h"

#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace {
struct WalkRewriter : PatternRewriter {
  explicit WalkRewriter(MLIRContext *context) : PatternRewriter(context) {}
};
} // namespace

void eft::applyPatternsOnce(Operation *root, RewritePatternSet &&patterns) {
  FrozenRewritePatternSet frozen(std::move(patterns));
  PatternApplicator applicator(frozen);
  applicator.applyDefaultCostModel();
  WalkRewriter rewriter(root->getContext());
  root->walk([&](Operation *op) {
    if (op == root)
      return;
    rewriter.setInsertionPoint(op);
    (void)applicator.matchAndRewrite(op, rewriter);
  });
}

void eft::applyPatternsToTheEnd(Operation *root, RewritePatternSet &&patterns) {
  GreedyRewriteConfig config;
  config.maxIterations = GreedyRewriteConfig::kNoLimit;
  (void)applyPatternsAndFoldGreedily(root, std::move(patterns), config);
}
