// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves of elements that cost a thread of a GPU nothing.
#pragma once

#include "compiler/ir/EftDialect.h"

namespace eft {

/// Whether the results of an operation are other names of its source's elements in each thread.
/// False if a block has no layout.
bool isRenaming(ElementMoveOpInterface move);

} // namespace eft
