// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element moves that cost a GPU's thread nothing.
#pragma once

#include "compiler/ir/EftDialect.h"

namespace eft {

/// True if no element moves between threads, and no thread has to select between fragments: each
/// fragment of a result is one of the source's fragments. False if a block has no layout, or if
/// there are several sources.
bool isRenaming(ElementMoveOpInterface move);

} // namespace eft
