// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The local memory of a GPU's thread.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// An area of local memory that several operations use, one after another. The area is as large as
/// the largest use.
class LocalMemory {
public:
  explicit LocalMemory(mlir::func::FuncOp kernel) : kernel(kernel) {}

  /// The address of the byte `offset` of the area, with room for `bytes` bytes from there on. The
  /// start of the area is aligned to 16 bytes.
  mlir::Value at(mlir::ImplicitLocOpBuilder &b, unsigned offset, unsigned bytes);

private:
  mlir::func::FuncOp kernel;
  mlir::Value area;              // null before the first use
  mlir::arith::ConstantOp count; // the number of bytes of the area
  unsigned size = 0;
};

} // namespace eft
