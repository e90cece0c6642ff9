// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The way of elements from thread to thread through shared memory.
#pragma once

#include "compiler/layout/MatrixLoad.h"
#include "compiler/lowering/gpu/SharedMemory.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace eft {

/// Takes blocks that lie alike to other threads. All are written, then all are read; what does not
/// fit into the usual shared memory goes in several rounds.
class Staging {
public:
  using Fragments = llvm::SmallVector<mlir::Value>;

  /// `from` are the places (register, lane, warp) of the blocks; each place p of `wanted` is to get
  /// the element wanted(p) ^ offset. The order in shared memory is chosen for that.
  Staging(SharedMemory &memory, LinearLayout from, LinearLayout wanted, uint64_t offset,
          llvm::ArrayRef<Fragments> sources);

  /// A block that has a slot of its own, at `slot`, in which `order` says the index at each offset.
  /// Only `read` and `placeOf` apply to it.
  Staging(SharedMemory &memory, LinearLayout from, LinearLayout wanted, const LinearLayout &order,
          mlir::Type element, mlir::Value slot);

  /// To be called before `placeOf`, where all of its callers can use what the thread at hand adds.
  void computeWritingThread(mlir::ImplicitLocOpBuilder &b);
  /// Where a fragment of `from` lies in the slot.
  mlir::Value placeOf(mlir::ImplicitLocOpBuilder &b, uint64_t fragment);

  /// What is wanted.
  llvm::SmallVector<Fragments> fetch(mlir::ImplicitLocOpBuilder &b);

  /// Fragments of the elements with the packed indices `indices`, i32 computed at run time.
  llvm::SmallVector<Fragments> pick(mlir::ImplicitLocOpBuilder &b,
                                    llvm::ArrayRef<mlir::Value> indices);

  //===--- The same in two steps, for several trips at once
  //---------------------------------------//

  /// Whether all fits into shared memory at once: the condition for what follows.
  bool isOneRound() const { return roundBits == 0; }
  /// Of shared memory, of all blocks in one round; a multiple of the widest access.
  uint64_t bytes() const { return bytesOfRound; }
  /// Where the blocks begin in shared memory, in bytes.
  void setStart(uint64_t bytes);
  /// Between `beginWriting` and `beginReading` of the memory.
  void write(mlir::ImplicitLocOpBuilder &b) { write(b, 0); }
  /// One fragment of what is wanted, after `beginReading`. An access that reads others too keeps
  /// them.
  mlir::Value read(mlir::ImplicitLocOpBuilder &b, size_t block, uint64_t fragment);

private:
  /// An offset in shared memory, in elements: the sum of two numbers without common bits. The fixed
  /// one costs nothing, since an access can add it.
  struct Offset {
    mlir::Value variable;
    uint64_t fixed = 0;
  };

  /// The offset that a thread adds by exclusive or, and the bits which that can have.
  struct ThreadOffset {
    mlir::Value value; // null before it is computed
    uint64_t bits = 0;

    Offset exclusiveOr(mlir::ImplicitLocOpBuilder &b, uint64_t offset) const;
  };

  /// Neighbours in shared memory that a thread holds: the offset of the first is that of the thread
  /// ^ `offset`. Each of them is a fragment, or several that are copies.
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
    std::optional<MatrixLoad> matrices; // how to read, if not by plain loads
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
  /// Where the thread at hand reads what lies at `offset` from its own place.
  Offset readingOffset(mlir::ImplicitLocOpBuilder &b, Buffer &buffer, uint64_t offset);
  mlir::Value pointer(mlir::ImplicitLocOpBuilder &b, const Buffer &buffer, Offset offset);
  mlir::Value isInRound(mlir::ImplicitLocOpBuilder &b, Offset offset, uint64_t round);

  void inRounds(mlir::ImplicitLocOpBuilder &b, llvm::function_ref<void(uint64_t round)> read);
  void write(mlir::ImplicitLocOpBuilder &b, uint64_t round);
  void writeBlock(mlir::ImplicitLocOpBuilder &b, const Buffer &buffer, uint64_t round);
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
