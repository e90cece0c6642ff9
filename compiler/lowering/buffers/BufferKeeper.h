// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives buffers to blocks that loops and conditionals carry, to blocks whose elements move, to
// operands of operations that work on buffers, and to large blocks that are printed.
// KeepInBuffers.cpp tells how.
#pragma once

#include "compiler/lowering/buffers/MovedBytes.h"
#include "compiler/lowering/buffers/WholeBuffers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/BitVector.h"

namespace eft {

class BufferKeeper {
public:
  /// `vectorBits` is the length of a vector register in bits.
  BufferKeeper(mlir::func::FuncOp function, unsigned vectorBits)
      : vectorBits(vectorBits), moved(function) {}

  /// Processes the operations of the block from the last to the first, each before those in its
  /// regions.
  void keepIn(mlir::Block &block);

private:
  // Loops and conditionals: CarriedBlocks.cpp.
  void keepFor(mlir::scf::ForOp loop);
  void keepWhile(mlir::scf::WhileOp loop);
  void keepIf(mlir::scf::IfOp choice);
  void dropCarried(mlir::Operation *op, const llvm::BitVector &operands,
                   const llvm::BitVector &results);
  llvm::BitVector chooseCarried(mlir::TypeRange types) const;
  int64_t registersOf(mlir::Type type) const;

  // Operations that work on buffers: BufferOperations.cpp.
  void keepDot(DotOp dot);
  void keepScan(ScanOp scan);
  void keepSort(SortOp sort);
  void keepHistogram(HistogramOp histogram);
  mlir::Value factorBuffer(mlir::Value factor);

  // Operations that move elements: BufferMoves.cpp.
  void keepMove(mlir::Operation *op);
  void keepJoin(JoinOp join);
  void keepGather(GatherOp gather);
  void keepPrint(PrintOp print);
  bool isWorthABuffer(mlir::Value source, mlir::Value result);
  mlir::Value sourceBuffer(mlir::Value source);

  /// The buffer for `value`, a result of the current operation. If a user needs the value in some
  /// buffer, returns that buffer, else a new one.
  mlir::Value bufferFor(mlir::Value value);
  /// Writes a value into a buffer in front of its user. If the value is defined in the user's
  /// block, or in a block around conditionals that contain the user, the operation that makes the
  /// value may work in this buffer.
  void writeFor(mlir::Operation *user, mlir::Value value, mlir::Value buffer);
  void erase(mlir::Operation *op);
  void replaceByRead(mlir::Value value, mlir::Value buffer, mlir::Operation *behind);

  unsigned vectorBits;
  llvm::DenseMap<mlir::Value, mlir::Value>
      destinations; // the buffers into which values are written
  llvm::DenseMap<mlir::Value, mlir::Value>
      factors; // the buffers of factors, and of the sources of moves, gathers and histograms
  // the blocks of bytes that replace blocks of booleans which move
  llvm::DenseMap<mlir::Value, mlir::Value> asBytes;
  llvm::DenseMap<mlir::Type, mlir::Value> printed; // the buffer for prints of each type
  MovedBytes moved;                                // counts the bytes of buffers of moved blocks
};

} // namespace eft
