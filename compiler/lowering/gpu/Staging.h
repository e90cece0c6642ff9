// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Staging: the way of elements from thread to thread through shared memory.
#pragma once

#include "compiler/layout/MatrixLoad.h"
#include "compiler/lowering/gpu/LocalMemory.h"
#include "compiler/lowering/gpu/SharedMemory.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace eft {

/// Moves elements of blocks that have one layout to other threads. All elements are written, then
/// all are read. Blocks that do not fit into the usual shared memory go in several rounds.
class Staging {
public:
  using Fragments = llvm::SmallVector<mlir::Value>;

  /// `from` is the layout (register, lane, warp) of the blocks. Each place p of `wanted` is to get
  /// the element wanted(p) ^ offset. The order in shared memory is chosen for these two.
  Staging(SharedMemory &memory, LinearLayout from, LinearLayout wanted, uint64_t offset,
          llvm::ArrayRef<Fragments> sources);

  /// For a block that has a slot of its own, at the pointer `slot`. `order` maps each offset in it
  /// to an index. Only `read` and the next functions apply to such a block.
  Staging(SharedMemory &memory, LinearLayout from, LinearLayout wanted, const LinearLayout &order,
          mlir::Type element, mlir::Value slot);

  /// Computes the thread's part of the offsets for `placeOf` and `writeRuns`. To be called before
  /// these, where the result dominates all their callers.
  void computeWritingThread(mlir::ImplicitLocOpBuilder &b);
  /// A pointer to a fragment of `from` in the slot.
  mlir::Value placeOf(mlir::ImplicitLocOpBuilder &b, uint64_t fragment);
  /// The longest run, of at most `max`, of a thread's fragments that lie side by side in the slot.
  int64_t runOfFragments(int64_t max) const {
    return buffers.front().layout.runOfFragments(from, max);
  }

  /// Writes the fragments of `from` to the slot. Of the threads that hold an element one does.
  void writeToSlot(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<mlir::Value> fragments);
  /// The same without choosing a writer: only the threads that write may come here, and
  /// `computeWritingThread` comes before. Copies of elements in one thread may be null.
  void writeRuns(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<mlir::Value> fragments);

  /// Moves the blocks: returns the fragments that `wanted` describes.
  llvm::SmallVector<Fragments> fetch(mlir::ImplicitLocOpBuilder &b);

  /// Fragments of the elements with the packed indices `indices`, i32 computed at run time.
  llvm::SmallVector<Fragments> pick(mlir::ImplicitLocOpBuilder &b,
                                    llvm::ArrayRef<mlir::Value> indices, LocalMemory &local);

  //===--- The same in two parts, for several stagings at once -------------------------------===//

  /// True if all blocks fit into shared memory at once. The functions below need that.
  bool isOneRound() const { return roundBits == 0; }
  /// The bytes of shared memory for all blocks in one round; a multiple of the widest access.
  uint64_t bytes() const { return bytesOfRound; }
  /// Sets the offset in bytes at which the blocks begin in shared memory.
  void setStart(uint64_t bytes);
  /// Writes the blocks. To be called between `beginWriting` and `beginReading` of the memory.
  void write(mlir::ImplicitLocOpBuilder &b) { write(b, 0); }
  /// Reads one wanted fragment. To be called after `beginReading`. If the access also reads other
  /// fragments, they are kept.
  mlir::Value read(mlir::ImplicitLocOpBuilder &b, size_t block, uint64_t fragment);

private:
  /// An offset in shared memory, in elements: the sum of two numbers without common bits. The fixed
  /// one costs nothing, since an access can add it.
  struct Offset {
    mlir::Value variable;
    uint64_t fixed = 0;
  };

  /// The offset that a thread adds by exclusive or, and the bits that this offset may have.
  struct ThreadOffset {
    mlir::Value value; // null before it is computed
    uint64_t bits = 0;

    Offset exclusiveOr(mlir::ImplicitLocOpBuilder &b, uint64_t offset) const;
  };

  /// Neighbours in shared memory that a thread holds. The offset of the first is the thread's
  /// offset ^ `offset`. Each neighbour is one fragment, or several that are copies.
  struct Run {
    struct Member {
      uint64_t position, fragment;
    };
    uint64_t offset;
    llvm::SmallVector<Member> members;
  };

  /// One block and its part of shared memory.
  struct Buffer {
    Fragments source, result;   // `result` is null where nothing has been read yet
    mlir::Type element, stored; // a boolean is stored as a byte
    SharedLayout layout;
    std::optional<MatrixLoad> matrices; // matrix loads to read by; plain loads without them
    llvm::SmallVector<Run> reads;
    uint64_t start = 0; // in bytes
    mlir::Value slot;   // a pointer to where the block lies instead; null if there is none
    ThreadOffset ofReadingThread, ofWritingThread;

    uint64_t bytes() const { return stored.getIntOrFloatBitWidth() / 8; }
  };

  static void setOrder(Buffer &buffer, SharedOrder order);
  static llvm::SmallVector<Run> runsOf(const SharedLayout &layout, const LinearLayout &places,
                                       int64_t length, uint64_t constant);
  ThreadOffset threadOffset(mlir::ImplicitLocOpBuilder &b, const SharedLayout &layout,
                            const LinearLayout &places);
  /// The offset at which the thread at hand reads the element at `offset` from its own place.
  Offset readingOffset(mlir::ImplicitLocOpBuilder &b, Buffer &buffer, uint64_t offset);
  mlir::Value pointer(mlir::ImplicitLocOpBuilder &b, const Buffer &buffer, Offset offset);
  /// False if no thread has the fragment with that offset in the round.
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
  unsigned offsetBits = 0, roundBits = 0; // an offset's upper bits are the round
};

} // namespace eft
