// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer code that evaluates a part of a linear layout at run time.
#pragma once

#include "compiler/layout/LinearLayout.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace eft {

/// Emits the exclusive or of `images[i]` over all bits i that are set in `number`, an i32, or a
/// vector or block of i32. Bits of the number from `images.size()` on are ignored. Commonly, the
/// images of neighbouring bits double from one to the next: such bits take one mask, one shift and
/// one multiplication together.
mlir::Value emitLinearMap(mlir::ImplicitLocOpBuilder &builder, mlir::Value number,
                          llvm::ArrayRef<int64_t> images);

/// Returns what each bit of the place dimension `place` adds to the coordinate along block
/// dimension `dimension`. The first entry is for bit `firstBit`.
llvm::SmallVector<int64_t> imagesOf(const LinearLayout &layout, llvm::StringRef place,
                                    unsigned dimension, unsigned firstBit = 0);

} // namespace eft
