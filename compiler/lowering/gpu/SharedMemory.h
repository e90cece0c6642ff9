// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shared memory of a GPU kernel.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// The area of shared memory of a kernel, which all operations that need shared memory use, one
/// after another. A use begins at the end of the bytes that are reserved at that time. The area is
/// as large as the largest use. Its size becomes the kernel's attribute `eft.shared_bytes`; the
/// launch provides the memory, as dynamic shared memory.
class SharedMemory {
public:
  /// The most bytes that `behindAll` adds to the size of the uses.
  static constexpr unsigned bytesBehindAll = 16;
  /// The bytes that a kernel may use without a request to the driver for more.
  static constexpr unsigned usualBytes = 48 * 1024;
  /// LLVM's number of the address space.
  static constexpr unsigned addressSpace = 3;

  /// The most bytes that may be reserved at a time.
  static constexpr unsigned maxReserved = 1u << 30;

  explicit SharedMemory(mlir::func::FuncOp kernel) : kernel(kernel) {}

  /// The bytes that a use may take: the usual number, or more if another use already makes the area
  /// larger.
  unsigned available() const { return std::max(usualBytes, size - reserved); }

  /// The address of the first unreserved byte, aligned to 16 bytes. Makes the area large enough for
  /// `bytes` bytes from there on.
  mlir::Value buffer(mlir::ImplicitLocOpBuilder &b, unsigned bytes);

  /// True if `bytes` can be reserved in addition: offsets are integers of 32 bits. The launch
  /// checks whether the GPU has so much memory.
  bool canReserve(uint64_t bytes) const { return reserved + bytes <= maxReserved; }

  /// Reserves the next `bytes` bytes that start at a multiple of `alignment`, and returns their
  /// offset. `release` frees the bytes that were reserved last.
  unsigned reserve(unsigned bytes, unsigned alignment);
  void release() { reserved = reservedBefore.pop_back_val(); }
  /// The address of the byte `offset` of the area.
  mlir::Value at(mlir::ImplicitLocOpBuilder &b, unsigned offset);

  /// The address of 8 bytes after all uses so far. Call it only when all other uses are known. All
  /// calls return the same address.
  mlir::Value behindAll(mlir::ImplicitLocOpBuilder &b);

  /// Emits a barrier if threads may still read what an earlier use has written. All threads must
  /// reach the barrier before any of them writes.
  void beginWriting(mlir::ImplicitLocOpBuilder &b);

  /// Begins writing without a barrier, for threads that have passed one since the last use.
  void beginWritingBehindBarrier() { isUsed = true; }

  /// Emits the barrier between writing and reading, which all threads must reach.
  void beginReading(mlir::ImplicitLocOpBuilder &b);

  /// Declares the area and sets the kernel's attribute for its size, if anything uses it.
  void finish();

private:
  mlir::func::FuncOp kernel;
  unsigned size = 0, reserved = 0;
  unsigned alignmentOfAll = 16; // the alignment of the area: that of the widest access, or more
  llvm::SmallVector<unsigned> reservedBefore;
  std::optional<unsigned> behind; // the offset of `behindAll`
  bool isUsed = false;
};

} // namespace eft
