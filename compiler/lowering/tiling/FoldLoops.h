// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tree of a reduction, in loops over what lies in buffers.
//
// When the parts of an axis are combined, a reduction has to fold the bits of its tree, in the
// tree's order. Some of them count steps, the others lanes. The tree is cut into phases of few
// steps' bits. A phase is a loop over all other steps: it takes the few vectors that its bits tell
// apart, folds them, and leaves one vector in the next phase's buffer.
//
//   tree [2, 1, 64, 32, 16, 8, 4, 256, 128], 16 lanes (bits 1 to 8), 32 steps (bits 16 to 256):
//
//   phase [2, 1, 64, 32, 16, 8, 4]   for each of 4 steps: 8 vectors become one
//   phase [256, 128]                 4 vectors become one
//
// So the code of a reduction is as long for a thousand vectors as it is for ten.
#pragma once

#include "compiler/ir/EftDialect.h"
#include "compiler/ir/LayoutConversion.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

class FoldLoops {
public:
  /// Whether loops can fold blocks of this type, which is a source's of `reduce` after its parts
  /// are combined.
  static bool canFold(ReduceOp reduce, mlir::RankedTensorType partial, llvm::StringRef dimension);

  /// `buffers` hold the sources after their parts are combined, each in such a block.
  FoldLoops(mlir::ImplicitLocOpBuilder &b, ReduceOp reduce, llvm::SmallVector<mlir::Value> buffers,
            llvm::StringRef dimension);

  /// Emits the loops.
  void emit();

  /// The bits of the step dimension of the blocks that the reduction keeps. For each setting of
  /// them there is one vector of results.
  llvm::SmallVector<unsigned> positionBits() const;

  /// The reduction's results at a position, one vector of each; or its scalars.
  llvm::SmallVector<mlir::Value> resultsAt(mlir::Value position);

private:
  /// A bit of the step dimension: its number in the sources, and in the buffers of now.
  struct StepBit {
    unsigned inSource, inBuffer;
    int32_t ofAxis; ///< what it adds to the axis; 0 if the reduction keeps it
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
  llvm::SmallVector<StepBit> stepBits;             // that are left
  llvm::SmallVector<int32_t> laneBits;             // of the axis that are left in a vector
  llvm::SmallVector<mlir::RankedTensorType> types; // of a vector
};

/// Both combined element by element by the reduction's function.
llvm::SmallVector<mlir::Value> combineBlocks(mlir::ImplicitLocOpBuilder &b, ReduceOp reduce,
                                             mlir::ValueRange lower, mlir::ValueRange higher);

/// The same reduction of other blocks, whose parts are combined, along an axis of theirs.
llvm::SmallVector<mlir::Value> reduceTree(mlir::ImplicitLocOpBuilder &b, ReduceOp reduce,
                                          mlir::ValueRange sources, unsigned axis,
                                          llvm::ArrayRef<int32_t> tree);

} // namespace eft
