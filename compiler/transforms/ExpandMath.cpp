// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-expand-math: replaces elementary functions by arith ops and fused multiply-adds. The
// functions, and the patterns that replace operations by them, are in compiler/transforms/math.
#include "compiler/transforms/ApplyOnce.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/math/MathFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_EXPANDMATH
#include "compiler/transforms/Passes.h.inc"

namespace {

struct ExpandMathPass : impl::ExpandMathBase<ExpandMathPass> {
  using ExpandMathBase::ExpandMathBase;

  void runOnOperation() override {
    // Not the greedy driver: it would fold functions of constants with the libm of the compiling
    // machine.
    RewritePatternSet patterns(&getContext());
    populateExpandMathPatterns(patterns, saturates);
    if (approximatesExponentials)
      populateApproximateExponentialPatterns(patterns);
    applyPatternsOnce(getOperation(), std::move(patterns));
  }
};

} // namespace

void populateExpandMathPatterns(RewritePatternSet &patterns, bool saturates) {
  populateExponentialPatterns(patterns, saturates);
  populateLogarithmPatterns(patterns);
  populateTrigonometricPatterns(patterns);
  populateInverseTrigonometricPatterns(patterns);
  populateHyperbolicPatterns(patterns);
  populateErrorFunctionPatterns(patterns);
  populatePowerPatterns(patterns);
  populateRootPatterns(patterns);
}

} // namespace eft
