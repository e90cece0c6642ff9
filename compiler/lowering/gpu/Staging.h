// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Staging: moves elements from thread to thread through shared memory.
#pragma once

#include "compiler/layout/MatrixLoad.h"
#include "compiler/lowering/gpu/LocalMemory.h"
#include "compiler/lowering/gpu/SharedMemory.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace eft {

/// Moves elements of blocks with the same layout to other threads. All elements are written, then
/// all are read. Blocks that do not fit in the shared memory that is available are moved in several
/// rounds.
class Staging {
public:
  using Fragments = llvm::SmallVector<mlir::Value>;

  /// `from` is the layout (register, lane, warp) of the blocks. Each place p of `wanted` gets the
  /// element with the packed index wanted(p) ^ offset. The order in shared memory is chosen for
  /// these two layouts.
  Staging(SharedMemory &memory, LinearLayout from, LinearLayout wanted, uint64_t offset,
          llvm::ArrayRef<Fragments> sources);

  /// Stages a block that has a slot of its own, at the pointer `slot`. `order` maps each offset in
  /// the slot to an index. Only `read`, and the functions from `computeWritingThread` to
  /// `writeRuns`, apply to such a block.
  Staging(SharedMemory &memory, LinearLayout from, LinearLayout wanted, const LinearLayout &order,
          mlir::Type element, mlir::Value slot);

  /// Computes the thread's part of the offsets for `placeOf` and `writeRuns`. Call it before these
  /// functions, at an insertion point that dominates theirs.
  void computeWritingThread(mlir::ImplicitLocOpBuilder &b);
  /// Returns a pointer to the element of a fragment of `from` in the slot.
  mlir::Value placeOf(mlir::ImplicitLocOpBuilder &b, uint64_t fragment);
  /// The length, at most `max`, of the longest runs of a thread's fragments that are neighbours in
  /// the slot.
  int64_t runOfFragments(int64_t max) const {
    return buffers.front().layout.runOfFragments(from, max);
  }

  /// Writes the fragments of `from` to the slot. If several threads hold an element, one of them
  /// writes it.
  void writeToSlot(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<mlir::Value> fragments);
  /// Writes the fragments of `from` to the slot, without a branch that selects one writer of each
  /// element: the caller emits that branch. Call `computeWritingThread` first. Fragments that are
  /// copies of others in the thread may be null.
  void writeRuns(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<mlir::Value> fragments);

  /// Moves the blocks; returns the fragments of each block that `wanted` and `offset` describe.
  llvm::SmallVector<Fragments> fetch(mlir::ImplicitLocOpBuilder &b);

  /// Returns the elements of each block at `indices`: packed indices, as i32 values computed at run
  /// time.
  llvm::SmallVector<Fragments> pick(mlir::ImplicitLocOpBuilder &b,
                                    llvm::ArrayRef<mlir::Value> indices, LocalMemory &local);

  //===--- The same in two parts, for several stagings at once -------------------------------===//

  /// True if all blocks fit in shared memory at once. `setStart`, `write` and `read` require this.
  bool isOneRound() const { return roundBits == 0; }
  /// The bytes of shared memory for all blocks in one round; a multiple of 16, the widest access.
  uint64_t bytes() const { return bytesOfRound; }
  /// Sets the offset in bytes at which the blocks begin in shared memory.
  void setStart(uint64_t bytes);
  /// Writes the blocks. Call it between `beginWriting` and `beginReading` of the memory.
  void write(mlir::ImplicitLocOpBuilder &b) { write(b, 0); }
  /// Returns one fragment of `wanted` of a block. Call it after `beginReading` of the memory. If
  /// the access also reads other fragments, they are kept for later calls.
  mlir::Value read(mlir::ImplicitLocOpBuilder &b, size_t block, uint64_t fragment);

private:
  /// An offset in shared memory, in elements: the sum of `variable` and `fixed`, which have no
  /// common bits. `fixed` costs no instruction, since an access can add it.
  struct Offset {
    mlir::Value variable;
    uint64_t fixed = 0;
  };

  /// The part of an offset that depends on the thread, and is combined with the rest by exclusive
  /// or; and the bits that this part may have.
  struct ThreadOffset {
    mlir::Value value; // null before it is computed
    uint64_t bits = 0;

