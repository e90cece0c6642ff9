// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The room on a CPU's stack for buffers from which the elements of blocks are moved.
//
// Buffers that are never in use together share memory, so what counts is how many bytes are in use
// at one time: between a block's definition and the last use of what is moved out of it. Blocks
// that are computed one tile at a time are used where their own users are.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdint>
#include <vector>

namespace eft {

class MovedBytes {
public:
  /// Looks at all operations of a function, before any of them is changed.
  explicit MovedBytes(mlir::func::FuncOp function);

  /// Takes room for a buffer with the elements of `source`, out of which `result` is moved. Returns
  /// false if there is too little.
  bool take(mlir::Value source, mlir::Value result);

  /// Forgets an operation that is erased, since a new one may get its address.
  void forget(mlir::Operation *op) { places.erase(op); }

private:
  /// Numbers of operations in the order of the code; those of nested ones follow their parent's.
  struct Place {
    unsigned first;   ///< the operation's own
    unsigned end;     ///< the last one nested in it
    unsigned lastUse; ///< the end of the last use of its results, if it is computed in tiles
  };

  /// The place of an operation. That of a new one is the next one's that is known; all of the
  /// function if there is none.
  Place placeOf(mlir::Operation *op) const;
  /// The place of a user of a value, seen from the value's block.
  Place placeOfUse(mlir::Value value, mlir::Operation *user) const;
  unsigned lastUseOf(mlir::Value value) const;

  llvm::DenseMap<mlir::Operation *, Place> places;
  std::vector<int64_t> bytesInUse; // at each number
};

} // namespace eft
