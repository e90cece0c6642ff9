// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-lower-to-llvm: replaces structured control flow by branches, then runs upstream's conversions
// to the LLVM dialect.
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
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_LOWERTOLLVM
#include "compiler/lowering/Passes.h.inc"

namespace {

/// Converts an approximate 2^x to the hardware's instruction. (LLVM 19's code generator for GPUs
/// has no instruction for LLVM's own function `llvm.exp2`.)
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

/// Converts an approximate 1 / x to the hardware's instruction.
struct CallApproximateReciprocal : ConvertOpToLLVMPattern<arith::DivFOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(arith::DivFOp op, OpAdaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op.getType().isF32() || !matchPattern(op.getLhs(), m_OneFloat()) ||
        !bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn))
      return rewriter.notifyMatchFailure(op, "not an approximation of f32");
    auto name = rewriter.getStringAttr("llvm.nvvm.rcp.approx.ftz.f");
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(op, op.getType(), name, operands.getRhs());
    return success();
  }
};

struct LowerToLLVMPass : impl::LowerToLLVMBase<LowerToLLVMPass> {
  using LowerToLLVMBase::LowerToLLVMBase;

  void runOnOperation() override {
    // GPU code does not have hundreds of tiled loops, and its PTX is shorter if all loops test at
    // their start.
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
    populateConversionPtxPatterns(patterns);
    patterns.add<VectorConvertToLLVMPattern<MinNumOp, LLVM::MinNumOp>,
                 VectorConvertToLLVMPattern<MaxNumOp, LLVM::MaxNumOp>>(types);
    if (llvm::any_of(getOperation().getOps<func::FuncOp>(), isOfGpu))
      patterns.add<CallApproximateExp2, CallApproximateReciprocal>(types, /*benefit=*/2);

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
  /// True for a GPU's kernel, or for a part of one.
  static bool isOfGpu(func::FuncOp function) {
    return function->hasAttr(EftDialect::threadsName) ||
           function->hasAttr(EftDialect::convergentName);
  }

  /// Replaces a stop by a return. The operations after it move to a block that nothing reaches.
  static void makeReturn(StopOp stop) {
    stop->getBlock()->splitBlock(stop->getNextNode());
    OpBuilder builder(stop);
    auto function = stop->getParentOfType<LLVM::LLVMFuncOp>();
    SmallVector<Value> isStopped; // the result of a part of a kernel
    if (Type type = function.getFunctionType().getReturnType(); !isa<LLVM::LLVMVoidType>(type))
      isStopped.push_back(builder.create<LLVM::ConstantOp>(stop.getLoc(), type, 1));
    builder.create<LLVM::ReturnOp>(stop.getLoc(), isStopped);
    stop.erase();
  }

  /// Sets the NVVM attributes of a GPU's kernel: that it is one, its number of threads, and, if
  /// there is a limit, its most registers. Does nothing for other functions.
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

  /// Sets LLVM's attribute `convergent` on a function that has convergent operations.
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
