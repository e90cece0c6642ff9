// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lowering of fragments for a GPU: a fragment is a scalar in a register of a thread.
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

  /// Makes control uniform where it must be, and declares the kernel's shared memory. Call it after
  /// `lower`.
  void finish(mlir::func::FuncOp kernel) {
    makeControlUniform(kernel, shared);
    shared.finish();
    if (hasWarpgroups)
      kernel->setAttr(EftDialect::warpgroupsName, mlir::UnitAttr::get(context));
  }

  /// The address of the slot with the number `slot` among the slots `shared`.
  mlir::Value slotOf(mlir::ImplicitLocOpBuilder &b, mlir::Value shared, mlir::Value slot);
  /// Returns a staging that reads the block of a slot.
  Staging readerOf(mlir::ImplicitLocOpBuilder &b, ReadSharedOp read);

  SharedMemory shared;
  LocalMemory local;
  llvm::SmallVector<mlir::Value> allocated; // the live slots, in the order of their allocation
  const unsigned computeCapability;
  /// `hasLoads` is true if the kernel has loads or copies from global memory, and `hasLoadsOfOne`
  /// if it loads single elements.
  const bool hasLoads, hasLoadsOfOne;
  const bool hasWarpgroups;

  /// True if the kernel has loads that may have to see what a store of the type `stored` has
  /// written. A load must see what a store has written only if both access elements with the same
  /// index, in blocks of the same shape. A scalar counts as a block of one element. So after a
  /// store of one element, only the loads of one element count. After any other store, all loads
  /// count. A store with `eft.meets_no_load` needs no such test.
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
  mlir::Value combineLanes(mlir::ImplicitLocOpBuilder &b, mlir::Value fragment,
                           mlir::Operation *function) override;
  mlir::Value indexAt(mlir::ImplicitLocOpBuilder &b, const LinearLayout &layout,
                      unsigned fragment) override;
  llvm::SmallVector<Fragments> gather(mlir::ImplicitLocOpBuilder &b,
                                      llvm::ArrayRef<Fragments> sources, const LinearLayout &from,
                                      llvm::ArrayRef<mlir::Value> indices) override;
  llvm::SmallVector<Fragments> fetchThroughMemory(mlir::ImplicitLocOpBuilder &b,
                                                  llvm::ArrayRef<Fragments> sources,
                                                  const Fetch &fetch) override;
};

/// Add the lowering functions of operations that need code of their own for a GPU.
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

/// The condition under which this thread is the one that stores its elements of the block; null if
/// every thread stores.
mlir::Value storingThread(mlir::ImplicitLocOpBuilder &b, mlir::Type block);

/// True if all copies of an element are in different threads, whose numbers differ only in
/// redundant bits.
bool hasPlainCopies(const LinearLayout &layout);

/// Emits the error that an operation can't be done once for each element, because of the copies in
/// the block's layout. Always fails.
mlir::LogicalResult refuseCopies(mlir::Operation *op, mlir::Type block);

/// The bits of a thread's number that do not affect which elements the thread holds.
unsigned redundantThreadBits(const LinearLayout &layout);

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// True if a product reads the slot itself, so that `read` emits no code (GpuDot.cpp).
bool isReadByProduct(ReadSharedOp read);

/// Emits a fence that makes this thread's writes to shared memory visible to warpgroup instructions
/// (WarpgroupDots.cpp).
void showToWarpgroups(mlir::ImplicitLocOpBuilder &b);

} // namespace eft
