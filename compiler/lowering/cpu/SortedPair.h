// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two vectors of a CPU that are sorted together, in registers.
//
// In one vector, the compare-exchanges of lanes that differ in a bit take a shuffle, a minimum, a
// maximum and a blend. In a pair of vectors they take two shuffles, a minimum and a maximum, so
// half as many for each vector: the shuffles exchange elements until partners lie in the same lane
// of the two vectors.
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

  /// The vectors hold integers. The elements of the first vector have the numbers of their lanes;
  /// those of the second vector follow.
  SortedPair(mlir::ImplicitLocOpBuilder &b, Vectors vectors, bool isUnsigned);

  /// Emits compare-exchanges of the two vectors, lane by lane.
  void compare();
  /// Emits compare-exchanges of elements whose numbers differ in the bit `lane`, a power of two.
  void compareLanes(int64_t lane);
  /// Inverts the bits of the elements that are set in `flips`.
  void flip(const Vectors &flips);
  /// Moves every element back to the vector and lane from which it came.
  void putBack();

  const Vectors &vectors() const { return pair; }
  /// The numbers that the elements had at first, in the order of their lanes now.
  llvm::ArrayRef<int64_t> numbers() const { return order; }

private:
  /// Lane i of the pair gets the element of lane `lanes[i]`. The second vector's lanes follow the
  /// first one's.
  void shuffle(llvm::ArrayRef<int64_t> lanes);

  mlir::ImplicitLocOpBuilder &b;
  Vectors pair;
  bool isUnsigned;
  llvm::SmallVector<int64_t> order;
};

} // namespace eft
