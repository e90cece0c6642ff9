// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of the lowering that is for a CPU: one thread runs a program, and a fragment is a vector
// of the layout's lanes.
#pragma once

#include "compiler/lowering/FragmentLowering.h"

namespace eft {

/// The functions that the runtime offers: `int print(const char *format, const void *values)`, and
/// `void fail(const char *what, uint32_t x, uint32_t y, uint32_t z)` with the program's position in
/// the grid.
inline constexpr llvm::StringLiteral hostPrintName = "eft$print", hostAssertName = "eft$fail";

class CpuLowering : public FragmentLowering {
public:
  /// `vectorBits` is the length of a vector register in bits.
  CpuLowering(mlir::MLIRContext *context, const LoweringTable &table, unsigned vectorBits)
      : FragmentLowering(context, table, "a CPU", {"step", "lane"}), vectorBits(vectorBits) {}

  /// Adds six i32 arguments to the kernel: the program's position and the grid's extent, each along
  /// x, y, z.
  void addProgramArguments(mlir::func::FuncOp kernel);

  const unsigned vectorBits;
  llvm::SmallVector<mlir::Value, 6> program; // the arguments that were added

  mlir::Type fragmentType(mlir::RankedTensorType block, mlir::Type element) override;
  mlir::Value splat(mlir::ImplicitLocOpBuilder &b, mlir::Value scalar,
                    mlir::Type fragment) override;

private:
  // CpuExchange.cpp
  mlir::Value scalarOfFragment(mlir::ImplicitLocOpBuilder &b, mlir::Value fragment) override;
  mlir::Value isOdd(mlir::ImplicitLocOpBuilder &b, uint64_t threads, unsigned laneBits) override;
  mlir::Value shuffleLanes(mlir::ImplicitLocOpBuilder &b, mlir::Value fragment,
                           const ShufflePlan &plan, uint64_t lanes) override;
  mlir::Value indexAt(mlir::ImplicitLocOpBuilder &b, const LinearLayout &layout,
                      unsigned fragment) override;
  llvm::SmallVector<Fragments> gather(mlir::ImplicitLocOpBuilder &b,
                                      llvm::ArrayRef<Fragments> sources, const LinearLayout &from,
                                      llvm::ArrayRef<mlir::Value> indices) override;
};

/// Adds the lowerings that only a CPU has.
void populateCpuProgramLowerings(LoweringTable &table);
void populateCpuMemoryLowerings(LoweringTable &table);
void populateCpuAtomicLowerings(LoweringTable &table);
void populateCpuMoveLowerings(LoweringTable &table);
void populateCpuDotLowerings(LoweringTable &table);
void populateCpuScanLowerings(LoweringTable &table);
void populateCpuSortLowerings(LoweringTable &table);
void populateCpuHistogramLowerings(LoweringTable &table);
void populateCpuDebugLowerings(LoweringTable &table);

} // namespace eft
