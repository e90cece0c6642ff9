// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The GPU's side of the lowering: a fragment is a scalar of the thread at hand.
#pragma once

#include "compiler/lowering/FragmentLowering.h"
#include "compiler/lowering/gpu/SharedMemory.h"
#include "compiler/lowering/gpu/Staging.h"
#include "compiler/lowering/gpu/UniformControl.h"

namespace eft {

class GpuLowering : public FragmentLowering {
public:
  GpuLowering(mlir::func::FuncOp kernel, unsigned computeCapability)
      : FragmentLowering(kernel.getContext(), {"register", "lane", "warp"}), shared(kernel),
        computeCapability(computeCapability), hasLoads(contains<LoadOp, CopyAsyncOp>(kernel)),
        hasWarpgroups(contains<DotAsyncOp>(kernel)) {}

  /// Makes control uniform where it must be, and gives the kernel its shared memory. To be called
  /// after `lower`.
  void finish(mlir::func::FuncOp kernel) {
    makeControlUniform(kernel, shared);
    shared.finish();
    if (hasWarpgroups)
      kernel->setAttr(EftDialect::warpgroupsName, mlir::UnitAttr::get(context));
  }

private:
  template <typename... Ops> static bool contains(mlir::func::FuncOp kernel) {
    return kernel
        .walk([](mlir::Operation *op) {
          return mlir::isa<Ops...>(op) ? mlir::WalkResult::interrupt()
                                       : mlir::WalkResult::advance();
        })
        .wasInterrupted();
  }

  mlir::Type fragmentType(mlir::RankedTensorType, mlir::Type element) override { return element; }
  mlir::Value splat(mlir::ImplicitLocOpBuilder &, mlir::Value scalar, mlir::Type) override {
    return scalar;
  }
  Fragments arange(mlir::ImplicitLocOpBuilder &b, mlir::RankedTensorType block,
                   int64_t start) override;
  mlir::LogicalResult lowerLoad(mlir::ImplicitLocOpBuilder &b, LoadOp load) override;
  mlir::LogicalResult lowerStore(mlir::ImplicitLocOpBuilder &b, StoreOp store) override;
  mlir::LogicalResult lowerAtomic(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op) override;
  mlir::LogicalResult lowerDot(mlir::ImplicitLocOpBuilder &b, DotOp dot) override;
  mlir::LogicalResult lowerInto(mlir::ImplicitLocOpBuilder &, mlir::Operation *op) override {
    return op->emitOpError("works on a CPU's memory, and has no lowering for a GPU");
  }
  mlir::LogicalResult lowerShared(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op) override;
  bool isLeftToUser(mlir::Operation *op) override;
  void lowerBarrier(mlir::ImplicitLocOpBuilder &b) override;
  mlir::LogicalResult lowerPrint(mlir::ImplicitLocOpBuilder &b, PrintOp print) override;
  void lowerAssert(mlir::ImplicitLocOpBuilder &b, AssertOp assertion) override;
  Fragments uniformDiv(mlir::ImplicitLocOpBuilder &b, UniformDivOp division) override;
  mlir::Value programId(mlir::ImplicitLocOpBuilder &b, Axis axis) override;
  mlir::Value numPrograms(mlir::ImplicitLocOpBuilder &b, Axis axis) override;
  mlir::Value isOdd(mlir::ImplicitLocOpBuilder &b, uint64_t threads, unsigned laneBits) override;
  mlir::Value shuffleLanes(mlir::ImplicitLocOpBuilder &b, mlir::Value fragment,
                           const ShufflePlan &plan, uint64_t lanes) override;
  mlir::Value indexAt(mlir::ImplicitLocOpBuilder &b, const LinearLayout &layout,
                      unsigned fragment) override;
  llvm::SmallVector<Fragments> pick(mlir::ImplicitLocOpBuilder &b,
                                    llvm::ArrayRef<Fragments> sources, const LinearLayout &from,
                                    llvm::ArrayRef<mlir::Value> indices) override;
  llvm::SmallVector<Fragments> fetchThroughMemory(mlir::ImplicitLocOpBuilder &b,
                                                  llvm::ArrayRef<Fragments> sources,
                                                  const Fetch &fetch) override;
  mlir::Value scalarOfFragment(mlir::ImplicitLocOpBuilder &, mlir::Value fragment) override {
    return fragment;
  }

  /// A coordinate of the element that this thread holds in one of its registers.
  static mlir::Value coordinate(mlir::ImplicitLocOpBuilder &b, const LinearLayout &layout,
                                unsigned dim, unsigned fragment);

  /// The condition under which this thread is the one that stores its elements; null if it always
  /// is.
  mlir::Value storingThread(mlir::ImplicitLocOpBuilder &b, mlir::Type block);

  /// The bits of a thread's number that make no difference to the elements that it holds.
  static unsigned redundantThreadBits(const LinearLayout &layout);

  /// Does the atomic operation in the threads for which `isOwner` is true, or in all if it is null.
  /// Returns the fragments that memory held before.
  Fragments applyAtomic(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op, mlir::Value isOwner);

  // GpuCopies.cpp
  mlir::LogicalResult lowerCopy(mlir::ImplicitLocOpBuilder &b, CopyAsyncOp copy);
  /// True if a product reads the slot by itself.
  static bool isReadByProduct(ReadSharedOp read);
  /// A staging that reads a slot's block.
  Staging readerOf(mlir::ImplicitLocOpBuilder &b, ReadSharedOp read);
  mlir::Value slotOf(mlir::ImplicitLocOpBuilder &b, mlir::Value shared, mlir::Value slot);

  // WarpgroupDots.cpp
  mlir::LogicalResult lowerDotAsync(mlir::ImplicitLocOpBuilder &b, DotAsyncOp dot);
  void lowerWaitDots(mlir::ImplicitLocOpBuilder &b, WaitDotsOp wait);
  /// Lets warpgroups see what this thread has written to shared memory.
  static void showToWarpgroups(mlir::ImplicitLocOpBuilder &b);

  class Factor; // GpuDot.cpp
  /// Writes the elements that other warps need of the factors into shared memory.
  void writeFactors(mlir::ImplicitLocOpBuilder &b, llvm::MutableArrayRef<Factor> factors);

  SharedMemory shared;
  llvm::SmallVector<mlir::Value> allocated; // slots, in the order of their allocation
  unsigned computeCapability;
  bool hasLoads, hasWarpgroups;
};

} // namespace eft
