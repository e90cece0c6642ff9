// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block on the stack of a CPU's thread, where every element can be reached from every lane.
#pragma once

#include "compiler/lowering/cpu/StackMatrix.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// Room for one block, for as long as its function runs.
class StackBlock {
public:
  /// The elements along `fastest` are neighbours; the other dimensions follow, the last one first.
  StackBlock(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<int64_t> shape, mlir::Type element,
             unsigned fastest);

  /// Writes the vectors of a block of this layout (lane, step), and reads them. Lanes that are
  /// neighbours here move together.
  void store(llvm::ArrayRef<mlir::Value> fragments, const LinearLayout &layout);
  llvm::SmallVector<mlir::Value> load(const LinearLayout &layout);

  /// A block of two dimensions as a matrix.
  StackMatrix matrix() const { return {memory, element, {strides[0], strides[1]}}; }

  int64_t stride(unsigned dimension) const { return strides[dimension]; }
  mlir::Type elementType() const { return element; }
  /// The address of the element with a number, an i64 that counts elements in the order of memory.
  mlir::Value at(mlir::Value number);

private:
  mlir::Value at(int64_t number);
  int64_t numberOf(llvm::ArrayRef<int64_t> index) const;
  /// The number of lanes, a power of two, that are neighbours in memory, from each multiple of it
  /// on.
  int64_t runOf(const LinearLayout &layout) const;

  mlir::ImplicitLocOpBuilder &b;
  mlir::Type element;
  unsigned fastest;
  llvm::SmallVector<int64_t> strides; // in elements
  mlir::Value memory;
};

} // namespace eft
