// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The factors of a product on a GPU, in shared memory, a part of k at a time.
//
// All threads write what they have of a part. Then each reads what it multiplies, and they go on
// with the next part. That is a loop, so the code does not grow with the number of parts:
//
//     for first = 0 to depth step part
//       write a[:, first … first + part) and b[first … first + part, :]
//       acc += their product
#pragma once

#include "compiler/layout/LinearLayout.h"
#include "compiler/lowering/gpu/SharedMemory.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace eft {

/// Coordinates along one block dimension: what the thread adds at run time, and what each register
/// adds to it.
struct ThreadCoordinates {
  ThreadCoordinates(mlir::ImplicitLocOpBuilder &b, const LinearLayout &layout, unsigned dimension);

  int64_t ofRegister(unsigned number) const;
  mlir::Value at(mlir::ImplicitLocOpBuilder &b, int64_t ofRegister) const;

  llvm::SmallVector<int64_t> registers;
  mlir::Value ofThread;
};

/// A thread's fragments of a factor, and the elements that they are.
struct FactorFragments {
  LinearLayout layout;
  llvm::SmallVector<mlir::Value> fragments;
};

/// The place of each element of a part in shared memory, counted in elements. A part's dimensions
/// are those of its factor.
struct PartOrder {
  int64_t strides[2];
  int64_t start = 0;

  mlir::Value numberOf(mlir::ImplicitLocOpBuilder &b, mlir::Value i, mlir::Value j) const;
};

/// Shared memory for a part of each of two factors, and the loop over the parts.
class FactorParts {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  /// A part has `part` of the `depth` elements along k, and all parts of both factors lie in
  /// `bytes` bytes.
  FactorParts(SharedMemory &memory, mlir::Type element, int64_t depth, int64_t part, int64_t bytes,
              PartOrder orderOfA, PartOrder orderOfB)
      : memory(memory), element(element), depth(depth), part(part), bytes(bytes),
        orders{orderOfA, orderOfB} {}

  /// Writes part after part. `addPart` gives the sums with the products of the part that is there.
  Values sum(mlir::ImplicitLocOpBuilder &b, const FactorFragments (&factors)[2], Values sums,
             llvm::function_ref<Values(Values sums)> addPart);

  /// The address of an element of the part of factor 0 or 1.
  mlir::Value pointer(mlir::ImplicitLocOpBuilder &b, unsigned factor, mlir::Value i, mlir::Value j);

private:
  void write(mlir::ImplicitLocOpBuilder &b, unsigned factor, const FactorFragments &from,
             mlir::Value first);

  SharedMemory &memory;
  mlir::Type element;
  int64_t depth, part, bytes;
  PartOrder orders[2];
};

} // namespace eft
