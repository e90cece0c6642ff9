// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A limit on the stack memory of a CPU for buffers from which the elements of blocks are moved.
//
// Buffers that are never in use together share memory, so only the bytes that are in use at the
// same time count. A buffer is in use from the definition of its block to the last use of an
// element that is moved out of it. An operation that can be tiled is computed where its own users
// are, so its use of an element is there.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdint>
#include <vector>

namespace eft {

class MovedBytes {
public:
  /// Looks at all operations of a function, before any of them is changed.
  explicit MovedBytes(mlir::func::FuncOp function);

  /// Reserves memory for a buffer with the elements of `source`, from which `result` is moved.
  /// Returns false if too little memory is left.
  bool take(mlir::Value source, mlir::Value result);

  /// Forgets an operation that is erased, since a new one may get its address.
  void forget(mlir::Operation *op) { places.erase(op); }

private:
  /// Numbers of operations. Operations are numbered in the order of the code; those nested in an
  /// operation follow it.
  struct Place {
    unsigned first;   ///< the operation's own number
    unsigned end;     ///< the number of the last operation nested in it
    unsigned lastUse; ///< the number at which the last use of its results ends, if it is tiled
  };

  /// The place of an operation. For an operation that was made later, the place of the next known
  /// one in its block. If there is none, the range of the whole function.
  Place placeOf(mlir::Operation *op) const;
  /// The place of the operation in the value's block that is the user or contains it.
  Place placeOfUse(mlir::Value value, mlir::Operation *user) const;
  unsigned lastUseOf(mlir::Value value) const;

  llvm::DenseMap<mlir::Operation *, Place> places;
  std::vector<int64_t> bytesInUse; // at the operation with each number
};

} // namespace eft
