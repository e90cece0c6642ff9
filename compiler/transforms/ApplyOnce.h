// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Drivers for patterns. One is for patterns that expand an op into others, or combine it with the
// ops that it uses. The other is for patterns that are applied until nothing changes.
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace eft {

/// Walks the ops inside `root` in the order of the text and tries the patterns once on each.
/// Nothing is folded, unlike in the greedy driver, and what a pattern creates is not visited. A
/// pattern inserts in front of its op, and erases at most its op and ops that come before it.
void applyPatternsOnce(mlir::Operation *root, mlir::RewritePatternSet &&patterns);

/// Applies the patterns and folds until nothing changes, in as many rounds as that takes. The
/// driver by itself gives up after ten, but a constant may go through a long chain, such as a sort,
/// of which each round folds one link.
void applyPatternsToTheEnd(mlir::Operation *root, mlir::RewritePatternSet &&patterns);

} // namespace eft
