// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-lower-to-llvm: branches for control flow, then upstream's conversions to the LLVM dialect.
#include "compiler/lowering/Branches.h"
#include "compiler/lowering/Passes.h"
#include "compiler/lowering/gpu/InlinePtx.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/LLVMCommon/VectorPattern.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_LOWERTOLLVM
#include "compiler/lowering/Passes.h.inc"

namespace {

/// Calls the hardware's approximation of 2^x. (LLVM 19 has no instruction for its own function.)
struct CallApproximateExp2 : ConvertOpToLLVMPattern<math::Exp2Op> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(math::Exp2Op op, OpAdaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op.getType().isF32() || !bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn))
      return rewriter.notifyMatchFailure(op, "not an approximation of f32");
    auto name = rewriter.getStringAttr("llvm.nvvm.ex2.approx.ftz.f");
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(op, op.getType(), name,
                                                       operands.getOperand());
    return success();
  }
};

struct LowerToLLVMPass : impl::LowerToLLVMBase<LowerToLLVMPass> {
  using LowerToLLVMBase::LowerToLLVMBase;

  void runOnOperation() override {
    // A GPU's code has no tiled loops by the hundred, and its PTX is shorter if all test at their
    // start.
    for (auto function : getOperation().getOps<func::FuncOp>())
      branchControlFlow(function, isOfGpu(function) ? LoopTest::AtStart : LoopTest::AtEnd);
    MLIRContext *context = &getContext();
    LLVMTypeConverter types(context);
    RewritePatternSet patterns(context);
    populateSCFToControlFlowConversionPatterns(patterns);
    cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
    arith::populateArithToLLVMConversionPatterns(types, patterns);
    populateMathToLLVMConversionPatterns(types, patterns);
    populateVectorToLLVMConversionPatterns(types, patterns);
    populateFuncToLLVMConversionPatterns(types, patterns);
    populateNVVMToLLVMConversionPatterns(patterns);
    populateThreadAccessPatterns(patterns);
    populateThreadAtomicPatterns(patterns);
    patterns.add<VectorConvertToLLVMPattern<MinNumOp, LLVM::MinNumOp>,
                 VectorConvertToLLVMPattern<MaxNumOp, LLVM::MaxNumOp>>(types);
    patterns.add<CallApproximateExp2>(types, /*benefit=*/2);

    LLVMConversionTarget target(*context);
    target.addLegalOp<ModuleOp>();
    target.addLegalDialect<NVVM::NVVMDialect>();
    // LLVM has no intrinsics for these: they become inline assembly.
    target.addIllegalOp<NVVM::FenceProxyOp, NVVM::WgmmaFenceAlignedOp,
                        NVVM::WgmmaGroupSyncAlignedOp, NVVM::WgmmaWaitGroupSyncOp>();
    target.addLegalOp<StopOp>();
    if (failed(applyFullConversion(getOperation(), target, std::move(patterns))))
      return signalPassFailure();
    SmallVector<StopOp> stops;
    getOperation().walk([&](StopOp stop) { stops.push_back(stop); });
    llvm::for_each(stops, makeReturn);
    IRRewriter rewriter(context);
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      if (!stops.empty())
        (void)eraseUnreachableBlocks(rewriter, function->getRegions());
      markKernel(function);
      markConvergent(function);
    }
  }

private:
  /// True for a kernel, or a part of one, for a GPU.
  static bool isOfGpu(func::FuncOp function) {
    return function->hasAttr(EftDialect::threadsName) ||
           function->hasAttr(EftDialect::convergentName);
  }

  /// Ends the function here; what stood behind gets a block that nothing reaches.
  static void makeReturn(StopOp stop) {
    stop->getBlock()->splitBlock(stop->getNextNode());
    OpBuilder builder(stop);
    auto function = stop->getParentOfType<LLVM::LLVMFuncOp>();
    SmallVector<Value> isStopped; // which a part of a kernel says
    if (Type type = function.getFunctionType().getReturnType(); !isa<LLVM::LLVMVoidType>(type))
      isStopped.push_back(builder.create<LLVM::ConstantOp>(stop.getLoc(), type, 1));
    builder.create<LLVM::ReturnOp>(stop.getLoc(), isStopped);
    stop.erase();
  }

  /// Says in NVVM's words that a function is a kernel of so many threads and registers.
  void markKernel(LLVM::LLVMFuncOp function) {
    auto threads =
        dyn_cast_or_null<IntegerAttr>(function->removeDiscardableAttr(EftDialect::threadsName));
    if (!threads)
      return;
    Builder builder(function.getContext());
    function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), builder.getUnitAttr());
    function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                      builder.getDenseI32ArrayAttr({int32_t(threads.getInt()), 1, 1}));
    if (maxRegisters != 0)
      function->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(),
                        builder.getI32IntegerAttr(maxRegisters));
  }

  /// Says in LLVM's words that a function has operations that threads do together.
  static void markConvergent(LLVM::LLVMFuncOp function) {
    if (!function->removeDiscardableAttr(EftDialect::convergentName))
      return;
    SmallVector<Attribute> words(function.getPassthroughAttr().getValue());
    words.push_back(StringAttr::get(function.getContext(), "convergent"));
    function.setPassthroughAttr(ArrayAttr::get(function.getContext(), words));
  }
};

} // namespace
} // namespace eft
