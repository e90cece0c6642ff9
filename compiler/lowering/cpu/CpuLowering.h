// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU's side of the lowering: one thread runs a program, and a fragment is a vector of the
// layout's lanes.
#pragma once

#include "compiler/lowering/FragmentLowering.h"

namespace eft {

/// The functions that the runtime offers: `int print(const char *format, const void *values)`, and
/// `void fail(const char *what, uint32_t x, uint32_t y, uint32_t z)` with a program's position.
inline constexpr llvm::StringLiteral hostPrintName = "eft$print", hostAssertName = "eft$fail";

class CpuLowering : public FragmentLowering {
public:
  /// `vectorBits` is the length of a vector register.
  CpuLowering(mlir::MLIRContext *context, unsigned vectorBits)
      : FragmentLowering(context, {"step", "lane"}), vectorBits(vectorBits) {}

  /// Adds six i32 arguments to the kernel: the program's position and the grid's extent, each along
  /// x, y, z.
  void addProgramArguments(mlir::func::FuncOp kernel);

private:
  mlir::Type fragmentType(mlir::RankedTensorType block, mlir::Type element) override;
  mlir::Value splat(mlir::ImplicitLocOpBuilder &b, mlir::Value scalar,
                    mlir::Type fragment) override;
  Fragments arange(mlir::ImplicitLocOpBuilder &b, mlir::RankedTensorType block,
                   int64_t start) override;
  mlir::LogicalResult lowerLoad(mlir::ImplicitLocOpBuilder &b, LoadOp load) override;
  mlir::LogicalResult lowerStore(mlir::ImplicitLocOpBuilder &b, StoreOp store) override;
  mlir::LogicalResult lowerAtomic(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op) override;
  mlir::LogicalResult lowerDot(mlir::ImplicitLocOpBuilder &b, DotOp dot) override;
  mlir::LogicalResult lowerInto(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op) override;
  mlir::LogicalResult lowerShared(mlir::ImplicitLocOpBuilder &, mlir::Operation *op) override {
    return op->emitOpError("works on a GPU's shared memory, and has no lowering for a CPU");
  }
  mlir::LogicalResult lowerDotInto(mlir::ImplicitLocOpBuilder &b, DotIntoOp dot);
  mlir::LogicalResult lowerScanInto(mlir::ImplicitLocOpBuilder &b, ScanIntoOp scan);
  mlir::LogicalResult lowerSortInto(mlir::ImplicitLocOpBuilder &b, SortIntoOp sort);
  void lowerMovedTake(mlir::ImplicitLocOpBuilder &b, BufferReadOp take);
  void lowerBufferGather(mlir::ImplicitLocOpBuilder &b, BufferGatherOp pick);
  void printBuffer(mlir::ImplicitLocOpBuilder &b, PrintOp print);
  void lowerBarrier(mlir::ImplicitLocOpBuilder &b) override;
  mlir::LogicalResult lowerPrint(mlir::ImplicitLocOpBuilder &b, PrintOp print) override;
  void lowerAssert(mlir::ImplicitLocOpBuilder &b, AssertOp assertion) override;
  Fragments uniformDiv(mlir::ImplicitLocOpBuilder &b, UniformDivOp division) override;
  mlir::Value programId(mlir::ImplicitLocOpBuilder &, Axis axis) override {
    return program[uint32_t(axis)];
  }
  mlir::Value numPrograms(mlir::ImplicitLocOpBuilder &, Axis axis) override {
    return program[3 + uint32_t(axis)];
  }

  mlir::Value isOdd(mlir::ImplicitLocOpBuilder &b, uint64_t threads, unsigned laneBits) override;
  mlir::Value shuffleLanes(mlir::ImplicitLocOpBuilder &b, mlir::Value fragment,
                           const ShufflePlan &plan, uint64_t lanes) override;
  mlir::Value indexAt(mlir::ImplicitLocOpBuilder &b, const LinearLayout &layout,
                      unsigned fragment) override;
  llvm::SmallVector<Fragments> pick(mlir::ImplicitLocOpBuilder &b,
                                    llvm::ArrayRef<Fragments> sources, const LinearLayout &from,
                                    llvm::ArrayRef<mlir::Value> indices) override;
  mlir::Value scalarOfFragment(mlir::ImplicitLocOpBuilder &b, mlir::Value fragment) override;

  void loadScalar(mlir::ImplicitLocOpBuilder &b, LoadOp load);
  void storeScalar(mlir::ImplicitLocOpBuilder &b, StoreOp store);

  unsigned vectorBits;
  llvm::SmallVector<mlir::Value, 6> program;
};

} // namespace eft
