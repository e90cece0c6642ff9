// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameters of a kernel on which a launch should specialise.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace eft {

/// An integer argument of a function that reaches an address.
struct AddressParameter {
  unsigned number;
  /// The size of the smallest elements whose addresses it reaches: it tells how many elements an
  /// access of 16 bytes has.
  unsigned elementBytes;

  bool operator==(const AddressParameter &) const = default;
};

/// Finds the integer arguments of the function that reach an address: an offset, a stride, a loop's
/// start or step that an offset is made from. That such a number is 1, or a multiple of what an
/// access has elements, can make the access wider. A number that bounds the mask of a factor of a
/// product is found, too: if it is such a multiple, the mask does not cut the copies that bring the
/// factor to shared memory. Of any other (a count that bounds another mask, a seed, a value to
/// store) no pass can use it. They come in order. Calls must have been inlined: what a call returns
/// is not followed.
std::vector<AddressParameter> addressParameters(mlir::func::FuncOp function);

} // namespace eft
