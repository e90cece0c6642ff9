// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that fold the tree of a reduction, from buffer to buffer.
//
// After the parts of an axis are combined, a reduction has to fold the bits of its tree, in the
// tree's order. Some of these bits are bits of the place's step, the others are bits of its lane.
// (On a GPU, read register for step, and thread for lane.) The tree is cut into phases with a few
// step bits each. A phase is a loop over all other step bits. It reads the few vectors that differ
// in the phase's own bits, folds them, and writes one vector into the next phase's buffer.
//
//   tree [2, 1, 64, 32, 16, 8, 4, 256, 128], 16 lanes (bits 1 to 8), 32 steps (bits 16 to 256):
//
//   phase [2, 1, 64, 32, 16, 8, 4]   for each value of bits 256 and 128: 8 vectors become one
//   phase [256, 128]                 4 vectors become one
//
// So the code of a reduction hardly grows with its vectors: twice as many vectors add one bit, and
// at most one phase.
#pragma once

#include "compiler/ir/EftDialect.h"
#include "compiler/ir/LayoutConversion.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

class FoldLoops {
public:
  /// True if loops can fold blocks of the type `partial`, which a source of `reduce` has after its
  /// parts are combined. `dimension` is the place dimension over which the loops run, `step` or
  /// `register`.
  static bool canFold(ReduceOp reduce, mlir::RankedTensorType partial, llvm::StringRef dimension);

  /// `buffers` hold the sources after their parts are combined, one buffer for each source.
  FoldLoops(mlir::ImplicitLocOpBuilder &b, ReduceOp reduce, llvm::SmallVector<mlir::Value> buffers,
            llvm::StringRef dimension);

  /// Emits the loops.
  void emit();

  /// The bits of the sources' step dimension that the reduction keeps. A setting of these bits is a
  /// position. Each position has one vector of results.
  llvm::SmallVector<unsigned> positionBits() const;

  /// Emits the reduction's results at a position, one vector for each result. Where the results are
  /// scalars, returns these.
  llvm::SmallVector<mlir::Value> resultsAt(mlir::Value position);

private:
  /// A bit of the step dimension: its number in the sources' layout, and in that of the current
  /// buffers.
  struct StepBit {
    unsigned inSource, inBuffer;
    int32_t ofAxis; ///< the number that it adds along the axis; 0 if the reduction keeps it
  };
  using Tile = llvm::SmallVector<mlir::Value>; // one vector of each source

  static llvm::SmallVector<StepBit> stepBitsOf(const LinearLayout &layout, unsigned axis,
                                               llvm::StringRef dimension);
  void emitPhase(llvm::ArrayRef<int32_t> bits);
  Tile fold(llvm::SmallVector<Tile> tiles, llvm::ArrayRef<int32_t> bits,
            llvm::ArrayRef<StepBit> steps);
  Tile foldLanes(const Tile &tile, unsigned position);
  Tile tileAt(mlir::Value step);

  mlir::ImplicitLocOpBuilder &b;
  ReduceOp reduce;
  llvm::SmallVector<mlir::Value> buffers;
  llvm::StringRef dimension;
  llvm::SmallVector<StepBit> stepBits; // the bits of the step dimension that are left
  // The bits of the axis that are left inside a vector.
  llvm::SmallVector<int32_t> laneBits;
  llvm::SmallVector<mlir::RankedTensorType> types; // the type of one vector of each source
};

/// Combines two lists of blocks element by element with the reduction's function.
llvm::SmallVector<mlir::Value> combineBlocks(mlir::ImplicitLocOpBuilder &b, ReduceOp reduce,
                                             mlir::ValueRange lower, mlir::ValueRange higher);

/// Makes a reduction of `sources` along `axis` with the function of `reduce`. The parts of the
/// sources are already combined; `tree` has the bits that are left to fold.
llvm::SmallVector<mlir::Value> reduceTree(mlir::ImplicitLocOpBuilder &b, ReduceOp reduce,
                                          mlir::ValueRange sources, unsigned axis,
                                          llvm::ArrayRef<int32_t> tree);

} // namespace eft
