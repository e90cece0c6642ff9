// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-lower-to-cpu: the pass, and the code that makes vectors.
#include "compiler/lowering/Passes.h"

#include "compiler/lowering/LinearCode.h"
#include "compiler/lowering/cpu/CpuLowering.h"
#include "compiler/lowering/cpu/ProgramLoop.h"
#include "compiler/lowering/cpu/StackLifetimes.h"
#include "compiler/lowering/cpu/StopPolls.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_LOWERTOCPU
#include "compiler/lowering/Passes.h.inc"

void CpuLowering::addProgramArguments(func::FuncOp kernel) {
  Type i32 = IntegerType::get(context, 32);
  for (unsigned i = 0; i < 6; ++i)
    program.push_back(kernel.getBody().front().addArgument(i32, kernel.getLoc()));
}

Type CpuLowering::fragmentType(RankedTensorType block, Type element) {
  return VectorType::get(int64_t(1) << placeBits(block, "lane"), element);
}

Value CpuLowering::splat(ImplicitLocOpBuilder &b, Value scalar, Type fragment) {
  return b.create<vector::SplatOp>(fragment, scalar);
}

CpuLowering::Fragments CpuLowering::arange(ImplicitLocOpBuilder &b, RankedTensorType block,
                                           int64_t start) {
  LinearLayout layout = *layoutOf(block);
  // The packed place; a dimension that the layout does not have has no bits.
  auto at = [&](StringRef dimension, uint64_t value) -> uint64_t {
    std::optional<unsigned> number = layout.source().find(std::string_view(dimension));
    return number ? value << layout.source().dims()[*number].offset : 0;
  };
  auto type = cast<VectorType>(fragmentType(block, block.getElementType()));
  Fragments result;
  for (unsigned step = 0; step < numFragments(block); ++step) {
    SmallVector<int32_t> coordinates;
    for (int64_t lane = 0; lane < type.getNumElements(); ++lane)
      coordinates.push_back(
          int32_t(start + int64_t(layout.applyPacked(at("lane", lane) | at("step", step)))));
    result.push_back(
        b.create<arith::ConstantOp>(DenseElementsAttr::get(type, ArrayRef(coordinates))));
  }
  return result;
}

/// A CPU divides as fast as it would correct a product, and at no cost beside the memory.
CpuLowering::Fragments CpuLowering::uniformDiv(ImplicitLocOpBuilder &b, UniformDivOp op) {
  Fragments dividends(fragmentsOf(op.getDividend()));
  Value divisor = splat(b, scalarOf(op.getDivisor()), dividends.front().getType());
  Fragments results;
  for (Value dividend : dividends)
    results.push_back(b.create<arith::DivFOp>(dividend, divisor));
  return results;
}

LogicalResult CpuLowering::lowerInto(ImplicitLocOpBuilder &b, Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](DotIntoOp dot) { return lowerDotInto(b, dot); })
      .Case([&](SortIntoOp sort) { return lowerSortInto(b, sort); })
      .Case([&](BufferReadOp take) { return lowerMovedTake(b, take), success(); })
      .Case([&](BufferGatherOp pick) { return lowerBufferGather(b, pick), success(); })
      .Case([&](PrintOp print) { return printBuffer(b, print), success(); })
      .Default([&](Operation *) { return lowerScanInto(b, cast<ScanIntoOp>(op)); });
}

namespace {

/// A thread's stack has 8 MiB by default, and the caller's frames are on it too.
constexpr int64_t maxStackBytes = 4 * 1024 * 1024;

LogicalResult checkStack(func::FuncOp kernel) {
  const int64_t bytes = markStackLifetimes(kernel);
  if (bytes <= maxStackBytes)
    return success();
  return emitError(kernel.getLoc())
         << "kernel needs " << bytes << " bytes of stack for its blocks, more than "
         << maxStackBytes << "; use smaller blocks";
}

struct LowerToCpuPass : impl::LowerToCpuBase<LowerToCpuPass> {
  using LowerToCpuBase::LowerToCpuBase;

  void runOnOperation() override {
    if (vectorBits < 64 || !llvm::isPowerOf2_32(vectorBits)) {
      getOperation().emitError("vector-bits must be a power of two of at least 64, got ")
          << vectorBits.getValue();
      return signalPassFailure();
    }
    for (auto kernel : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (failed(lower(kernel)))
        return signalPassFailure();
  }

private:
  /// A program on a CPU has no other places than lanes and steps.
  LogicalResult checkLayouts(func::FuncOp kernel) {
    WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
      for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
        for (Type type : types)
          if (!isOfCpu(type))
            return op->emitOpError(
                       "has a layout that puts elements elsewhere than in lanes and steps, "
                       "got ")
                   << type;
      return success();
    });
    return failure(result.wasInterrupted());
  }

  static bool isOfCpu(Type type) {
    auto buffer = dyn_cast<BufferType>(type);
    std::optional<LinearLayout> layout = layoutOf(buffer ? buffer.getBlock() : type);
    return !layout || isOfCpu(*layout);
  }

  static bool isOfCpu(const LinearLayout &layout) {
    std::vector<PlaceBases> places = layout.bases();
    std::erase_if(places, [](const PlaceBases &place) {
      return place.name != "lane" && place.name != "step";
    });
    std::string error;
    return LinearLayout::create(places, layout.shape(), error)->rank() == layout.rank();
  }

  LogicalResult lower(func::FuncOp kernel) {
    if (failed(FragmentLowering::checkKernel(kernel)) || failed(checkLayouts(kernel)))
      return failure();
    CpuLowering lowering(&getContext(), vectorBits);
    lowering.takeArguments(kernel);
    lowering.addProgramArguments(kernel);
    if (failed(lowering.lower(kernel.getBody())))
      return failure();
    lowering.dropArguments(kernel);
    if (failed(checkStack(kernel)))
      return failure();
    if (stoppable)
      emitStopPolls(kernel);
    makeProgramLoop(kernel, stoppable);
    return success();
  }
};

} // namespace
} // namespace eft
