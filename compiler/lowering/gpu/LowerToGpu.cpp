// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-lower-to-gpu: the pass, and the code by which a thread computes its place.
#include "compiler/lowering/Passes.h"

#include "compiler/layout/Placement.h"
#include "compiler/lowering/LinearCode.h"
#include "compiler/lowering/gpu/GpuLowering.h"
#include "compiler/lowering/gpu/GpuRemainder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_LOWERTOGPU
#include "compiler/lowering/Passes.h.inc"

namespace {

constexpr unsigned maxThreads = 1024;

/// The coordinates that the bits of a thread's number add: the lane's bits, then the warp's.
SmallVector<int64_t> imagesOfThread(const LinearLayout &layout, unsigned dimension) {
  SmallVector<int64_t> images = imagesOf(layout, "lane", dimension);
  images.resize(llvm::Log2_32(lanesPerWarp));
  images.append(imagesOf(layout, "warp", dimension));
  return images;
}

Value threadId(ImplicitLocOpBuilder &b) { return b.create<NVVM::ThreadIdXOp>(b.getI32Type()); }

} // namespace

GpuLowering::Fragments GpuLowering::arange(ImplicitLocOpBuilder &b, RankedTensorType block,
                                           int64_t start) {
  LinearLayout layout = *layoutOf(block);
  SmallVector<int64_t> registerImages = imagesOf(layout, "register", 0);
  int64_t registerMask = 0;
  for (int64_t image : registerImages)
    registerMask |= image;
  SmallVector<int64_t> threadImages = imagesOfThread(layout, 0);
  bool isDisjoint =
      llvm::all_of(threadImages, [&](int64_t image) { return (image & registerMask) == 0; });

  Value ofThread = emitLinearMap(b, threadId(b), threadImages);
  auto constant = [&](int64_t value) { return b.create<arith::ConstantIntOp>(value, 32); };
  Fragments result;
  for (unsigned fragment = 0; fragment < numFragments(block); ++fragment) {
    int64_t ofRegister = 0;
    for (auto [bit, image] : llvm::enumerate(registerImages))
      ofRegister ^= (fragment >> bit & 1) ? image : 0;
    // Without common bits, a sum is the same as an exclusive or, and folds into addresses.
    if (isDisjoint) {
      result.push_back(b.create<arith::AddIOp>(ofThread, constant(ofRegister + start),
                                               arith::IntegerOverflowFlags::nsw));
      continue;
    }
    Value index = b.create<arith::XOrIOp>(ofThread, constant(ofRegister));
    result.push_back(b.create<arith::AddIOp>(index, constant(start)));
  }
  return result;
}

Value GpuLowering::coordinate(ImplicitLocOpBuilder &b, const LinearLayout &layout, unsigned dim,
                              unsigned fragment) {
  int64_t ofRegister = 0;
  for (auto [bit, image] : llvm::enumerate(imagesOf(layout, "register", dim)))
    ofRegister ^= (fragment >> bit & 1) ? image : 0;
  Value ofThread = emitLinearMap(b, threadId(b), imagesOfThread(layout, dim));
  return b.create<arith::XOrIOp>(ofThread, b.create<arith::ConstantIntOp>(ofRegister, 32));
}

unsigned GpuLowering::redundantThreadBits(const LinearLayout &layout) {
  return layout.redundantBits("lane") | layout.redundantBits("warp") << llvm::Log2_32(lanesPerWarp);
}

Value GpuLowering::storingThread(ImplicitLocOpBuilder &b, Type type) {
  std::optional<LinearLayout> layout = layoutOf(type);
  // Every thread holds a scalar.
  unsigned redundant = layout ? redundantThreadBits(*layout) : maxThreads - 1;
  if (redundant == 0)
    return {};
  Value bits = b.create<arith::AndIOp>(threadId(b), b.create<arith::ConstantIntOp>(redundant, 32));
  return b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, bits,
                                 b.create<arith::ConstantIntOp>(0, 32));
}

Value GpuLowering::programId(ImplicitLocOpBuilder &b, Axis axis) {
  switch (axis) {
  case Axis::X:
    return b.create<NVVM::BlockIdXOp>(b.getI32Type());
  case Axis::Y:
    return b.create<NVVM::BlockIdYOp>(b.getI32Type());
  case Axis::Z:
    return b.create<NVVM::BlockIdZOp>(b.getI32Type());
  }
}

Value GpuLowering::numPrograms(ImplicitLocOpBuilder &b, Axis axis) {
  switch (axis) {
  case Axis::X:
    return b.create<NVVM::GridDimXOp>(b.getI32Type());
  case Axis::Y:
    return b.create<NVVM::GridDimYOp>(b.getI32Type());
  case Axis::Z:
    return b.create<NVVM::GridDimZOp>(b.getI32Type());
  }
}

namespace {

struct LowerToGpuPass : impl::LowerToGpuBase<LowerToGpuPass> {
  using LowerToGpuBase::LowerToGpuBase;

  void runOnOperation() override {
    if (std::string fault = validateNumWarps(numWarps); !fault.empty()) {
      getOperation().emitError("eft-lower-to-gpu: num-warps ") << fault;
      return signalPassFailure();
    }
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (failed(lower(kernel)))
        return signalPassFailure();
  }

private:
  /// Checks that every block lies in the threads that the kernel will have, all of it.
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

  LogicalResult lower(func::FuncOp kernel) {
    if (failed(FragmentLowering::checkKernel(kernel)) || failed(checkLayouts(kernel)))
      return failure();
    GpuLowering lowering(kernel, computeCapability);
    lowering.takeArguments(kernel);
    if (failed(lowering.lower(kernel.getBody())))
      return failure();
    lowering.dropArguments(kernel);
    lowering.finish(kernel);
    expandRemainders(kernel);
    kernel->setAttr(EftDialect::threadsName,
                    Builder(&getContext()).getI32IntegerAttr(numWarps * lanesPerWarp));
    return success();
  }
};

} // namespace
} // namespace eft
