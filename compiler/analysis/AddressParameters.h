// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameters of a kernel on which a launch should specialise.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace eft {

/// An integer argument of a function that reaches an address, or that bounds the mask of a factor
/// of a product, of a sum of floats in memory, or a mask that is the same in all programs.
struct AddressParameter {
  unsigned number;
  /// The size in bytes of the smallest elements whose addresses the argument reaches. It determines
  /// how many elements an access of 16 bytes has.
  unsigned elementBytes;

  bool operator==(const AddressParameter &) const = default;
};

/// Returns the integer arguments of the function that reach an address, in order. Examples are an
/// offset, a stride, and the start or step of a loop from whose counter an offset is computed. If
/// such an argument is 1, or a multiple of the number of elements that an access moves, the access
/// may become wider.
///
/// Also returned are arguments that bound the mask of a factor of a product, or of atomic updates
/// that can move several elements at once. If such a bound is a multiple of the number of elements
/// that an access moves, the mask is the same for all elements of each access. An access may be an
/// asynchronous copy of a factor to shared memory. Other arguments are left out, such as a count
/// that bounds another mask, a seed, or a value to store: their divisibility makes no access wider.
///
/// Calls must have been inlined, because the results of calls are not followed.
std::vector<AddressParameter> addressParameters(mlir::func::FuncOp function);

} // namespace eft
