// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameters of a kernel on which a launch should specialise.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/BitVector.h"

namespace eft {

/// Marks the integer arguments of the function that reach an address: an offset, a stride, a loop's
/// start or step that an offset is made from. That such a number is 1, or a multiple of 16, can
/// make an access wider. A number that bounds the mask of a factor of a product is marked, too: if
/// it is a multiple of 16, the mask does not cut the copies of 16 bytes that bring the factor to
/// shared memory. Of any other (a count that bounds another mask, a seed, a value to store) no pass
/// can use it. One bit for each argument. Calls must have been inlined: what a call returns is
/// not followed.
llvm::BitVector addressParameters(mlir::func::FuncOp function);

} // namespace eft
