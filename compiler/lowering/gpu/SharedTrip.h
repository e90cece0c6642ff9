// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The way of elements from thread to thread through shared memory.
#pragma once

#include "compiler/layout/LinearLayout.h"
#include "compiler/lowering/gpu/SharedMemory.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace eft {

/// Takes blocks that lie alike to other threads. All are written, then all are read; what does not
/// fit into the usual shared memory goes in several rounds.
class SharedTrip {
public:
  using Pieces = llvm::SmallVector<mlir::Value>;

  /// `from` are the places (register, lane, warp) of the blocks.
  SharedTrip(mlir::ImplicitLocOpBuilder &b, SharedMemory &memory, const LinearLayout &from,
             llvm::ArrayRef<Pieces> sources);

  /// Pieces of the elements with the packed indices `indices`, i32 computed at run time.
  llvm::SmallVector<Pieces> pick(llvm::ArrayRef<mlir::Value> indices);

private:
  struct Buffer {
    mlir::Type element, stored; // a boolean is stored as a byte
    uint64_t start;             // in bytes
  };

  mlir::Value pointer(const Buffer &buffer, mlir::Value offset);
  void write(uint64_t round);
  void writePiece(unsigned piece, mlir::Value offset);
  mlir::Value read(const Buffer &buffer, mlir::Value offset);
  mlir::Value isInRound(mlir::Value offset, uint64_t round);

  mlir::ImplicitLocOpBuilder &b;
  SharedMemory &memory;
  const LinearLayout &from;
  llvm::ArrayRef<Pieces> sources;
  llvm::SmallVector<Buffer> buffers;
  llvm::SmallVector<int64_t> offsetOfIndex; // the columns of a linear map
  unsigned offsetBits = 0, roundBits = 0;   // an offset's upper bits are the round
};

} // namespace eft
