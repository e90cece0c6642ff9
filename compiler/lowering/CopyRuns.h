// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runs of asynchronous copies.
#pragma once

#include "compiler/ir/EftDialect.h"

namespace eft {

/// The number of a thread's neighbouring elements that `copy` moves at a time. They are neighbours
/// in global memory and in the slot, and have at most 16 bytes. If they have less than 4 bytes, no
/// asynchronous copy can move them. The block and the slot must have layouts.
int64_t runOfCopies(CopyAsyncOp copy);

} // namespace eft
