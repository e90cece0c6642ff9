// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shared memory of a GPU kernel.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// One buffer, which everybody who needs shared memory uses after another, from the end of what is
/// reserved at the time. It is as large as the largest use. The size becomes the kernel's attribute
/// `eft.shared_bytes`; the memory itself is given at the launch, as dynamic shared memory.
class SharedMemory {
public:
  /// What a kernel may have without asking the driver for more.
  static constexpr unsigned usualBytes = 48 * 1024;
  /// LLVM's number of the address space.
  static constexpr unsigned addressSpace = 3;

  explicit SharedMemory(mlir::func::FuncOp kernel) : kernel(kernel) {}

  /// Where the buffer starts, aligned to 16 bytes, with room for `bytes`.
  mlir::Value buffer(mlir::ImplicitLocOpBuilder &b, unsigned bytes);

  /// Keeps others out of the next `bytes` of the buffer until they are released: says where they
  /// begin. What is reserved last is released first.
  unsigned reserve(unsigned bytes);
  void release(unsigned bytes) { reserved -= bytes; }
  mlir::Value at(mlir::ImplicitLocOpBuilder &b, unsigned offset);

  /// To be called by all threads before any writes: waits until nobody reads what an earlier use
  /// has left.
  void beginWriting(mlir::ImplicitLocOpBuilder &b);

  /// The same for threads that have waited for each other already.
  void beginWritingBehindBarrier() { isUsed = true; }

  /// To be called by all threads between writing and reading: all that was written can be read.
  void beginReading(mlir::ImplicitLocOpBuilder &b);

  /// Declares the buffer and notes its size, if there is any.
  void finish();

private:
  mlir::func::FuncOp kernel;
  unsigned size = 0, reserved = 0;
  bool isUsed = false;
};

} // namespace eft
