// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-expand-float8: expands the conversions and products of 8-bit floats that the target lacks.
// The arithmetic is in math/Float8Formats.cpp.
#include "compiler/transforms/ApplyOnce.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/math/Float8Formats.h"
#include "compiler/transforms/math/NarrowFormats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_EXPANDFLOAT8
#include "compiler/transforms/Passes.h.inc"

namespace {

constexpr int64_t minNativeK = 32; // the extent along k of one tensor core instruction

bool isOfHardware(Float8 format) { return format == Float8::E4M3FN || format == Float8::E5M2; }

/// True for an op in the body of a reduction or scan, which works on single elements.
bool isInCombiner(Operation *op) {
  return isa_and_present<EftDialect>(op->getParentOp()->getDialect());
}

/// The base of the patterns. `isNative` is true if the target has instructions for e4m3fn and e5m2.
template <typename Op> struct Float8Pattern : OpRewritePattern<Op> {
  Float8Pattern(MLIRContext *context, bool isNative)
      : OpRewritePattern<Op>(context), isNative(isNative) {}

  bool isNative;
};

struct ExpandExtension : Float8Pattern<ExtendFloat8Op> {
  using Float8Pattern::Float8Pattern;

  LogicalResult matchAndRewrite(ExtendFloat8Op op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    auto type = cast<FloatType>(getElementTypeOrSelf(op.getType()));
    Number codes(builder, op.getOperand());
    if (!isNative || !isOfHardware(op.getFormat()) || isInCombiner(op)) {
      rewriter.replaceOp(op, Value(Float8Format(op.getFormat()).extend(codes, type)));
      return success();
    }
    if (type.isF16())
      return rewriter.notifyMatchFailure(op, "the target has this conversion");
    Type halves = codes.shapeOf(rewriter.getF16Type());
    Value half = builder.create<ExtendFloat8Op>(halves, op.getOperand(), op.getFormat());
    rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, op.getType(), half);
    return success();
  }
};

struct ExpandTruncation : Float8Pattern<TruncateFloat8Op> {
  using Float8Pattern::Float8Pattern;

  LogicalResult matchAndRewrite(TruncateFloat8Op op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Number x(builder, op.getOperand());
    if (!isNative || !isOfHardware(op.getFormat()) || op.getTowardZero() || isInCombiner(op)) {
      Number codes = Float8Format(op.getFormat()).truncate(x, op.getTowardZero());
      rewriter.replaceOp(op, Value(codes));
      return success();
    }
    if (!x.getElementType().isF64())
      return rewriter.notifyMatchFailure(op, "the target has this conversion");
    rewriter.replaceOpWithNewOp<TruncateFloat8Op>(op, op.getType(), Value(roundToOddF32(x)),
                                                  op.getFormat());
    return success();
  }
};

struct WidenFactors : Float8Pattern<DotOp> {
  using Float8Pattern::Float8Pattern;

  LogicalResult matchAndRewrite(DotOp dot, PatternRewriter &rewriter) const override {
    if (!dot.getFormatOfA())
      return rewriter.notifyMatchFailure(dot, "not a product of floats of eight bits");
    const int64_t k = cast<RankedTensorType>(dot.getA().getType()).getDimSize(1);
    if (isNative && isOfHardware(*dot.getFormatOfA()) && isOfHardware(*dot.getFormatOfB()) &&
        k >= minNativeK)
      return rewriter.notifyMatchFailure(dot, "the target has this product");
    ImplicitLocOpBuilder builder(dot.getLoc(), rewriter);
    FloatType f16 = builder.getF16Type();
    auto widened = [&](Value factor, Float8 format) -> Value {
      Number codes(builder, factor);
      if (isNative && isOfHardware(format))
        return builder.create<ExtendFloat8Op>(codes.shapeOf(f16), factor, format);
      return Float8Format(format).extend(codes, f16);
    };
    Value a = widened(dot.getA(), *dot.getFormatOfA());
    Value b = widened(dot.getB(), *dot.getFormatOfB());
    rewriter.replaceOpWithNewOp<DotOp>(dot, dot.getType(), a, b, dot.getAcc(), Precision::Ieee,
                                       Float8Attr(), Float8Attr());
    return success();
  }
};

struct ExpandFloat8Pass : impl::ExpandFloat8Base<ExpandFloat8Pass> {
  using ExpandFloat8Base::ExpandFloat8Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateExpandFloat8Patterns(patterns, isNative);
    applyPatternsOnce(getOperation(), std::move(patterns));
  }
};

} // namespace

void populateExpandFloat8Patterns(RewritePatternSet &patterns, bool isNative) {
  patterns.add<ExpandExtension, ExpandTruncation, WidenFactors>(patterns.getContext(), isNative);
}

} // namespace eft
