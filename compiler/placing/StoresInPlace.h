// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rewrite that stores small blocks from the places in which they were computed.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace eft {

/// A store of a block that has at most one element for each thread, such as one number for each
/// row, asks for a layout in which neighbouring threads store neighbours. If the block is computed
/// in another layout, its elements would have to change threads, often through shared memory and a
/// barrier. If each thread has only a few of its elements, the store is done in the layout in which
/// the block is computed: a few stores more cost less than the conversion.
///
/// Threads do accesses to one element in their order only if all of them have one layout. So the
/// layout of a store changes only if all accesses to blocks of its shape are stores, and their
/// layouts change together. If several threads hold an element of such a block, its stores get the
/// attribute `eft.meets_no_load`, even if their layout stays.
void storeInPlace(mlir::func::FuncOp function);

} // namespace eft
