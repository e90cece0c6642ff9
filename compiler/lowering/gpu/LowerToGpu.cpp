// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-lower-to-gpu: the pass, and the table of its lowering functions.
#include "compiler/lowering/Passes.h"

#include "compiler/layout/Placement.h"
#include "compiler/lowering/StackLifetimes.h"
#include "compiler/lowering/gpu/GpuLowering.h"
#include "compiler/lowering/gpu/GpuRemainder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_LOWERTOGPU
#include "compiler/lowering/Passes.h.inc"

namespace {

void populateGpuLowerings(LoweringTable &table) {
  populateValueLowerings(table);
  populateMoveLowerings(table);
  populateBufferLowerings(table);
  populateReduceLowerings(table);
  populateScanLowerings(table);
  populateMapLowerings(table);
  populateGpuProgramLowerings(table);
  populateGpuMemoryLowerings(table);
  populateGpuAtomicLowerings(table);
  populateGpuCopyLowerings(table);
  populateGpuDotLowerings(table);
  populateGpuHistogramLowerings(table);
  populateWarpgroupLowerings(table);
  populateGpuDivisionLowerings(table);
  populateGpuConversionLowerings(table);
  populateGpuFloat8Lowerings(table);
  populateGpuDebugLowerings(table);
  populateGpuAssemblyLowerings(table);
}

/// The bytes of local memory that a thread can have.
constexpr int64_t maxLocalBytes = 512 * 1024;

LogicalResult layOutLocalMemory(func::FuncOp kernel) {
  const int64_t bytes = markStackLifetimes(kernel).atOnce;
  if (bytes > maxLocalBytes)
    return emitError(kernel.getLoc())
           << "kernel needs " << bytes
           << " bytes of a thread's local memory for its blocks, more than " << maxLocalBytes
           << "; use smaller blocks or more warps";
  return success();
}

struct LowerToGpuPass : impl::LowerToGpuBase<LowerToGpuPass> {
  using LowerToGpuBase::LowerToGpuBase;

  void runOnOperation() override {
    if (std::string fault = validateNumWarps(numWarps); !fault.empty()) {
      getOperation().emitError("eft-lower-to-gpu: num-warps ") << fault;
      return signalPassFailure();
    }
    LoweringTable table;
    populateGpuLowerings(table);
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (failed(lower(kernel, table)))
        return signalPassFailure();
  }

private:
  /// Checks that the layout of every block covers the whole block and has as many lanes and warps
  /// as the kernel.
  LogicalResult checkLayouts(func::FuncOp kernel) {
    WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
      for (Type type : op->getResultTypes())
        if (std::optional<LinearLayout> layout = layoutOf(type); layout && !fits(*layout))
          return op->emitOpError("has a layout that is not one of whole blocks over ")
                 << numWarps.getValue() << " warps of " << lanesPerWarp << " lanes, got " << type;
      return success();
    });
    return failure(result.wasInterrupted());
  }

  bool fits(const LinearLayout &layout) const {
    return layout.source().find("register") && layout.isSurjective() &&
           layout.placeBits("lane") == llvm::Log2_32(lanesPerWarp) &&
           layout.placeBits("warp") == llvm::Log2_32(numWarps);
  }

  /// True for an elementwise operation or element move whose result is a block of booleans.
  static bool givesBooleans(Operation *op) {
    return op->getNumResults() == 1 && !op->use_empty() && isPure(op) &&
           isa<RankedTensorType>(op->getResult(0).getType()) &&
           getElementTypeOrSelf(op->getResult(0)).isInteger(1) &&
           (OpTrait::hasElementwiseMappableTraits(op) || isa<ElementMoveOpInterface>(op));
  }

  /// Moves operations that make blocks of booleans to the first use of their results. A thread has
  /// only seven registers for booleans, but many for the elements that are compared.
  static void sinkComparisons(func::FuncOp kernel) {
    kernel.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
      if (!givesBooleans(op))
        return;
      Operation *first = nullptr;
      for (Operation *user : op->getUsers()) {
        Operation *around = op->getBlock()->findAncestorOpInBlock(*user);
        if (!first || around->isBeforeInBlock(first))
          first = around;
      }
      op->moveBefore(first);
    });
  }

  LogicalResult lower(func::FuncOp kernel, const LoweringTable &table) {
    if (failed(FragmentLowering::checkKernel(kernel)) || failed(checkLayouts(kernel)))
      return failure();
    sinkComparisons(kernel);
    GpuLowering lowering(kernel, table, computeCapability);
    lowering.takeArguments(kernel);
    if (failed(lowering.lower(kernel.getBody())))
      return failure();
    lowering.dropArguments(kernel);
    lowering.finish(kernel);
    if (failed(layOutLocalMemory(kernel)))
      return failure();
    expandRemainders(kernel);
    kernel->setAttr(EftDialect::threadsName,
                    Builder(&getContext()).getI32IntegerAttr(numWarps * lanesPerWarp));
    return success();
  }
};

} // namespace
} // namespace eft
