// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pattern that replaces an operation by the IR of an elementary function.
#pragma once

#include "compiler/ir/EftDialect.h"
#include "compiler/transforms/math/Number.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"

namespace eft {

/// Replaces `Function`, an op on floats of one type, by the code that `expand` builds for f32 or
/// f64. f16 and bf16 are computed in f32. The error in f32 is so small that practically only the
/// final rounding matters.
template <typename Function, typename Expansion>
struct ExpandFunction : mlir::OpRewritePattern<Function> {
  ExpandFunction(mlir::MLIRContext *context, Expansion expand, mlir::PatternBenefit benefit = 1)
      : mlir::OpRewritePattern<Function>(context, benefit), expand(expand) {}

  mlir::LogicalResult matchAndRewrite(Function op, mlir::PatternRewriter &rewriter) const override {
    mlir::ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    auto type = mlir::cast<mlir::FloatType>(mlir::getElementTypeOrSelf(op.getType()));
    const bool isNarrow = type.isF16() || type.isBF16();
    if (!isNarrow && !type.isF32() && !type.isF64())
      return rewriter.notifyMatchFailure(op, "not f16, bf16, f32 or f64");
    llvm::SmallVector<Number> operands;
    for (mlir::Value operand : op->getOperands()) {
      Number x(builder, operand);
      operands.push_back(isNarrow ? x.extendFloat(builder.getF32Type()) : x);
    }
    Number result = call(operands);
    rewriter.replaceOp(op, mlir::Value(isNarrow ? result.truncateFloat(type) : result));
    return mlir::success();
  }

private:
  Number call(llvm::ArrayRef<Number> operands) const {
    if constexpr (std::is_invocable_v<Expansion, Number>)
      return expand(operands[0]);
    else
      return expand(operands[0], operands[1]);
  }

  Expansion expand;
};

/// Adds the pattern that replaces `Function` by the code that `expand` builds. `expand` is a
/// function of one or two numbers.
template <typename Function, typename Expansion>
void addExpansion(mlir::RewritePatternSet &patterns, Expansion expand) {
  patterns.add<ExpandFunction<Function, Expansion>>(patterns.getContext(), expand);
}

} // namespace eft
