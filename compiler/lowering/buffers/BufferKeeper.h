// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives buffers to blocks that loops carry, and to operands of operations that work on buffers.
#pragma once

#include "compiler/lowering/buffers/MovedBytes.h"
#include "compiler/lowering/buffers/WholeBuffers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/BitVector.h"

namespace eft {

class BufferKeeper {
public:
  BufferKeeper(mlir::func::FuncOp function, unsigned vectorBits)
      : vectorBits(vectorBits), moved(function) {}

  /// Processes all operations of the block, the last one first, and then those in their regions.
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

  /// The buffer in which the value, the result of the current operation, is to end.
  mlir::Value bufferFor(mlir::Value value);
  /// Writes a value into a buffer in front of its user. If the operation that makes the value is in
  /// the user's block, it may work in the buffer.
  void writeFor(mlir::Operation *user, mlir::Value value, mlir::Value buffer);
  void erase(mlir::Operation *op);
  void replaceByRead(mlir::Value value, mlir::Value buffer, mlir::Operation *behind);

  unsigned vectorBits;
  llvm::DenseMap<mlir::Value, mlir::Value> destinations; // the buffers that values end in
  llvm::DenseMap<mlir::Value, mlir::Value> factors;      // the buffers that hold factors
  // the bytes that stand for booleans that move
  llvm::DenseMap<mlir::Value, mlir::Value> asBytes;
  llvm::DenseMap<mlir::Type, mlir::Value> printed; // buffers to print from
  MovedBytes moved;                                // the room for moved blocks
};

} // namespace eft
