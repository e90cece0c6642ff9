// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps the factors of a product on a GPU in shared memory, one part of k at a time.
//
// All threads write their elements of a part to shared memory. Then each thread reads the elements
// that it multiplies, and all threads go on with the next part. This is a loop, so the code does
// not grow with the number of parts:
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

/// The coordinates of a thread's elements along one dimension of a block. A coordinate is the
/// exclusive or of two numbers: `ofThread`, which is computed at run time from the thread's number,
/// and a constant for each register.
struct ThreadCoordinates {
  ThreadCoordinates(mlir::ImplicitLocOpBuilder &b, const LinearLayout &layout, unsigned dimension);

  int64_t ofRegister(unsigned number) const; ///< the constant for a register
  /// The coordinate of the element in a register with the constant `ofRegister`.
  mlir::Value at(mlir::ImplicitLocOpBuilder &b, int64_t ofRegister) const;

  llvm::SmallVector<int64_t> registers; ///< for each bit of a register's number, its constant
  mlir::Value ofThread;
};

/// A thread's fragments of a factor, and the layout of the factor.
struct FactorFragments {
  LinearLayout layout;
  llvm::SmallVector<mlir::Value> fragments;
};

/// The offset of each element of a part in shared memory, in elements: start + i * strides[0] + j *
/// strides[1]. A part has the same dimensions as its factor.
struct PartOrder {
  int64_t strides[2];
  int64_t start = 0;

  mlir::Value numberOf(mlir::ImplicitLocOpBuilder &b, mlir::Value i, mlir::Value j) const;
};

/// The shared memory for a part of each of two factors, and the loop over the parts.
class FactorParts {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  /// A part has `part` of the `depth` elements along k. Together, one part of the first factor and
  /// one of the second take `bytes` bytes.
  FactorParts(SharedMemory &memory, mlir::Type element, int64_t depth, int64_t part, int64_t bytes,
              PartOrder orderOfA, PartOrder orderOfB)
      : memory(memory), element(element), depth(depth), part(part), bytes(bytes),
        orders{orderOfA, orderOfB} {}

  /// Emits the loop over the parts, and returns the sums after it. In each iteration a part of both
  /// factors is written, and `addPart` adds its products to the sums and returns the new sums.
  Values sum(mlir::ImplicitLocOpBuilder &b, const FactorFragments (&factors)[2], Values sums,
             llvm::function_ref<Values(Values sums)> addPart);

  /// The address of element (i, j) of the part of factor 0 or 1.
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
