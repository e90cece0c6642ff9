// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The local memory of a GPU's thread.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// One area of local memory, which all operations that need some use one after the other. It is as
/// large as the largest use.
class LocalMemory {
public:
  explicit LocalMemory(mlir::func::FuncOp kernel) : kernel(kernel) {}

  /// The byte `offset` of the area, with room for `bytes` from there on. The area's start is
  /// aligned to 16 bytes.
  mlir::Value at(mlir::ImplicitLocOpBuilder &b, unsigned offset, unsigned bytes);

private:
  mlir::func::FuncOp kernel;
  mlir::Value area;              // null before the first use
  mlir::arith::ConstantOp count; // of its bytes
  unsigned size = 0;
};

} // namespace eft
