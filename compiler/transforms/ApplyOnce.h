// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A driver for patterns that expand one op into others, or combine it with the ops that it uses.
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace eft {

/// Walks the ops inside `root` in the order of the text and tries the patterns once on each.
/// Nothing is folded, unlike in the greedy driver, and what a pattern creates is not visited. A
/// pattern inserts in front of its op, and erases at most its op and ops that come before it.
void applyPatternsOnce(mlir::Operation *root, mlir::RewritePatternSet &&patterns);

} // namespace eft
