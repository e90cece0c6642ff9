// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer code that evaluates a part of a linear layout at run time.
#pragma once

#include "compiler/layout/LinearLayout.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// Emits code that computes a coordinate from `number`, an i32 or a vector or block of them. Bit i
/// of the number adds `images[i]`, by exclusive or; bits above `images` are ignored. Neighbouring
/// bits whose images double from one to the next, which is the common case, take one mask, one
/// shift and one product together.
mlir::Value emitLinearMap(mlir::ImplicitLocOpBuilder &builder, mlir::Value number,
                          llvm::ArrayRef<int64_t> images);

/// The coordinates along block dimension `dimension` that the bits of `place`, from bit `firstBit`
/// on, add.
llvm::SmallVector<int64_t> imagesOf(const LinearLayout &layout, llvm::StringRef place,
                                    unsigned dimension, unsigned firstBit = 0);

} // namespace eft