    Offset exclusiveOr(mlir::ImplicitLocOpBuilder &b, uint64_t offset) const;
  };

  /// Neighbours in shared memory that a thread holds. The offset of the first is the thread's
  /// offset ^ `offset`. The element at a position of the run is in one fragment, or in several
  /// fragments that are copies.
  struct Run {
    struct Member {
      uint64_t position, fragment;
    };
    uint64_t offset;
    llvm::SmallVector<Member> members;
  };

  /// One block and its part of shared memory.
  struct Buffer {
    Fragments source, result;   // a fragment of `result` is null until it has been read
    mlir::Type element, stored; // a boolean is stored as a byte
    SharedLayout layout;
    std::optional<MatrixLoad> matrices; // the matrix loads that read it; if none, plain loads do
    llvm::SmallVector<Run> reads;
    uint64_t start = 0; // in bytes
    mlir::Value slot;   // a pointer to the block's own slot, if it has one; else null
    ThreadOffset ofReadingThread, ofWritingThread;

    uint64_t bytes() const { return stored.getIntOrFloatBitWidth() / 8; }
  };

  static void setOrder(Buffer &buffer, SharedOrder order);
  static llvm::SmallVector<Run> runsOf(const SharedLayout &layout, const LinearLayout &places,
                                       int64_t length, uint64_t constant);
  ThreadOffset threadOffset(mlir::ImplicitLocOpBuilder &b, const SharedLayout &layout,
                            const LinearLayout &places);
  /// The offset from which a thread reads the element whose offset for thread 0 is `offset`.
  Offset readingOffset(mlir::ImplicitLocOpBuilder &b, Buffer &buffer, uint64_t offset);
  mlir::Value pointer(mlir::ImplicitLocOpBuilder &b, const Buffer &buffer, Offset offset);
  /// False if no thread has an element in this round for a fragment with this offset.
  bool maybeInRound(const ThreadOffset &ofThread, uint64_t offset, uint64_t round) const;
  mlir::Value isInRound(mlir::ImplicitLocOpBuilder &b, Offset offset, uint64_t round);

  void pickOne(mlir::ImplicitLocOpBuilder &b, const Buffer &buffer, mlir::Value index,
               mlir::Value &value, uint64_t round);
  llvm::SmallVector<Fragments> pickInLoops(mlir::ImplicitLocOpBuilder &b,
                                           llvm::ArrayRef<mlir::Value> indices, LocalMemory &local);

  void inRounds(mlir::ImplicitLocOpBuilder &b, llvm::function_ref<void(uint64_t round)> read);
  void asWriters(mlir::ImplicitLocOpBuilder &b, llvm::function_ref<void()> write);
  void write(mlir::ImplicitLocOpBuilder &b, uint64_t round);
  void writeBlock(mlir::ImplicitLocOpBuilder &b, const Buffer &buffer, uint64_t round);
  void writeRun(mlir::ImplicitLocOpBuilder &b, const Buffer &buffer, const Run &run, Offset offset);
  void storeRun(mlir::ImplicitLocOpBuilder &b, const Buffer &buffer,
                llvm::ArrayRef<mlir::Value> values, Offset offset);

  void readRound(mlir::ImplicitLocOpBuilder &b, Buffer &buffer, uint64_t round);
  void readMatrices(mlir::ImplicitLocOpBuilder &b, Buffer &buffer, uint64_t fragment);
  Fragments loadRun(mlir::ImplicitLocOpBuilder &b, const Buffer &buffer, int64_t length,
                    Offset offset);
  Fragments fromStored(mlir::ImplicitLocOpBuilder &b, const Buffer &buffer, mlir::Value whole,
                       int64_t length);
  void keepFound(mlir::ImplicitLocOpBuilder &b, mlir::Value &value, mlir::Value found,
                 Offset offset, uint64_t round);

  SharedMemory &memory;
  LinearLayout from, wanted;
  uint64_t constant; // `offset` of the constructor
  std::vector<Buffer> buffers;
  uint64_t bytesOfRound = 0;
  unsigned offsetBits = 0, roundBits = 0; // an offset's `roundBits` upper bits are its round
};

} // namespace eft
