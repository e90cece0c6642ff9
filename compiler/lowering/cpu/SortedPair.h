// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two vectors of a CPU that are sorted together, in registers.
//
// A vector by itself takes a shuffle, two comparisons and a blend to compare elements of lanes that
// differ in a bit. Two vectors take two shuffles and two comparisons: they exchange elements until
// partners lie in the same lane of both.
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Value.h"

namespace eft {

mlir::Value smaller(mlir::ImplicitLocOpBuilder &b, bool isUnsigned, mlir::Value one,
                    mlir::Value other);
mlir::Value larger(mlir::ImplicitLocOpBuilder &b, bool isUnsigned, mlir::Value one,
                   mlir::Value other);

class SortedPair {
public:
  using Vectors = std::array<mlir::Value, 2>;

  /// Of integers. Their numbers are those of the lanes, the second vector's above the first one's.
  SortedPair(mlir::ImplicitLocOpBuilder &b, Vectors vectors, bool isUnsigned);

  /// Emits compare-exchanges of the two vectors, lane by lane.
  void compare();
  /// Emits compare-exchanges of elements whose numbers differ in one bit, that of `lane`.
  void compareLanes(int64_t lane);
  /// Flips all bits of elements where those of `flips` are set.
  void flip(const Vectors &flips);
  /// Brings all elements back to where they came from.
  void putBack();

  const Vectors &vectors() const { return pair; }
  /// The numbers that the elements had at first, in the order of their lanes now.
  llvm::ArrayRef<int64_t> numbers() const { return order; }

private:
  /// Each lane gets the element of another one.
  void shuffle(llvm::ArrayRef<int64_t> lanes);

  mlir::ImplicitLocOpBuilder &b;
  Vectors pair;
  bool isUnsigned;
  llvm::SmallVector<int64_t> order;
};

} // namespace eft
