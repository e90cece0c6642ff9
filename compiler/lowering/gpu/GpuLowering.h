// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The GPU's side of the lowering: a fragment is a scalar of the thread at hand.
#pragma once

#include "compiler/lowering/FragmentLowering.h"
#include "compiler/lowering/gpu/LocalMemory.h"
#include "compiler/lowering/gpu/SharedMemory.h"
#include "compiler/lowering/gpu/Staging.h"
#include "compiler/lowering/gpu/UniformControl.h"

namespace eft {

class GpuLowering : public FragmentLowering {
public:
  GpuLowering(mlir::func::FuncOp kernel, const LoweringTable &table, unsigned computeCapability)
      : FragmentLowering(kernel.getContext(), table, "a GPU", {"register", "lane", "warp"}),
        shared(kernel), local(kernel), computeCapability(computeCapability),
        hasLoads(contains<LoadOp, AtomicLoadOp, CopyAsyncOp>(kernel)),
        hasLoadsOfOne(loadsOne(kernel)), hasWarpgroups(contains<DotAsyncOp>(kernel)) {}

  /// Makes control uniform where it must be, and gives the kernel its shared memory. To be called
  /// after `lower`.
  void finish(mlir::func::FuncOp kernel) {
    makeControlUniform(kernel, shared);
    shared.finish();
    if (hasWarpgroups)
      kernel->setAttr(EftDialect::warpgroupsName, mlir::UnitAttr::get(context));
  }

  /// The address of a slot of a block in shared memory.
  mlir::Value slotOf(mlir::ImplicitLocOpBuilder &b, mlir::Value shared, mlir::Value slot);
  /// A staging that reads a slot's block.
  Staging readerOf(mlir::ImplicitLocOpBuilder &b, ReadSharedOp read);

  SharedMemory shared;
  LocalMemory local;
  llvm::SmallVector<mlir::Value> allocated; // slots, in the order of their allocation
  const unsigned computeCapability;
  /// Whether the kernel loads, and whether it loads single elements.
  const bool hasLoads, hasLoadsOfOne;
  const bool hasWarpgroups;

  /// Whether the kernel may load what a store of this type has stored, at the same position of a
  /// block. A single element has its only position in common with single elements alone.
  bool mayLoadAgain(mlir::Type stored) const { return isOne(stored) ? hasLoadsOfOne : hasLoads; }

private:
  static bool isOne(mlir::Type type) {
    auto block = mlir::dyn_cast<mlir::RankedTensorType>(type);
    return !block || block.getNumElements() == 1;
  }
  static bool loadsOne(mlir::func::FuncOp kernel) {
    auto result = kernel.walk([](mlir::Operation *op) {
      const bool loads = mlir::isa<LoadOp, AtomicLoadOp>(op);
      return loads && isOne(op->getResult(0).getType()) ? mlir::WalkResult::interrupt()
                                                        : mlir::WalkResult::advance();
    });
    return result.wasInterrupted();
  }
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
  mlir::Value scalarOfFragment(mlir::ImplicitLocOpBuilder &, mlir::Value fragment) override {
    return fragment;
  }

  // GpuExchange.cpp
  mlir::Value isOdd(mlir::ImplicitLocOpBuilder &b, uint64_t threads, unsigned laneBits) override;
  mlir::Value shuffleLanes(mlir::ImplicitLocOpBuilder &b, mlir::Value fragment,
                           const ShufflePlan &plan, uint64_t lanes) override;
  Fragments shuffleBooleans(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<mlir::Value> source,
                            const Fetch &fetch) override;
  mlir::Value indexAt(mlir::ImplicitLocOpBuilder &b, const LinearLayout &layout,
                      unsigned fragment) override;
  llvm::SmallVector<Fragments> gather(mlir::ImplicitLocOpBuilder &b,
                                      llvm::ArrayRef<Fragments> sources, const LinearLayout &from,
                                      llvm::ArrayRef<mlir::Value> indices) override;
  llvm::SmallVector<Fragments> fetchThroughMemory(mlir::ImplicitLocOpBuilder &b,
                                                  llvm::ArrayRef<Fragments> sources,
                                                  const Fetch &fetch) override;
};

/// Adds the lowerings of operations that a GPU has its own code for.
void populateGpuProgramLowerings(LoweringTable &table);
void populateGpuMemoryLowerings(LoweringTable &table);
void populateGpuAtomicLowerings(LoweringTable &table);
void populateGpuCopyLowerings(LoweringTable &table);
void populateGpuDotLowerings(LoweringTable &table);
void populateGpuHistogramLowerings(LoweringTable &table);
void populateWarpgroupLowerings(LoweringTable &table);
void populateGpuDivisionLowerings(LoweringTable &table);
void populateGpuConversionLowerings(LoweringTable &table);
void populateGpuFloat8Lowerings(LoweringTable &table);
void populateGpuDebugLowerings(LoweringTable &table);
void populateGpuAssemblyLowerings(LoweringTable &table);

//===----------------------------------------------------------------------===//
// The thread at hand: GpuProgram.cpp
//===----------------------------------------------------------------------===//

/// The program's position in the grid.
mlir::Value programId(mlir::ImplicitLocOpBuilder &b, Axis axis);

/// A coordinate of the element that this thread holds in one of its registers.
mlir::Value coordinate(mlir::ImplicitLocOpBuilder &b, const LinearLayout &layout, unsigned dim,
                       unsigned fragment);

/// The condition under which this thread is the one that stores its elements; null if it always is.
mlir::Value storingThread(mlir::ImplicitLocOpBuilder &b, mlir::Type block);

/// True if an element's copies lie in different threads, whose numbers differ only in redundant
/// bits.
bool hasPlainCopies(const LinearLayout &layout);

/// Emits the error that an operation can't be done once for each element of the block.
mlir::LogicalResult refuseCopies(mlir::Operation *op, mlir::Type block);

/// The bits of a thread's number that make no difference to the elements that it holds.
unsigned redundantThreadBits(const LinearLayout &layout);

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// True if a product reads the slot by itself (GpuDot.cpp).
bool isReadByProduct(ReadSharedOp read);

/// Lets warpgroups see what this thread has written to shared memory (WarpgroupDots.cpp).
void showToWarpgroups(mlir::ImplicitLocOpBuilder &b);

} // namespace eft
