// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block on the stack of a CPU's thread. There every lane can reach every element.
#pragma once

#include "compiler/lowering/cpu/StackMatrix.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// Stack memory for one block, for as long as its function runs.
class StackBlock {
public:
  /// Elements that are neighbours along `fastest` are neighbours in memory. The strides of the
  /// other dimensions grow from the last dimension to the first.
  StackBlock(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<int64_t> shape, mlir::Type element,
             unsigned fastest);

  /// Store and load the vectors of a block in this layout (lane, step). Lanes that are neighbours
  /// on the stack move together.
  void store(llvm::ArrayRef<mlir::Value> fragments, const LinearLayout &layout);
  llvm::SmallVector<mlir::Value> load(const LinearLayout &layout);

  /// A block of two dimensions as a matrix.
  StackMatrix matrix() const { return {memory, element, {strides[0], strides[1]}}; }

  int64_t stride(unsigned dimension) const { return strides[dimension]; }
  mlir::Type elementType() const { return element; }
  /// The address of an element. `number`, an i64, counts elements in the order of memory.
  mlir::Value at(mlir::Value number);

private:
  mlir::Value at(int64_t number);
  int64_t numberOf(llvm::ArrayRef<int64_t> index) const;
  /// The largest power of two, n, such that the lanes i·n to i·n + n − 1 are neighbours in memory
  /// for every i.
  int64_t runOf(const LinearLayout &layout) const;

  mlir::ImplicitLocOpBuilder &b;
  mlir::Type element;
  unsigned fastest;
  llvm::SmallVector<int64_t> strides; // in elements
  mlir::Value memory;
};

} // namespace eft
