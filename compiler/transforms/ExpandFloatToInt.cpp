// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-expand-float-to-int: gives conversions from float to integer a result for every float.
#include "compiler/ir/EftDialect.h"
#include "compiler/transforms/ApplyOnce.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/math/Number.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_EXPANDFLOATTOINT
#include "compiler/transforms/Passes.h.inc"

namespace {

/// Truncates `x`, which must fit into the integer. Integers of less than 32 bits are converted to
/// i32 first, because every target has the conversion to i32.
Number truncateToInt(Number x, unsigned width, bool isSigned) {
  if (width < 32)
    return x.toSigned(32).truncate(width);
  return isSigned ? x.toSigned(width) : x.toUnsigned(width);
}

/// Converts where the greatest integer is exact as a float: bounds the float on both sides first.
Number convertBounded(Number x, unsigned width, bool isSigned, double low, double high) {
  if (isSigned)
    x = clamp(select(isNan(x), 0.0, x), low, high);
  else // maximumNumber also gives 0 for NaN.
    x = minimum(maximumNumber(x, x.constant(0.0)), x.constant(high));
  return truncateToInt(x, width, isSigned);
}

/// Converts where the greatest integer is not exact as a float. `end`, which is greater by one, is
/// exact.
Number convertBelow(Number x, unsigned width, bool isSigned, double low, double end) {
  Number inside = select(x < end, x, 0.0); // NaN is not less than anything.
  inside = maximumNumber(inside, x.constant(low));
  Number result = truncateToInt(inside, width, isSigned);
  APInt greatest = isSigned ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width);
  return select(x >= end, result.constant(greatest.getZExtValue()), result);
}

Number expandFloatToInt(Number x, unsigned width, bool isSigned) {
  unsigned magnitudeBits = isSigned ? width - 1 : width;
  double low = isSigned ? -std::ldexp(1.0, magnitudeBits) : 0.0;
  double end = std::ldexp(1.0, magnitudeBits);
  if (magnitudeBits <= cast<FloatType>(x.getElementType()).getFPMantissaWidth())
    return convertBounded(x, width, isSigned, low, end - 1.0);
  return convertBelow(x, width, isSigned, low, end);
}

/// True if a GPU converts to integers of this width.
bool isWidthOfGpu(unsigned width) {
  return width >= 8 && width <= 64 && llvm::isPowerOf2_32(width);
}

/// Converts by the GPU's conversion, whose results need a correction only for NaN, and only if the
/// float or the integer has 64 bits.
Number saturateToInt(Number x, unsigned width, bool isSigned) {
  Number result = isSigned ? x.toSigned(width) : x.toUnsigned(width);
  Value(result).getDefiningOp()->setAttr(EftDialect::saturatingName, x.getBuilder().getUnitAttr());
  if (width < 64 && x.getElementType().isF32())
    return result;
  return select(isNan(x), result.constant(0), result);
}

template <typename Conversion> struct ExpandConversion : OpRewritePattern<Conversion> {
  ExpandConversion(MLIRContext *context, bool saturates)
      : OpRewritePattern<Conversion>(context), saturates(saturates) {}

  LogicalResult matchAndRewrite(Conversion op, PatternRewriter &rewriter) const override {
    Type from = getElementTypeOrSelf(op.getIn().getType());
    unsigned width = getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth();
    if (!from.isF16() && !from.isBF16() && !from.isF32() && !from.isF64())
      return rewriter.notifyMatchFailure(op, "not from f16, bf16, f32 or f64");
    if (width > 64)
      return rewriter.notifyMatchFailure(op, "to an integer of more than 64 bits");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    constexpr bool isSigned = std::is_same_v<Conversion, arith::FPToSIOp>;
    Number x(builder, op.getIn());
    if (from.getIntOrFloatBitWidth() < 32)
      x = x.extendFloat(builder.getF32Type());
    Number result = saturates && isWidthOfGpu(width) ? saturateToInt(x, width, isSigned)
                                                     : expandFloatToInt(x, width, isSigned);
    rewriter.replaceOp(op, Value(result));
    return success();
  }

private:
  bool saturates;
};

struct ExpandFloatToIntPass : impl::ExpandFloatToIntBase<ExpandFloatToIntPass> {
  using ExpandFloatToIntBase::ExpandFloatToIntBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateExpandFloatToIntPatterns(patterns, saturates);
    applyPatternsOnce(getOperation(), std::move(patterns));
  }
};

} // namespace

void populateExpandFloatToIntPatterns(RewritePatternSet &patterns, bool saturates) {
  patterns.add<ExpandConversion<arith::FPToSIOp>, ExpandConversion<arith::FPToUIOp>>(
      patterns.getContext(), saturates);
}

} // namespace eft
