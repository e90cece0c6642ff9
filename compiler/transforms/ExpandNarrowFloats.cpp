// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-expand-narrow-floats: does arithmetic on f16 and bf16 in f32. math/NarrowFormats.cpp has the
// conversions between these types. docs/mathematics.md says why an operation in f32 gives the right
// bits.
#include "compiler/transforms/ApplyOnce.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/math/NarrowFormats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_EXPANDNARROWFLOATS
#include "compiler/transforms/Passes.h.inc"

namespace {

FloatType narrowType(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  return element.isF16() || element.isBF16() ? cast<FloatType>(element) : FloatType();
}

/// The base of the patterns: it holds what the target supports. A pattern matches an op whose
/// first operand is f16 or bf16 or, for conversions from other types, whose result is.
template <typename Op> struct NarrowPattern : OpRewritePattern<Op> {
  NarrowPattern(MLIRContext *context, NarrowFloatSupport support)
      : OpRewritePattern<Op>(context), formats(support), support(support) {}

  /// The operands as numbers.
  static SmallVector<Number> numbers(Op op, ImplicitLocOpBuilder &builder) {
    SmallVector<Number> result;
    for (Value operand : op->getOperands())
      result.emplace_back(builder, operand);
    return result;
  }

  NarrowFormats formats;
  NarrowFloatSupport support;
};

enum class Result { Rounded, Exact, Other };

/// The narrow types in which a target with arithmetic on f16 has the op.
enum class Native { None, F16, F16AndBf16 };

/// Replaces the op by the same op on f32. Its result is then rounded to the narrow type
/// (`Rounded`), is exact in the narrow type (`Exact`), or is not a float (`Other`).
template <typename Op, Result kind, Native native> struct ThroughF32 : NarrowPattern<Op> {
  using NarrowPattern<Op>::NarrowPattern;

  bool isNative(FloatType type) const {
    return this->support.f16Arithmetic &&
           (type.isF16() ? native != Native::None : native == Native::F16AndBf16);
  }

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    FloatType type = narrowType(op->getOperand(0));
    if (!type || isNative(type))
      return rewriter.notifyMatchFailure(op, "the target computes in this type");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    SmallVector<Value> wide;
    for (Number operand : this->numbers(op, builder))
      wide.push_back(this->formats.toF32(operand));
    Type resultType = op->getResult(0).getType();
    if (kind != Result::Other)
      resultType = wide.front().getType();
    OperationState state(op.getLoc(), op->getName(), wide, resultType,
                         op->getDiscardableAttrDictionary().getValue());
    state.propertiesAttr = op->getPropertiesAsAttribute();
    Number result(builder, rewriter.create(state)->getResult(0));
    if (kind == Result::Rounded)
      result = this->formats.fromF32(result, type);
    if (kind == Result::Exact)
      result = this->formats.fromExactF32(result, type);
    rewriter.replaceOp(op, Value(result));
    return success();
  }
};

/// Negation and magnitude change the sign bit only.
template <typename Op> struct ChangeSign : NarrowPattern<Op> {
  using NarrowPattern<Op>::NarrowPattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    constexpr bool negates = std::is_same_v<Op, arith::NegFOp>;
    FloatType type = narrowType(op.getOperand());
    // PTX has the negation of f16, but not its magnitude.
    if (!type || (type.isF16() && negates && this->support.f16Arithmetic))
      return rewriter.notifyMatchFailure(op, "the target computes in this type");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Number bits = Number(builder, op.getOperand()).bits();
    rewriter.replaceOp(op, Value((negates ? bits ^ 0x8000 : bits & 0x7FFF).bitsAs(type)));
    return success();
  }
};

struct ExpandFma : NarrowPattern<math::FmaOp> {
  using NarrowPattern::NarrowPattern;

  LogicalResult matchAndRewrite(math::FmaOp op, PatternRewriter &rewriter) const override {
    FloatType type = narrowType(op.getA());
    if (!type || (type.isF16() && support.f16Arithmetic))
      return rewriter.notifyMatchFailure(op, "the target computes in this type");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    SmallVector<Number> operands = numbers(op, builder);
    rewriter.replaceOp(op, Value(formats.multiplyAdd(operands[0], operands[1], operands[2])));
    return success();
  }
};

