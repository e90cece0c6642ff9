// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions that convert floats to integers. Their results are defined for every float, but
// LLVM's own conversions are undefined outside of the integer's range.
#include "compiler/ir/EftDialect.h"
#include "compiler/lowering/gpu/InlinePtx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace eft {

namespace {

template <typename Conversion> struct LowerSaturating : OpRewritePattern<Conversion> {
  LowerSaturating(MLIRContext *context) : OpRewritePattern<Conversion>(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(Conversion op, PatternRewriter &rewriter) const override {
    if (!op->hasAttr(EftDialect::saturatingName))
      return rewriter.notifyMatchFailure(op, "need not saturate");
    Type source = op.getIn().getType();
    if (!source.isF32() && !source.isF64())
      return rewriter.notifyMatchFailure(op, "not from f32 or f64");
    const unsigned from = source.getIntOrFloatBitWidth();
    const unsigned width = op.getType().getIntOrFloatBitWidth();
    if (width < 8 || width > 64 || !llvm::isPowerOf2_32(width))
      return rewriter.notifyMatchFailure(op, "not to 8, 16, 32 or 64 bits");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    constexpr bool isSigned = std::is_same_v<Conversion, arith::FPToSIOp>;
    if (width >= 32) {
      std::string name = std::string("llvm.nvvm.") + (from == 64 ? "d" : "f") + "2" +
                         (isSigned ? "" : "u") + (width == 64 ? "ll" : "i") + ".rz";
      rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(op, op.getType(), b.getStringAttr(name),
                                                         op.getIn());
      return success();
    }
    // LLVM has no intrinsics for 8 and 16 bits. A result of 8 bits is in the lower half of a
    // register of 16 bits.
    std::string ptx = std::string("cvt.rzi.") + (isSigned ? "s" : "u") + std::to_string(width) +
                      ".f" + std::to_string(from) + " $0, $1;";
    Value result =
        emitPtx(b, b.getI16Type(), op.getIn(), ptx, from == 64 ? "=h,d" : "=h,f", PtxEffects::None)
            .getRes();
    if (width < 16)
      result = b.create<LLVM::TruncOp>(op.getType(), result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void populateConversionPtxPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerSaturating<arith::FPToSIOp>, LowerSaturating<arith::FPToUIOp>>(
      patterns.getContext());
}

} // namespace eft
