// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shared memory of a GPU kernel.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// One area of shared memory, which all operations that need some use one after the other. A use
/// begins at the end of the part that is reserved at the time. The area is as large as the largest
/// use. Its size becomes the kernel's attribute `eft.shared_bytes`; the launch gives the memory
/// itself, as dynamic shared memory.
class SharedMemory {
public:
  /// The bytes that `behindAll` may add to what the uses need.
  static constexpr unsigned bytesBehindAll = 16;
  /// The bytes that a kernel may have without asking the driver for more.
  static constexpr unsigned usualBytes = 48 * 1024;
  /// LLVM's number of the address space.
  static constexpr unsigned addressSpace = 3;

  /// The bytes that may be reserved at a time.
  static constexpr unsigned maxReserved = 1u << 30;

  explicit SharedMemory(mlir::func::FuncOp kernel) : kernel(kernel) {}

  /// The bytes that a use may take: the usual ones, or as many as the kernel has for others.
  unsigned available() const { return std::max(usualBytes, size - reserved); }

  /// The start of the unreserved part, aligned to 16 bytes, with room for `bytes`.
  mlir::Value buffer(mlir::ImplicitLocOpBuilder &b, unsigned bytes);

  /// True if `bytes` can be reserved: offsets are integers of 32 bits. Whether a GPU has so much,
  /// the launch says.
  bool canReserve(uint64_t bytes) const { return reserved + bytes <= maxReserved; }

  /// Reserves the next `bytes` whose offset is a multiple of `alignment`, until they are released,
  /// and returns the offset. The bytes reserved last are released first.
  unsigned reserve(unsigned bytes, unsigned alignment);
  void release() { reserved = reservedBefore.pop_back_val(); }
  mlir::Value at(mlir::ImplicitLocOpBuilder &b, unsigned offset);

  /// A place for a number behind all other uses, when these are known. It is the same one for all
  /// callers.
  mlir::Value behindAll(mlir::ImplicitLocOpBuilder &b);

  /// Emits a barrier if an earlier use may still be read. All threads must reach it before any of
  /// them writes.
  void beginWriting(mlir::ImplicitLocOpBuilder &b);

  /// The same for threads that have waited for each other already.
  void beginWritingBehindBarrier() { isUsed = true; }

  /// Emits the barrier between writing and reading, which all threads must reach.
  void beginReading(mlir::ImplicitLocOpBuilder &b);

  /// Declares the area and notes its size, if anything uses it.
  void finish();

private:
  mlir::func::FuncOp kernel;
  unsigned size = 0, reserved = 0;
  unsigned alignmentOfAll = 16; // that of the widest access, or of what is reserved
  llvm::SmallVector<unsigned> reservedBefore;
  std::optional<unsigned> behind; // the offset of `behindAll`
  bool isUsed = false;
};

} // namespace eft