struct ExpandExtension : NarrowPattern<arith::ExtFOp> {
  using NarrowPattern::NarrowPattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    FloatType from = narrowType(op.getIn());
    auto to = cast<FloatType>(getElementTypeOrSelf(op.getType()));
    bool isNative =
        from && (from.isF16() ? support.f16Arithmetic : to.isF32() && support.bf16Conversions);
    if (!from || isNative || (!to.isF32() && !to.isF64()))
      return rewriter.notifyMatchFailure(op, "the target has this conversion");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Number wide = formats.toF32(Number(builder, op.getIn()));
    rewriter.replaceOp(op, Value(to.isF32() ? wide : wide.extendFloat(to)));
    return success();
  }
};

struct ExpandTruncation : NarrowPattern<arith::TruncFOp> {
  using NarrowPattern::NarrowPattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    auto from = cast<FloatType>(getElementTypeOrSelf(op.getIn().getType()));
    FloatType to = narrowType(op.getOut());
    constexpr auto nearest = arith::RoundingMode::to_nearest_even;
    bool isNative =
        to && (to.isF16() ? support.f16Arithmetic || (from.isF32() && support.f16Conversions)
                          : from.isF32() && support.bf16Conversions);
    if (!to || isNative || (!from.isF32() && !from.isF64()))
      return rewriter.notifyMatchFailure(op, "the target has this conversion");
    if (op.getRoundingmode().value_or(nearest) != nearest)
      return rewriter.notifyMatchFailure(op, "not rounded to nearest even");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Number x(builder, op.getIn());
    rewriter.replaceOp(op, Value(from.isF32() ? formats.fromF32(x, to) : formats.fromF64(x, to)));
    return success();
  }
};

template <typename Op> struct ExpandFromInteger : NarrowPattern<Op> {
  using NarrowPattern<Op>::NarrowPattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    FloatType type = narrowType(op.getOut());
    if (!type || (type.isF16() && this->support.f16Arithmetic))
      return rewriter.notifyMatchFailure(op, "the target has this conversion");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Number x(builder, op.getIn());
    if (x.getWidth() > 64)
      return rewriter.notifyMatchFailure(op, "from an integer of more than 64 bits");
    constexpr bool isSigned = std::is_same_v<Op, arith::SIToFPOp>;
    rewriter.replaceOp(op, Value(this->formats.fromInteger(x, isSigned, type)));
    return success();
  }
};

struct ExpandNarrowFloatsPass : impl::ExpandNarrowFloatsBase<ExpandNarrowFloatsPass> {
  using ExpandNarrowFloatsBase::ExpandNarrowFloatsBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateExpandNarrowFloatsPatterns(patterns, nativeF16, nativeBf16Conversion,
                                       nativeF16Conversion);
    applyPatternsOnce(getOperation(), std::move(patterns));
  }
};

} // namespace

void populateExpandNarrowFloatsPatterns(RewritePatternSet &patterns, bool nativeF16,
                                        bool nativeBf16Conversion, bool nativeF16Conversion) {
  NarrowFloatSupport support{nativeF16, nativeBf16Conversion, nativeF16Conversion};
  MLIRContext *context = patterns.getContext();
  using enum Result;
  using enum Native;
  patterns.add<ThroughF32<arith::AddFOp, Rounded, F16>, ThroughF32<arith::SubFOp, Rounded, F16>,
               ThroughF32<arith::MulFOp, Rounded, F16>, ThroughF32<arith::DivFOp, Rounded, None>,
               ThroughF32<math::SqrtOp, Rounded, None>, ThroughF32<arith::RemFOp, Exact, None>,
               ThroughF32<arith::MinimumFOp, Exact, F16AndBf16>,
               ThroughF32<arith::MaximumFOp, Exact, F16AndBf16>,
               ThroughF32<MinNumOp, Exact, F16AndBf16>, ThroughF32<MaxNumOp, Exact, F16AndBf16>,
               ThroughF32<math::FloorOp, Exact, None>, ThroughF32<math::CeilOp, Exact, None>,
               ThroughF32<math::TruncOp, Exact, None>, ThroughF32<math::RoundEvenOp, Exact, None>,
               ThroughF32<arith::CmpFOp, Other, F16>, ThroughF32<arith::FPToSIOp, Other, None>,
               ThroughF32<arith::FPToUIOp, Other, None>, ChangeSign<arith::NegFOp>,
               ChangeSign<math::AbsFOp>, ExpandFma, ExpandExtension, ExpandTruncation,
               ExpandFromInteger<arith::SIToFPOp>, ExpandFromInteger<arith::UIToFPOp>>(context,
                                                                                       support);
}

} // namespace eft
