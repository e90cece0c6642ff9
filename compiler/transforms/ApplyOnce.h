// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two drivers for patterns. `applyPatternsOnce` is for patterns that expand an op into others, or
// combine an op with ops that it uses. `applyPatternsToTheEnd` repeats its patterns until nothing
// changes.
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace eft {

/// Walks the ops inside `root` in the order of the text and tries the patterns once on each op.
/// Unlike the greedy driver, it folds nothing and does not visit the ops that a pattern creates. A
/// pattern must insert new ops before the matched op, and may erase only the matched op and ops
/// before it.
void applyPatternsOnce(mlir::Operation *root, mlir::RewritePatternSet &&patterns);

/// Applies the patterns and folds until nothing changes, for as many rounds as needed. The greedy
/// driver's default limit is ten rounds. That is too few where constants fold along a long chain,
/// such as an expanded sort, because each round folds one link.
void applyPatternsToTheEnd(mlir::Operation *root, mlir::RewritePatternSet &&patterns);

} // namespace eft
