// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The way of elements from thread to thread through shared memory.
#pragma once

#include "compiler/layout/SharedLayout.h"
#include "compiler/lowering/gpu/SharedMemory.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace eft {

/// Takes blocks that lie alike to other threads. All are written, then all are read; what does not
/// fit into the usual shared memory goes in several rounds.
class SharedTrip {
public:
  using Pieces = llvm::SmallVector<mlir::Value>;

  /// `from` are the places (register, lane, warp) of the blocks; the offsets in shared memory are
  /// chosen for reading in those of `wanted`.
  SharedTrip(mlir::ImplicitLocOpBuilder &b, SharedMemory &memory, const LinearLayout &from,
             const LinearLayout &wanted, llvm::ArrayRef<Pieces> sources);

  /// For each place p of `wanted` the element wanted(p) ^ offset.
  llvm::SmallVector<Pieces> fetch(uint64_t offset);

  /// Pieces of the elements with the packed indices `indices`, i32 computed at run time.
  llvm::SmallVector<Pieces> pick(llvm::ArrayRef<mlir::Value> indices);

private:
  /// The part of shared memory for one block.
  struct Buffer {
    mlir::Type element, stored; // a boolean is stored as a byte
    SharedLayout layout;
    uint64_t start = 0; // in bytes
    uint64_t bytes() const { return stored.getIntOrFloatBitWidth() / 8; }
  };

  /// Neighbours in shared memory that a thread holds: the offset of the first is that of the thread
  /// ^ `offset`; the numbers of the pieces, in order.
  struct Run {
    uint64_t offset;
    llvm::SmallVector<uint64_t> pieces;
  };

  /// A thread's runs of `length` elements, and those of its pieces that are copies of others in
  /// them.
  struct Runs {
    llvm::SmallVector<Run> runs;
    llvm::SmallVector<std::pair<uint64_t, uint64_t>> copies; // of the second piece
  };

  static Runs runsOf(const SharedLayout &layout, const LinearLayout &places, uint64_t constant,
                     int64_t length);
  mlir::Value threadOffset(const SharedLayout &layout, const LinearLayout &places);
  mlir::Value pointer(const Buffer &buffer, mlir::Value offset);
  mlir::Value isInRound(mlir::Value offset, uint64_t round);

  void inRounds(llvm::function_ref<void(uint64_t round)> read);
  void write(uint64_t round);
  void writeBlock(const Buffer &buffer, llvm::ArrayRef<mlir::Value> pieces, uint64_t round);
  void storeRun(const Buffer &buffer, llvm::ArrayRef<mlir::Value> values, mlir::Value offset);
  Pieces loadRun(const Buffer &buffer, int64_t length, mlir::Value offset);
  void keepFound(mlir::Value &value, mlir::Value found, mlir::Value offset, uint64_t round);

  mlir::ImplicitLocOpBuilder &b;
  SharedMemory &memory;
  const LinearLayout &from, &wanted;
  llvm::ArrayRef<Pieces> sources;
  llvm::SmallVector<Buffer> buffers;
  unsigned offsetBits = 0, roundBits = 0; // an offset's upper bits are the round
};

} // namespace eft
